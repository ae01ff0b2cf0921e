/** Somebody who can be asked something. */
export interface Respondent {
  /** Sends a question, which `answered` is called with the id of. */
  ask(id: number, question: string): void;
}

/** Asks several at once and gathers what they answer. */
export interface Gathering<R extends Respondent> {
  /** Resolves to what was answered when the last has answered or is gone, or when time is up. */
  ask(respondents: Iterable<R>, question: string): Promise<readonly unknown[]>;
  answered(respondent: R, id: number, answer: unknown): void;
  /** Nothing more will come from this one. */
  gone(respondent: R): void;
}

/** One question that has not been answered by all. */
interface Round<R> {
  readonly waitingFor: Set<R>;
  readonly answers: unknown[];
  readonly settle: () => void;
}

/** Makes a gathering whose rounds take `timeLimit` milliseconds at most. `schedule` returns what cancels. */
export function createGathering<R extends Respondent>(
  timeLimit: number,
  schedule: (run: () => void, delay: number) => () => void,
): Gathering<R> {
  const rounds = new Map<number, Round<R>>();
  let lastId = 0;

  function strike(round: Round<R>, respondent: R): void {
    if (round.waitingFor.delete(respondent) && round.waitingFor.size === 0) {
      round.settle();
    }
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
          resolve(answers);
        };
        const cancel = schedule(settle, timeLimit);
        rounds.set(id, { waitingFor, answers, settle });
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
        strike(round, respondent);
      }
    },
    gone: (respondent) => {
      for (const round of [...rounds.values()]) {
        strike(round, respondent);
      }
    },
  };
}
