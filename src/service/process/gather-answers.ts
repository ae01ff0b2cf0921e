/** Somebody who can be asked something. */
export interface Respondent {
  /** Sends a question, which `answered` is called with the id of. */
  ask(id: number, question: string): void;
}

/**
 * The questions whose answers outlast those who gave them, as counts do. Each has the function that adds what one who is
 * gone said last to what is left of those before, which is undefined at first.
 */
export type LastingQuestions = ReadonlyMap<string, (before: unknown, last: unknown) => unknown>;

/** Asks several at once and gathers what they answer. */
export interface Gathering<R extends Respondent> {
  /**
   * Resolves to what was answered when the last has answered or is gone, or when time is up. The answers to a lasting
   * question are the latest of all who ever gave one: those who give none in time stand by what they said before, and one more
   * answer is what is left of those who are gone.
   */
  ask(respondents: Iterable<R>, question: string): Promise<readonly unknown[]>;
  answered(respondent: R, id: number, answer: unknown): void;
  /** What somebody who is about to go would answer from now on. */
  saidLast(respondent: R, question: string, answer: unknown): void;
  /** Nothing more will come from this one. */
  gone(respondent: R): void;
}

/** One question that has not been answered by all. */
interface Round<R> {
  readonly question: string;
  readonly waitingFor: Set<R>;
  readonly answers: unknown[];
  readonly settle: () => void;
}

/** What is known of the answers to a lasting question. */
interface Memory<R> {
  readonly add: (before: unknown, last: unknown) => unknown;
  /** Of those who are not gone. */
  readonly latest: Map<R, unknown>;
  left: unknown;
}

/** Makes a gathering whose rounds take `timeLimit` milliseconds at most. `schedule` returns what cancels. */
export function createGathering<R extends Respondent>(
  timeLimit: number,
  schedule: (run: () => void, delay: number) => () => void,
  lasting: LastingQuestions,
): Gathering<R> {
  const rounds = new Map<number, Round<R>>();
  const memories = new Map(
    [...lasting].map(([question, add]): [string, Memory<R>] => [
      question,
      { add, latest: new Map(), left: undefined },
    ]),
  );
  let lastId = 0;

  function strike(round: Round<R>, respondent: R): void {
    if (round.waitingFor.delete(respondent) && round.waitingFor.size === 0) {
      round.settle();
    }
  }

  function lastingAnswers({ latest, left }: Memory<R>): unknown[] {
    return left === undefined ? [...latest.values()] : [...latest.values(), left];
  }

  return {
    ask: (respondents, question) =>
      new Promise((resolve) => {
        const id = ++lastId;
        const answers: unknown[] = [];
        const waitingFor = new Set(respondents);
        const settle = (): void => {
          cancel();
          rounds.delete(id);
          const memory = memories.get(question);
          resolve(memory === undefined ? answers : lastingAnswers(memory));
        };
        const cancel = schedule(settle, timeLimit);
        rounds.set(id, { question, waitingFor, answers, settle });
        for (const respondent of [...waitingFor]) {
          respondent.ask(id, question);
        }
        if (waitingFor.size === 0) {
          settle();
        }
      }),
    answered: (respondent, id, answer) => {
      const round = rounds.get(id);
      if (round?.waitingFor.has(respondent)) {
        round.answers.push(answer);
        memories.get(round.question)?.latest.set(respondent, answer);
        strike(round, respondent);
      }
    },
    saidLast: (respondent, question, answer) => {
      memories.get(question)?.latest.set(respondent, answer);
    },
    gone: (respondent) => {
      for (const memory of memories.values()) {
        if (memory.latest.has(respondent)) {
          memory.left = memory.add(memory.left, memory.latest.get(respondent));
          memory.latest.delete(respondent);
        }
      }
      for (const round of [...rounds.values()]) {
        strike(round, respondent);
      }
    },
  };
}
