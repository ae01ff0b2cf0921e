import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { ROOT } from "../../lib/processes/service.js";

/** What a program has printed, and its exit code. */
export interface Printed {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Podman with a store of its own. */
export interface Podman {
  /** Runs a command. */
  attempt(...args: readonly string[]): Promise<Printed>;
  /** Runs a command, and resolves to what it prints. Throws an Error if it fails. */
  run(...args: readonly string[]): Promise<string>;
  /** Runs the image with more options and arguments, and removes the container. */
  runImage(options: readonly string[], args: readonly string[]): Promise<Printed>;
  /** Starts the image, and resolves to whether its health check succeeds within half a minute. */
  start(name: string, options: readonly string[], args?: readonly string[]): Promise<boolean>;
  /** Stops a container as `podman stop` does, and removes it. Resolves to its exit code. */
  stop(name: string): Promise<string>;
}

/** As operators should run it. The network is that of this machine. */
const HARDENED = ["--network=host", "--read-only", "--cap-drop=all", "--security-opt=no-new-privileges"];
/** Podman's own limits may be higher than this machine permits. */
const LIMITS = ["--ulimit=nofile=16384:16384", "--ulimit=nproc=4096:4096"];

/** Creates a podman whose images and containers are in a folder. */
export function createPodman(folder: string, image: string): Podman {
  // crun does not support every version of control groups.
  const state = [`--root=${folder}/storage`, `--runroot=${folder}/run`, "--runtime=/usr/sbin/runc"];
  const options = [...HARDENED, ...LIMITS];
  const attempt = async (...args: readonly string[]): Promise<Printed> => {
    const child = spawn("podman", [...state, ...args], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr, status] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.once("close", resolve)),
    ]);
    return { status, stdout, stderr };
  };
  const run = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await attempt(...args);
    if (status !== 0) {
      throw new Error(`podman ${args.join(" ")}: ${stdout}${stderr}`);
    }
    return stdout;
  };
  return {
    attempt,
    run,
    runImage: (more, args) => attempt("run", "--rm", ...options, ...more, image, ...args),
    start: async (name, more, args = []) => {
      await run("run", "--detach", `--name=${name}`, ...options, ...more, image, ...args);
      for (let tries = 0; tries < 60; tries++) {
        if ((await attempt("healthcheck", "run", name)).status === 0) {
          return true;
        }
        await wait(500);
      }
      console.log(await run("logs", name));
      return false;
    },
    stop: async (name) => {
      await run("stop", "--time=20", name);
      const code = await run("inspect", "--format={{.State.ExitCode}}", name);
      await run("rm", name);
      return code.trim();
    },
  };
}
