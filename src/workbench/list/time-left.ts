import type { ListProgress } from "./work/list-work.js";

/** The progress of a run, and when it started, in milliseconds since 1970. */
export interface RunProgress extends ListProgress {
  readonly startedAt: number;
}

/** How long a run must last before the rest is estimated, in milliseconds. */
const MIN_ELAPSED = 1_500;

/**
 * Estimates how long a run still takes, in words, from its time so far: "about 40 seconds left". Returns "" if it is too early to
 * tell.
 *
 * @param now milliseconds since 1970
 */
export function timeLeft(
  { done, total, doneBefore, startedAt }: Pick<RunProgress, "done" | "total" | "doneBefore" | "startedAt">,
  now: number,
): string {
  const elapsed = now - startedAt;
  if (elapsed < MIN_ELAPSED || done === doneBefore || done >= total) {
    return "";
  }
  const seconds = ((elapsed / (done - doneBefore)) * (total - done)) / 1_000;
  const [count, unit] =
    seconds < 5
      ? [0, ""]
      : seconds < 90
        ? [Math.ceil(seconds / 5) * 5, "second"]
        : seconds < 5_400
          ? [Math.round(seconds / 60), "minute"]
          : [Math.round(seconds / 3_600), "hour"];
  return unit === "" ? "a few seconds left" : `about ${count} ${unit}${count === 1 ? "" : "s"} left`;
}
