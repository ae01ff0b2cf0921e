import { useCallback, useRef, useState } from "preact/hooks";
import type { ShownError } from "../kit/service/errors.js";
import { useTimer } from "../kit/timer.js";

/** The delay before the first automatic retry, in milliseconds. It doubles with each retry. */
const FIRST_DELAY = 1_000;
/** The longest delay before an automatic retry, in milliseconds, unless the service asks for a longer one. */
const MAX_DELAY = 30_000;
/** The longest delay that a timer of the page waits, in milliseconds. */
const MAX_TIMER = 3_600_000;
/** How long calls must succeed before the next delay is the first one again, in milliseconds. */
const CALM = 10_000;

/** Why no call succeeds at present, and when to try again. */
interface Trouble {
  readonly title: string;
  readonly text: string;
  /** Milliseconds until the next automatic retry. */
  readonly delay: number;
}

/**
 * Describes an error that every call would have at present.
 *
 * @param attempt the number of retries so far
 * @param isOnline whether the browser has a network; it may still not reach the service
 */
export function describeTrouble(
  { code, retryAfter }: Pick<ShownError, "code" | "retryAfter">,
  attempt: number,
  isOnline: boolean,
): Trouble {
  const backOff = Math.min(FIRST_DELAY * 2 ** attempt, MAX_DELAY);
  switch (code) {
    case "RESOURCE_EXHAUSTED": {
      const delay = Math.max(retryAfter ?? backOff, FIRST_DELAY);
      return {
        title: "Too many requests",
        text: `The service limits how many it accepts. The page continues in ${formatDelay(delay)}.`,
        delay: Math.min(delay, MAX_TIMER),
      };
    }
    case "DEADLINE_EXCEEDED":
      return {
        title: "The service takes too long to respond",
        text: "It may be busy. The page tries again by itself.",
        delay: backOff,
      };
    default:
      return {
        title: isOnline ? "The service does not respond" : "You are offline",
        text: "New answers need the service. The page tries again by itself.",
        delay: backOff,
      };
  }
}

const UNITS = [
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** Writes a time in the largest unit of which it has two or more. */
function formatDelay(milliseconds: number): string {
  const [unit, length] = UNITS.find((each) => milliseconds >= 2 * each[1]) ?? ["second", 1_000];
  const count = Math.ceil(milliseconds / length);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/**
 * Keeps track of errors that every call would have. Retries with growing delays until a call succeeds. `trouble` is undefined if the
 * last call succeeded, `note` is called with such an error, or with undefined after a success, and `retry` sends the failed calls again.
 */
export function useServiceTrouble() {
  const [error, setError] = useState<ShownError>();
  const [retries, setRetries] = useState(0);
  const attempt = useRef(0);
  const hasFailed = useRef(false);
  const trouble = error && describeTrouble(error, attempt.current, navigator.onLine);
  const delay = trouble?.delay;

  const retry = useCallback(() => {
    attempt.current += 1;
    setRetries((count) => count + 1);
  }, []);
  const note = useCallback((next: ShownError | undefined) => {
    if (next === undefined && hasFailed.current) {
      // The service responds again, and the timer stops: calls that wait are sent now.
      setRetries((count) => count + 1);
    }
    hasFailed.current = next !== undefined;
    setError(next);
  }, []);
  const calm = () => {
    attempt.current = 0;
  };
  // Each error starts a new delay.
  useTimer(delay ?? CALM, delay === undefined ? calm : retry, [error, retries]);
  return { trouble, retries, note, retry };
}

interface TroubleNoticeProps {
  readonly trouble: Trouble;
  readonly onRetry: () => void;
}

/** Says above the panel that no call succeeds at present. What the panel shows stays. */
export function TroubleNotice({ trouble, onRetry }: TroubleNoticeProps) {
  return (
    <div class="row spread notice trouble" role="alert">
      <p>
        <strong>{trouble.title}</strong> {trouble.text}
      </p>
      <button type="button" class="quiet" onClick={onRetry}>
        Retry
      </button>
    </div>
  );
}
