// Shared by scripts that try the built service and its packages.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { inspect, isDeepStrictEqual } from "node:util";

const problems = [];
let passed = 0;

/** Prints the result of a check; a failed one with what was found instead. */
export function check(what, holds, found = "") {
  const shown = typeof found === "string" ? found : inspect(found, { depth: 4, maxStringLength: 2_000 });
  console.log(`${holds ? "ok  " : "FAIL"} ${what}${holds || shown === "" ? "" : `: ${shown}`}`);
  if (holds) {
    passed++;
  } else {
    // The rest of a long text is above, where the check was made.
    const [hint] = String(found).split("\n");
    problems.push(hint === "" ? what : `${what}: ${hint}`);
  }
}

/** Checks that a value, which can be an object, is the expected one. */
export function checkEqual(what, found, expected) {
  check(what, isDeepStrictEqual(found, expected), found);
}

/** Checks the exit status and the standard output of a program. */
export function checkPrinted(what, { status, stdout, stderr }, expected) {
  const holds = status === 0 && stdout === expected;
  check(what, holds);
  if (!holds) {
    console.log(`exit ${status}\n${stdout}${stderr}`);
  }
}

/** Prints the failed checks and a summary, and sets the exit code. */
export function conclude() {
  console.log(
    [...problems.map((what) => `FAIL ${what}`), `${passed} passed, ${problems.length} failed`].join("\n"),
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** Runs a program to its end, with a timeout in seconds. */
export function run(program, args, { seconds = 120, ...options } = {}) {
  return spawnSync(program, args, { encoding: "utf8", timeout: seconds * 1_000, ...options });
}

/** Runs a program. Throws an Error if it fails. */
export function mustRun(program, args, options) {
  const result = run(program, args, options);
  if (result.status !== 0) {
    throw new Error(`${program} ${args.join(" ")}\n${result.error ?? ""}${result.stdout}${result.stderr}`);
  }
  return result;
}

export function checkRuns(what, program, args, options) {
  const { status, stdout, stderr, error } = run(program, args, options);
  check(what, status === 0, `${error ?? `exit ${status}`}\n${stdout ?? ""}${stderr ?? ""}`);
}

/** Makes a folder that is removed when this process exits. Returns its path. */
export function temporaryFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `utility-tools-${name}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Resolves to a free port of 127.0.0.1. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Starts a program that ends with this process. `stop` resolves to its exit code or signal. */
function startChild(program, args, options) {
  const child = spawn(program, args, options);
  // A check that ends this process must not leave the program behind.
  const kill = () => void child.kill();
  process.once("exit", kill);
  const exit = once(child, "exit").finally(() => process.off("exit", kill));
  const stop = async () => {
    kill();
    const [code, signal] = await exit;
    return code ?? signal;
  };
  return { child, kill, stop };
}

/** Resolves to whether a server responds within 20 seconds. */
async function responds(url) {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await fetch(url).then(Boolean, () => false)) {
      return true;
    }
    await pause(200);
  }
  return false;
}

/** Starts a program that serves a URL. `isReady` says whether it responds within 20 seconds. */
export async function startServer(url, program, args, options) {
  const { stop } = startChild(program, args, { stdio: ["ignore", "ignore", "inherit"], ...options });
  return { isReady: await responds(url), stop };
}

/** Milliseconds in which a service starts, also on a busy machine. */
const START_TIMEOUT = 120_000;

/** Starts the service, on a free port by default, and reads its URL from its first line. `stop` resolves to the exit code. */
export async function startService(program, args, env = {}) {
  const { child, kill, stop } = startChild(program, args, {
    env: { PATH: process.env.PATH, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  // A service whose data cannot be read runs, and is never ready.
  const timeout = setTimeout(kill, START_TIMEOUT);
  try {
    for await (const line of createInterface(child.stdout)) {
      const url = /ready on (https?:\/\/[\w.:]+)/.exec(line)?.[1];
      if (url !== undefined) {
        child.stdout.resume();
        return { url, target: new URL(url).host, pid: child.pid, stop };
      }
    }
  } finally {
    clearTimeout(timeout);
  }
  throw new Error("the service did not become ready");
}
