import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A program in a separate process. */
export interface Program {
  readonly process: ChildProcess;
  /** The output so far, on standard output and standard error. */
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves to the exit code or signal when all output has been read. */
  readonly exit: Promise<number | NodeJS.Signals>;
  /** Resolves to the match when the output matches the pattern. Rejects if the program ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

const running = new Set<ChildProcess>();

/** Runs Node with only PATH and the given variables in its environment. */
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

export function endPrograms(): void {
  for (const child of running) {
    child.kill("SIGKILL");
  }
}
