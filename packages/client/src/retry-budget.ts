/** How many retries a client has at the most, and how many answers earn one. */
const SIZE = 100;
const ANSWERS_A_RETRY = 10;

/** What retries are paid from. */
export interface RetryBudget {
  /** An answer came. */
  earn(): void;
  /** Takes one retry, if there is one. */
  spend(): boolean;
}

/**
 * Bounds the retries of all calls of a client together: a hundred at once, and in the long run one for ten answers. While a
 * service is down, callers thus add a tenth to its load rather than multiplying it. gRPC has it as retry throttling (proposal
 * A6).
 */
export function createRetryBudget(): RetryBudget {
  let answers = SIZE * ANSWERS_A_RETRY;
  return {
    earn() {
      answers = Math.min(SIZE * ANSWERS_A_RETRY, answers + 1);
    },
    spend() {
      if (answers < ANSWERS_A_RETRY) {
        return false;
      }
      answers -= ANSWERS_A_RETRY;
      return true;
    },
  };
}
