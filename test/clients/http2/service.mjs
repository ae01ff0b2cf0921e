import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { mustRun, run, startService } from "../../checks.mjs";

export const ROOT = join(import.meta.dirname, "..", "..", "..");
/** The descriptors of the service, for clients without generated code. */
export const PROTOS = join(ROOT, "gen", "protos", "utilitytools.binpb");
const CACHE = join(ROOT, "node_modules", ".cache", "http2-clients");
const MAIN = join(ROOT, "dist", "src", "main.js");

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

/**
 * Prepares a folder of the cache with a function, once for each content of the files that it depends on. Returns the folder.
 */
function prepared(name, files, prepare) {
  const folder = join(CACHE, name);
  const done = join(folder, ".prepared");
  const state = files.map((file) => readFileSync(file, "utf8")).join("\n");
  if (!existsSync(done) || readFileSync(done, "utf8") !== state) {
    console.log(`preparing ${name}, once`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    prepare(folder);
    writeFileSync(done, state);
  }
  return folder;
}

/** The folder with the Go programs, which are built once. Undefined, with a message, if Go is not installed. */
export function goPrograms() {
  const isThere = run("sh", ["-c", "go version | grep -Eq 'go(1\\.(2[5-9]|[3-9][0-9])|[2-9])'"]).status === 0;
  if (!isThere) {
    console.log("skipped: needs go, 1.25 or later");
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

/** The folder with the Python packages of a file, which are installed once. Undefined, with a message, without Python. */
export function pythonPrograms(name, requirements) {
  if (run("python3", ["-c", "import venv, ensurepip"]).status !== 0) {
    console.log("skipped: needs python3 with venv and ensurepip (Debian: python3-venv)");
    return undefined;
  }
  return prepared(name, [requirements], (folder) => {
    mustRun("python3", ["-m", "venv", folder]);
    const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements];
    mustRun(join(folder, "bin", "python"), install, { seconds: 600 });
  });
}
