import cluster, { type Worker } from "node:cluster";
import { type Failure, fail, ok, type Result } from "../../result.js";
import type { Gathering, Respondent } from "./gather-answers.js";
import type { ToSupervisor, ToWorker } from "./messages.js";
import type { WorkerProcess } from "./supervisor.js";

/** A worker process that can be asked things. */
export interface ForkedWorker extends WorkerProcess, Respondent {}

/**
 * Starts a worker process with what this process was started with: program, arguments, Node's flags and environment.
 * `asked` is called when it wants to know something of all workers, and resolves to what they answer.
 */
export function forkWorker(
  environment: Readonly<Record<string, string>>,
  gathering: Gathering<ForkedWorker>,
  asked: (question: string) => Promise<readonly unknown[]>,
): ForkedWorker {
  let worker: Worker;
  try {
    worker = cluster.fork(environment);
  } catch (problem) {
    // Of what keeps a process from coming to be Node throws some, such as ENOMEM, and tells the rest later.
    return stillborn(problem instanceof Error ? problem.message : String(problem));
  }
  const name = `worker ${worker.process.pid ?? "that has no process"}`;
  const gone = endOf(worker);
  const send = (message: ToWorker): void => {
    if (worker.isConnected()) {
      // A worker that is gone by now is told of by its exit.
      worker.send(message, () => undefined);
    }
  };
  const attentive = new Promise<void>((resolve) => worker.once("message", () => resolve()));
  const started = new Promise<Result<string, Failure>>((resolve) => {
    worker.on("message", (message: ToSupervisor) => {
      switch (message.kind) {
        case "attentive":
          break;
        case "ready":
          resolve(ok(message.url));
          break;
        case "problem":
          resolve(fail("CANNOT_START", message.problem));
          break;
        case "ask":
          void asked(message.question).then((answers) => send({ kind: "answers", id: message.id, answers }));
          break;
        case "answer":
          gathering.answered(forked, message.id, message.answer);
          break;
        case "last":
          gathering.saidLast(forked, message.question, message.answer);
          break;
      }
    });
    void gone.then((how) => resolve(fail("ENDED", `${name} ended before it took requests: ${how}`)));
  });
  const forked: ForkedWorker = {
    name,
    started,
    gone,
    stop: () => void attentive.then(() => send({ kind: "stop" })),
    kill: () => worker.process.kill("SIGKILL"),
    ask: (id, question) => send({ kind: "question", id, question }),
  };
  // What a worker said last may be read after its end.
  const silent = new Promise((resolve) => worker.once("disconnect", resolve));
  void Promise.all([gone, silent]).then(() => gathering.gone(forked));
  return forked;
}

/** A worker that never came to be. */
function stillborn(problem: string): ForkedWorker {
  const nothing = (): void => undefined;
  return {
    name: "worker that has no process",
    started: Promise.resolve(fail("ENDED", problem)),
    gone: Promise.resolve(problem),
    stop: nothing,
    kill: nothing,
    ask: nothing,
  };
}

/** Resolves to how a worker's process ended, also when it never came to be. */
function endOf(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    worker.on("error", (error) => {
      if (worker.process.pid === undefined) {
        resolve(error.message);
      }
    });
    worker.on("exit", (code: number | null, signal: string | null) => resolve(signal ?? `exit code ${code}`));
  });
}
