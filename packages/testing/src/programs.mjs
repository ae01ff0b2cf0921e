// What suites prepare once.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mustRun } from "./checks.mjs";

/** The version of uv, which installs packages of Python. */
const UV = "0.13.9";
const CACHE = join(import.meta.dirname, "..", "node_modules", ".cache");

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
  return prepared(name, [requirements], (folder) => pythonEnvironment(folder, "--requirement", requirements));
}

/** Creates an environment of Python with packages: the arguments of `uv pip install`, which takes a tenth of the time of pip. */
export function pythonEnvironment(folder, ...args) {
  const uv = join(pythonTools(), "bin", "uv");
  mustRun(uv, ["venv", "--quiet", "--allow-existing", "--no-python-downloads", folder]);
  mustRun(uv, ["pip", "install", "--quiet", "--python", folder, ...args], { seconds: 600 });
}

/** The folder of an environment of Python with pip and uv. */
export function pythonTools() {
  return prepared(`uv-${UV}`, [], (folder) => {
    mustRun("python3", ["-m", "venv", folder]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    mustRun(join(folder, "bin", "python"), [...pip, `uv==${UV}`], { seconds: 600 });
  });
}
