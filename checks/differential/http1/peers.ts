import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, untilListening } from "../../../test/ports.js";
import { findEnvoy, stopOnExit } from "../../lib/programs.js";
import { startBackend } from "./backend.js";
import { envoyConfiguration, nginxConfiguration } from "./proxy-configurations.js";
import { type ReadingServer, type ReadRequest, type Recorder, statusFor } from "./readings.js";

/** The servers to compare with, each with the function that starts it: undefined, with a message, if it is not installed. */
export const PEERS: Readonly<Record<string, () => Promise<ReadingServer | undefined>>> = {
  node: startNode,
  nginx: startNginx,
  envoy: startEnvoy,
};

/** Starts `node:http` with its defaults. */
async function startNode(): Promise<ReadingServer> {
  const recorder: Recorder = new Map();
  const server = createServer({ noDelay: true }, (request, response) => {
    record(request, response, (read) => recorder.get(request.socket.remotePort ?? 0)?.push(read));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { name: "node", port, recorder, close: async () => void server.close() };
}

function record(request: IncomingMessage, response: ServerResponse, add: (read: ReadRequest) => void): void {
  const { method = "", url = "", rawHeaders } = request;
  const read: ReadRequest = { method, target: url, headers: rawHeaders, body: [], isComplete: false };
  add(read);
  request.on("data", (part: Buffer) => read.body.push(part));
  request.on("error", () => {});
  request.on("end", () => {
    read.isComplete = true;
    response.writeHead(statusFor(url), { "content-length": 0 }).end();
  });
}

async function startNginx(): Promise<ReadingServer | undefined> {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  if (spawnSync("nginx", ["-v"], { stdio: "ignore", env }).error !== undefined) {
    console.log("nginx is skipped: not installed (Debian: nginx-light)");
    return undefined;
  }
  return startProxy("nginx", nginxConfiguration, (folder, file) =>
    spawn("nginx", ["-c", file, "-p", folder, "-e", join(folder, "error.log")], { stdio: "ignore", env }),
  );
}

async function startEnvoy(): Promise<ReadingServer | undefined> {
  const program = await findEnvoy();
  if (program === undefined) {
    return undefined;
  }
  return startProxy("envoy", envoyConfiguration, (folder, file) => {
    const log = ["--log-level", "error", "--log-path", join(folder, "error.log")];
    return spawn(program, ["-c", file, ...log, "--concurrency", "1", "--disable-hot-restart"], {
      stdio: "ignore",
    });
  });
}

type Configure = (folder: string, port: number, backendPort: number) => string;
type Spawn = (folder: string, file: string) => ChildProcess;

/** Starts a proxy in front of a backend that records what it sends. */
async function startProxy(name: string, configure: Configure, spawnProxy: Spawn): Promise<ReadingServer> {
  const recorder: Recorder = new Map();
  const backend = await startBackend(recorder);
  const folder = mkdtempSync(join(tmpdir(), `utility-tools-${name}-`));
  mkdirSync(join(folder, "temp"));
  const port = await freePort();
  const file = join(folder, "proxy.yaml");
  writeFileSync(file, configure(folder, port, backend.port));
  const child = spawnProxy(folder, file);
  stopOnExit(child);
  const exit = once(child, "exit");
  await untilListening(port, exit, () => readFileSync(join(folder, "error.log"), "utf8"));
  return {
    name,
    port,
    recorder,
    close: async () => {
      child.kill("SIGTERM");
      await exit;
      backend.close();
      rmSync(folder, { recursive: true });
    },
  };
}
