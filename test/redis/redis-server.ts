import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A server that runs. */
export interface RedisServer {
  /** Ends it as a crash would: with SIGKILL. */
  kill(): Promise<void>;
  /** Has it hang: connections stay, and nothing is answered. */
  pause(): void;
  /** Has it go on. */
  resume(): void;
}

/**
 * Runs a Redis or Valkey server on a port of 127.0.0.1, without persistence, until it takes connections. It has one user
 * besides the default one, whose rules follow the name.
 */
export async function startRedis(
  program: string,
  port: number,
  user: readonly string[],
): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), "redis-"));
  const options = { bind: "127.0.0.1", port, dir: folder, save: "", appendonly: "no", daemonize: "no" };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(program, [...args, "--user", ...user], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      if (line.includes("Ready to accept connections")) {
        resolve();
      }
    });
    ended.then(() => reject(new Error(`${program} did not start`)), reject);
  });
  return {
    pause: () => {
      child.kill("SIGSTOP");
    },
    resume: () => {
      child.kill("SIGCONT");
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
