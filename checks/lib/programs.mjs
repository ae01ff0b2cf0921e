// What suites prepare once, and the service that they try.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mustRun } from "./checks.mjs";

export const ROOT = join(import.meta.dirname, "..", "..");
/** The program of the built service. */
export const MAIN = join(ROOT, "dist", "src", "main.js");
const CACHE = join(ROOT, "node_modules", ".cache", "client-programs");

/**
 * Prepares a folder of the cache with a function, once for each content of the files that it depends on. Returns the folder.
 */
export function prepared(name, files, prepare) {
  const folder = join(CACHE, name);
  const done = join(folder, ".prepared");
  const state = files.map((file) => readFileSync(file, "utf8")).join("\n");
  const isDone = () => existsSync(done) && readFileSync(done, "utf8") === state;
  if (!isDone()) {
    alone(`${folder}.lock`, () => {
      if (!isDone()) {
        console.log(`preparing ${name}, once`);
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder, { recursive: true });
        prepare(folder);
        writeFileSync(done, state);
      }
    });
  }
  return folder;
}

/** A lock that is older than this is that of a suite that was killed, in milliseconds. */
const MAX_LOCKED = 15 * 60_000;

/** Calls a function while no other suite does so with the same lock: suites run at the same time. */
function alone(lock, act) {
  mkdirSync(dirname(lock), { recursive: true });
  for (let isOurs = false; !isOurs; ) {
    try {
      mkdirSync(lock);
      isOurs = true;
    } catch (error) {
      if (error.code !== "EEXIST") {
        throw error;
      }
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > MAX_LOCKED) {
        rmSync(lock, { recursive: true, force: true });
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  try {
    act();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** The folder with the Python packages of a file, which are installed once. */
export function pythonPrograms(name, requirements) {
  return prepared(name, [requirements], (folder) => {
    // Python compiles what a program imports: all of it takes longer.
    pythonEnvironment(folder)("install", "--no-compile", "--requirement", requirements);
  });
}

/** Creates an environment of Python. Returns a function that runs pip for it. */
export function pythonEnvironment(folder) {
  // One copy of pip is enough for all: its installation takes four seconds.
  const shared = prepared("pip", [], (target) => mustRun("python3", ["-m", "venv", target]));
  mustRun("python3", ["-m", "venv", "--without-pip", folder]);
  const pip = [
    "-m",
    "pip",
    "--python",
    join(folder, "bin", "python"),
    "--quiet",
    "--disable-pip-version-check",
  ];
  return (...args) => mustRun(join(shared, "bin", "python"), [...pip, ...args], { seconds: 600 });
}

/** Creates an API key, and a file in a folder that has it. */
export function makeKey(folder) {
  const { stdout, stderr } = mustRun(process.execPath, [MAIN, "make-key", "examples"]);
  const [line = ""] = /^examples [0-9a-f]{64}$/m.exec(stderr) ?? [];
  const keysFile = join(folder, "keys");
  writeFileSync(keysFile, `${line}\n`, { mode: 0o600 });
  return { key: stdout.trim(), keysFile };
}
