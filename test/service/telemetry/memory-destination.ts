import type { LogDestination } from "../../../src/service/telemetry/log-destination.js";

/** A destination that keeps lines, and tells which of them have been flushed. */
export interface MemoryDestination extends LogDestination {
  /** All lines. */
  readonly lines: string[];
  /** How many lines had come when it was flushed last. */
  flushed(): number;
  /** All lines as the objects that they are. */
  entries(): Record<string, unknown>[];
}

/** Makes a destination in memory. */
export function memoryDestination(): MemoryDestination {
  const lines: string[] = [];
  let flushed = 0;
  return {
    lines,
    write: (line) => {
      lines.push(line);
    },
    flush: () => {
      flushed = lines.length;
    },
    close: () => {},
    flushed: () => flushed,
    entries: () => lines.map((line) => JSON.parse(line)),
  };
}
