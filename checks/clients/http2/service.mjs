import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { mustRun, run, startService } from "../../lib/checks.mjs";
import { hasGo, MAIN, prepared, ROOT } from "../programs.mjs";

/** The descriptors of the service, for clients without generated code. */
export const PROTOS = join(ROOT, "gen", "protos", "utilitytools.binpb");

/** Starts the built service, over TLS if there is a certificate. */
export function serve(certificate, env = {}) {
  const tls =
    certificate === undefined ? {} : { TLS_CERT_FILE: certificate.cert, TLS_KEY_FILE: certificate.key };
  return startService(process.execPath, [MAIN], { ...tls, ...env });
}

/** Returns a port of 127.0.0.1 that is currently free. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Calls a function with a service that is started before and stopped after, first in cleartext, then over TLS. */
export async function eachTransport(certificate, trial, env) {
  for (const [transport, files] of [
    ["cleartext", undefined],
    ["TLS", certificate],
  ]) {
    const service = await serve(files, env);
    try {
      await trial(transport, service, files);
    } finally {
      await service.stop();
    }
  }
}

/** Runs a program in parallel with this one. Resolves to its exit code and its output. */
export async function runAsync(program, args, { seconds = 120, ...options } = {}) {
  const path = [process.env.PATH, "/usr/sbin"].join(delimiter);
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PATH: path },
    timeout: seconds * 1_000,
    ...options,
  });
  const status = new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal));
    child.once("error", (error) => resolve(error.message));
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await status, stdout, stderr };
}

/** Whether a program is installed; says that a trial is skipped if not. */
export function has(program, version, needs) {
  const path = [process.env.PATH, "/usr/sbin"].join(delimiter);
  const found = run(program, [version], { env: { ...process.env, PATH: path } }).status === 0;
  if (!found) {
    console.log(`skipped: needs ${needs}`);
  }
  return found;
}

/** The folder with the Go programs, which are built once. Undefined, with a message, if Go is not installed. */
export function goPrograms() {
  if (!hasGo()) {
    return undefined;
  }
  const source = join(import.meta.dirname, "go");
  const files = ["go.mod", "go.sum", "main.go"].map((name) => join(source, name));
  return prepared("go", files, (folder) => {
    const packages = [".", "github.com/fullstorydev/grpcurl/cmd/grpcurl"];
    for (const each of packages) {
      const program = join(folder, each === "." ? "client" : "grpcurl");
      mustRun("go", ["build", "-mod=readonly", "-o", program, each], { cwd: source, seconds: 600 });
    }
  });
}
