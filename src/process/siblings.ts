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
}

/**
 * The siblings of a worker. `send` sends to the supervisor; a question of which nothing comes back – the supervisor is
 * gone – is answered after `timeLimit` milliseconds with what this worker knows.
 */
export function supervisedSiblings(
  send: (message: ToSupervisor) => void,
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
