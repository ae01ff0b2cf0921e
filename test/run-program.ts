import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A program that runs in a process of its own. */
export interface Program {
  readonly process: ChildProcess;
  /** What it has written to its standard output and to its standard error so far. */
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves to its exit code, or to the signal that ended it, when all its output has been read. */
  readonly exit: Promise<number | NodeJS.Signals>;
  /** Resolves to what the pattern finds, as soon as its output has it. Rejects when it ends without. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

const running = new Set<ChildProcess>();

/** Runs Node with an environment that has nothing but PATH and what is given. */
export function runProgram(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...env }, stdio: "pipe" });
  running.add(child);
  const texts = { out: "", err: "" };
  const looks = new Set<() => void>();
  const take = (name: "out" | "err") => (chunk: Buffer) => {
    texts[name] += chunk;
    for (const look of looks) {
      look();
    }
  };
  child.stdout.on("data", take("out"));
  child.stderr.on("data", take("err"));
  const exit = once(child, "close").then(([code, signal]) => {
    running.delete(child);
    return code ?? signal;
  });
  const says = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(texts.out) ?? pattern.exec(texts.err);
        if (found !== null) {
          looks.delete(look);
          resolve(found);
        }
      };
      looks.add(look);
      look();
      void exit.then((code) => reject(new Error(`exit ${code}: ${texts.err}`)));
    });
  return { process: child, out: () => texts.out, err: () => texts.err, exit, says };
}

/** Ends what still runs. */
export function endPrograms(): void {
  for (const child of running) {
    child.kill("SIGKILL");
  }
}
