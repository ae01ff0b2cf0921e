import { type Logger, pino } from "pino";
import { describeBug } from "./describe-bug.js";
import type { LogDestination } from "./log-destination.js";

/** How grave a line has to be to be written. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "silent";

/** What a log is made of. */
export interface LogOptions {
  readonly level: LogLevel;
  readonly destination: LogDestination;
  /** The number of the worker process that writes; undefined when there is but one process. */
  readonly worker?: number | undefined;
}

/** The log of the service: one JSON object a line. */
export interface Log {
  /** For what happens now and then; each line is written at once. */
  readonly logger: Logger;
  /** For what happens with every request; lines are written several at a time. */
  readonly requests: Logger;
  /** Writes an exception that is a bug, with the full name of the method where it is known. Never throws. */
  reportBug(this: void, bug: unknown, method?: string): void;
}

/**
 * Makes the log. A line has its level as a word, its time in ISO 8601 and UTC, the process id and the number of the worker:
 * the rest (host, unit, container) is known to whoever collects the lines.
 */
export function createLog({ level, destination, worker }: LogOptions): Log {
  const options = {
    level,
    base: { pid: process.pid, ...(worker === undefined ? {} : { worker }) },
    timestamp: createTimestamp(),
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const logger = pino(options, {
    write: (line) => {
      destination.write(withoutControls(line));
      destination.flush();
    },
  });
  return {
    logger,
    requests: pino(options, { write: (line) => destination.write(withoutControls(line)) }),
    reportBug: (bug, method) =>
      logger.error({ ...(method === undefined ? {} : { method }), bug: describeBug(bug) }, "bug"),
  };
}

/** The control characters of ECMA-48 beyond ASCII, some of which begin commands as ESC does. JSON need not escape them. */
const CONTROLS = /[\u0080-\u009f]/g;

/** Escapes what a terminal may obey: a `User-Agent` can have any octet from 0x80 on. */
function withoutControls(line: string): string {
  // Most lines are ASCII, which is told in a tenth of the time.
  return Buffer.byteLength(line) === line.length
    ? line
    : line.replace(CONTROLS, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);
}

/** Makes what writes the member `time` of lines. Many have the same one, and to write a date takes a microsecond. */
function createTimestamp(): () => string {
  let written = "";
  let writtenAt = Number.NaN;
  return () => {
    const now = Date.now();
    if (now !== writtenAt) {
      writtenAt = now;
      written = `,"time":"${new Date(now).toISOString()}"`;
    }
    return written;
  };
}
