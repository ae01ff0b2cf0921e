import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { EXIT } from "../../failures/exit-status.js";
import { StreamError } from "../stream-error.js";

/**
 * Asks for a text on the terminal of standard input, without showing what is typed. Throws an {@link StreamError} if there is none. An
 * interruption ends the process, as it does outside.
 *
 * @param prompt written to standard error
 */
export function askHidden(prompt: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  // A terminal interface reads keys without echo, and writes them to its output alone.
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 });
  process.stderr.write(prompt);
  return new Promise<string>((resolve, reject) => {
    lines.on("line", resolve);
    lines.on("SIGINT", () => {
      lines.close();
      process.kill(process.pid, "SIGINT");
    });
    lines.on("close", () => reject(new StreamError("nothing was typed", EXIT.usage)));
  }).finally(() => {
    lines.close();
    process.stderr.write("\n");
  });
}
