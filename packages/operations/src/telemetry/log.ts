import { knownOptions } from "@utility-tools/http-server/portable";
import { type DestinationStream, type Logger, pino } from "pino";
import { describeBug } from "./describe-bug.js";

/** The least severe level that is written. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "silent";

/** The options of {@link createLog}. */
export interface LogOptions {
  readonly level: LogLevel;
  readonly destination: DestinationStream;
  /** The number of the worker process; undefined when there is only one process. */
  readonly worker?: number | undefined;
}

/** The log of the service: one JSON object per line. */
export interface Log {
  readonly logger: Logger;
  /** Writes an exception that is a bug, with the full name of the method if it is known. Never throws. */
  reportBug(this: void, bug: unknown, method?: string): void;
}

/**
 * Creates the log. A line has its level as a word, its time in ISO 8601 and UTC, the process id and the number of the
 * worker. Host, unit and container are added by whatever collects the lines.
 */
export function createLog(options: LogOptions): Log {
  const { level, destination, worker } = knownOptions("createLog", options, {
    level: true,
    destination: true,
    worker: true,
  });
  const logger = pino(
    {
      level,
      base: { pid: process.pid, ...(worker === undefined ? {} : { worker }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }) },
      hooks: { streamWrite: withoutControls },
    },
    destination,
  );
  return {
    logger,
    reportBug: (bug, method) =>
      logger.error({ ...(method === undefined ? {} : { method }), bug: describeBug(bug) }, "bug"),
  };
}

/** The control characters of ECMA-48 beyond ASCII. Some begin commands, as ESC does, and JSON need not escape them. */
const CONTROLS = /[\u0080-\u009f]/g;

/** Escapes terminal control characters: a `User-Agent` can contain any byte from 0x80 on. */
function withoutControls(line: string): string {
  return line.replace(CONTROLS, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);
}

/** A pipe takes a write of up to this many bytes (PIPE_BUF of Linux) as a whole, so that workers can share one. */
const MAX_WRITE = 4096;
/** Lines that cannot be written are kept up to this many bytes, and dropped beyond. */
const MAX_KEPT = 1024 * 1024;
/** How often, and how many milliseconds apart, kept lines are tried again when the process exits. */
const TRIES_AT_EXIT = 10;
const WAIT_AT_EXIT = 100;

/**
 * Opens standard output, or another file descriptor, for the log. Each line is written synchronously: what another thread
 * still has to write when the process exits may be lost. A full or closed pipe or a full disk neither blocks nor stops the
 * service: the lines are kept and written with the next ones.
 */
export function openStandardOutput(fd: number = process.stdout.fd): DestinationStream {
  const destination = pino.destination({
    fd,
    sync: true,
    maxWrite: MAX_WRITE,
    maxLength: MAX_KEPT,
    // By default the destination waits, and the process with it.
    retryEAGAIN: () => false,
  });
  let isBehind = false;
  destination.on("error", () => {
    isBehind = true;
  });
  process.once("exit", () => {
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let tries = 0; isBehind && tries < TRIES_AT_EXIT; tries++) {
      isBehind = false;
      destination.write("");
      if (isBehind) {
        Atomics.wait(clock, 0, 0, WAIT_AT_EXIT);
      }
    }
  });
  return destination;
}
