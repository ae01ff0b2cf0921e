import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A running server. */
export interface RedisServer {
  /** Kills it with SIGKILL, like a crash. */
  kill(): Promise<void>;
  /** Suspends it: connections stay open, but it does not respond. */
  pause(): void;
  /** Resumes it. */
  resume(): void;
}

/**
 * Starts a Redis or Valkey server on 127.0.0.1, without persistence, and waits until it accepts connections. It has one user
 * besides the default one.
 *
 * @param user the name of the user, followed by its ACL rules
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
