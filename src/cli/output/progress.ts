import type { Style } from "./terminal.js";

/** Shows the progress of many inputs on a terminal. */
export type Progress = ReturnType<typeof createProgress>;

export interface ProgressOptions {
  readonly write: (text: string) => void;
  /** Returns milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** The length of the input in bytes; undefined: unknown. */
  readonly size: number | undefined;
  /** Columns of the terminal. */
  readonly width: number;
  readonly style: Style;
}

/** Milliseconds before the progress is shown, and between updates. */
const SHOW_AFTER = 500;
const INTERVAL = 100;
const ERASE_LINE = "\r\u001b[2K";
const BAR_WIDTH = 24;

/** Creates a progress on one line: count and rate, with a bar, per cent and the time left if the size is known. */
export function createProgress({ write, now, size, width, style }: ProgressOptions) {
  const started = now();
  const line = createStatusLine(write, now, SHOW_AFTER);
  const shown = (text: string) => style.dim(text.slice(0, width - 1));
  return {
    /** Called when `count` inputs are done and `bytes` bytes of the input have been read. */
    update: (count: number, bytes: number): void =>
      line.update((time) => shown(progressText(count, time - started, size && Math.min(1, bytes / size)))),
    /** Called when the work waits for some milliseconds, because of a rate limit. */
    wait: (ms: number): void => line.show(shown(`waiting ${durationText(ms)} for the rate limit`)),
    clear: line.clear,
  };
}

/**
 * Creates a line that is shown some milliseconds after its creation, and changes ten times a second at most.
 *
 * @param now returns milliseconds of a monotonic clock
 */
export function createStatusLine(write: (text: string) => void, now: () => number, showAfter: number) {
  let shownAt = now() + showAfter - INTERVAL;
  let isShown = false;
  /** Shows a text at once. */
  function show(text: string): void {
    shownAt = now();
    isShown = true;
    write(ERASE_LINE + text);
  }
  return {
    show,
    /** Shows a text, unless the last one was shown only just. `textAt` is called with the time if it is shown. */
    update(textAt: (time: number) => string): void {
      const time = now();
      if (time - shownAt >= INTERVAL) {
        show(textAt(time));
      }
    },
    /** Removes the line, so that something else can be written. */
    clear(): void {
      if (isShown) {
        write(ERASE_LINE);
        isShown = false;
      }
    },
  };
}

/** @param done the part of the input that has been read, from 0 to 1 */
function progressText(count: number, elapsed: number, done: number | undefined): string {
  const rate = Math.round((count * 1000) / elapsed).toLocaleString("en");
  const numbers = `${count.toLocaleString("en")} done, ${rate}/s`;
  if (done === undefined) {
    return numbers;
  }
  const filled = Math.round(done * BAR_WIDTH);
  const percent = `${Math.floor(done * 100)}`.padStart(3);
  const left = done > 0 && done < 1 ? `, ${durationText((elapsed * (1 - done)) / done)} left` : "";
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${percent} %  ${numbers}${left}`;
}

/** A duration for people: `12 s`, `3 min` or `2 h`. */
function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) {
    return `${seconds} s`;
  }
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
