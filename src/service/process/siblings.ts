import { setTimeout as wait } from "node:timers/promises";
import type { ToSupervisor, ToWorker } from "./messages.js";

/**
 * The workers that serve together, of which this process is one. Questions are names that both ends know; answers are
 * JSON values, for they travel from process to process.
 */
export interface Siblings {
  /** Says how this worker answers a question. */
  answer(question: string, how: () => unknown): void;
  /**
   * Asks all workers, this one among them, and resolves to the answers of those that gave one in time, in no order. A
   * worker that does not know the question, or fails to answer it, gives none. Never rejects.
   */
  askAll(question: string): Promise<readonly unknown[]>;
}

/** The siblings of a process that has none. */
export function noSiblings(): Siblings {
  const answers = new Map<string, () => unknown>();
  return {
    answer: (question, how) => answers.set(question, how),
    askAll: async (question) => answersOf(answers.get(question)),
  };
}

/** Siblings that are reached through a supervisor. */
export interface SupervisedSiblings extends Siblings {
  /** Takes what the supervisor said, as far as it is about questions. */
  onMessage(message: ToWorker): void;
  /**
   * Says what this worker would answer from now on, for it is about to end. Resolves when that is on its way, or after
   * `timeLimit` milliseconds. Never rejects.
   */
  sayLast(timeLimit: number): Promise<void>;
}

/**
 * The siblings of a worker. `send` sends to the supervisor, and calls back when that is done; a question of which nothing comes back – the supervisor is
 * gone – is answered after `timeLimit` milliseconds with what this worker knows.
 */
export function supervisedSiblings(
  send: (message: ToSupervisor, done?: () => void) => void,
  timeLimit: number,
): SupervisedSiblings {
  const answers = new Map<string, () => unknown>();
  const waiting = new Map<number, (answers: readonly unknown[]) => void>();
  let lastId = 0;
  return {
    answer: (question, how) => answers.set(question, how),
    askAll: (question) =>
      new Promise((resolve) => {
        const id = ++lastId;
        const settle = (given: readonly unknown[]): void => {
          waiting.delete(id);
          clearTimeout(timer);
          resolve(given);
        };
        const timer = setTimeout(() => void answersOf(answers.get(question)).then(settle), timeLimit);
        waiting.set(id, settle);
        send({ kind: "ask", id, question });
      }),
    onMessage: (message) => {
      if (message.kind === "answers") {
        waiting.get(message.id)?.(message.answers);
      } else if (message.kind === "question") {
        const { id, question } = message;
        void answersOf(answers.get(question)).then((given) => {
          for (const answer of given) {
            send({ kind: "answer", id, answer });
          }
        });
      }
    },
    sayLast: async (limit) => {
      const said = [...answers].map(async ([question, how]) => {
        for (const answer of await answersOf(how)) {
          await new Promise<void>((resolve) => send({ kind: "last", question, answer }, resolve));
        }
      });
      const giveUp = new AbortController();
      await Promise.race([
        Promise.all(said),
        wait(limit, undefined, { signal: giveUp.signal }).catch(() => undefined),
      ]);
      giveUp.abort();
    },
  };
}

/** One answer, or none where there is nobody who knows or it fails. */
async function answersOf(how: (() => unknown) | undefined): Promise<unknown[]> {
  if (how === undefined) {
    return [];
  }
  try {
    return [await how()];
  } catch {
    return [];
  }
}
