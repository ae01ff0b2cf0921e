import type { DestinationStream } from "pino";

/** A destination that keeps lines in memory. */
export interface MemoryDestination extends DestinationStream {
  readonly lines: string[];
  /** Returns the objects that the lines contain. */
  entries(): Record<string, unknown>[];
}

export function memoryDestination(): MemoryDestination {
  const lines: string[] = [];
  return {
    lines,
    write: (line) => {
      lines.push(line);
    },
    entries: () => lines.map((line) => JSON.parse(line)),
  };
}
