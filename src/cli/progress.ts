import type { Style } from "./style.js";

/** Tells a person at a terminal how far many inputs have come. */
export interface Progress {
  /** `count` inputs are done, for which `octets` were read. */
  update(count: number, octets: number): void;
  /** Takes the line away, so that something else can be written. */
  clear(): void;
}

/** What a progress is shown with. */
export interface ProgressOptions {
  readonly write: (text: string) => void;
  /** Milliseconds, of any clock that does not jump. */
  readonly now: () => number;
  /** Octets that there are to read; undefined where nobody knows. */
  readonly size: number | undefined;
  /** Columns of the terminal. */
  readonly width: number;
  readonly style: Style;
}

/** Milliseconds that work goes on before anything is shown, and between two pictures. */
const PATIENCE = 500;
const INTERVAL = 100;
const ERASE_LINE = "\r\u001b[2K";
const BAR_WIDTH = 24;

/** A progress on one line: a bar and per cent where the size is known, and always count and rate. */
export function createProgress({ write, now, size, width, style }: ProgressOptions): Progress {
  const started = now();
  let shownAt = started + PATIENCE - INTERVAL;
  let isShown = false;
  return {
    update(count, octets) {
      const time = now();
      if (time - shownAt < INTERVAL) {
        return;
      }
      shownAt = time;
      isShown = true;
      const text = progressText(count, (count * 1000) / (time - started), size && Math.min(1, octets / size));
      write(ERASE_LINE + style.dim(text.slice(0, width - 1)));
    },
    clear() {
      if (isShown) {
        write(ERASE_LINE);
        isShown = false;
      }
    },
  };
}

/** `done` is the part of the input that was read, from 0 to 1. */
function progressText(count: number, rate: number, done: number | undefined): string {
  const numbers = `${count.toLocaleString("en")} done, ${Math.round(rate).toLocaleString("en")}/s`;
  if (done === undefined) {
    return numbers;
  }
  const filled = Math.round(done * BAR_WIDTH);
  const percent = `${Math.floor(done * 100)}`.padStart(3);
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${percent} %  ${numbers}`;
}
