import { writeSync } from "node:fs";

/** Where lines of the log go. */
export interface LogDestination {
  /** Takes one line with its end; may keep it for a while. */
  write(line: string): void;
  /** Writes what is kept before it returns, as far as the destination takes it. */
  flush(): void;
  /** Flushes for the last time: the process's exit will not. */
  close(): void;
}

/** Writes to a file descriptor; returns how many octets it took. */
type Write = (fd: number, octets: Uint8Array) => number;

/**
 * A write of up to this many octets to a pipe is never mixed with those of other processes (PIPE_BUF of Linux), so that
 * workers can share one.
 */
const MAX_WRITE = 4096;
/** Lines that cannot be written are kept up to this many octets, and dropped beyond. */
const MAX_KEPT = 1024 * 1024;
/** A line waits no longer than this, in milliseconds. */
const FLUSH_INTERVAL = 1000;
/** How often a pipe that is full is tried again when the process exits, and how many milliseconds apart. */
const TRIES_AT_EXIT = 10;
const WAIT_AT_EXIT = 100;

/**
 * Writes lines to standard output. A pipe there does not block once Node has been asked for `process.stdout`, so that a reader
 * that stands still holds up nobody.
 */
export function openStandardOutput(): LogDestination {
  return openLogDestination(process.stdout.fd);
}

/**
 * Writes lines to a file descriptor: several at once, at the latest a second after they came, and when the process exits,
 * however it does so short of SIGKILL. Writes are synchronous, since what is under way in another thread when the process
 * exits may be lost; there is one for some fifteen lines. That a pipe is full or closed, or a disk full, is no reason to
 * stop serving: what cannot be written is tried again with the lines that follow.
 */
export function openLogDestination(fd: number, writeTo: Write = writeSync): LogDestination {
  /** Whole lines, in pieces that can be written at once. */
  const full: string[] = [];
  let filling = "";
  let fillingSize = 0;
  /** What is left of a piece that was written in part. */
  let rest: Buffer | undefined;
  let keptSize = 0;

  function closePiece(): void {
    if (filling !== "") {
      full.push(filling);
      filling = "";
      fillingSize = 0;
    }
  }

  function nextPiece(): Buffer | undefined {
    if (full.length === 0) {
      closePiece();
    }
    const piece = full.shift();
    return piece === undefined ? undefined : Buffer.from(piece);
  }

  /** Whether all is written, or it makes sense to try again. */
  function writeAll(): "done" | "busy" | "failed" {
    for (rest ??= nextPiece(); rest !== undefined; rest ??= nextPiece()) {
      try {
        const written = writeTo(fd, rest);
        keptSize -= written;
        rest = written < rest.length ? rest.subarray(written) : undefined;
      } catch (thrown) {
        return thrown instanceof Error && "code" in thrown && thrown.code === "EAGAIN" ? "busy" : "failed";
      }
    }
    return "done";
  }

  function writeAtExit(): void {
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let tries = 0; writeAll() === "busy" && tries < TRIES_AT_EXIT; tries++) {
      Atomics.wait(clock, 0, 0, WAIT_AT_EXIT);
    }
  }

  const timer = setInterval(writeAll, FLUSH_INTERVAL);
  timer.unref();
  process.once("exit", writeAtExit);

  return {
    write: (line) => {
      const size = Buffer.byteLength(line);
      if (keptSize + size > MAX_KEPT) {
        return;
      }
      if (fillingSize + size > MAX_WRITE) {
        closePiece();
        writeAll();
      }
      filling += line;
      fillingSize += size;
      keptSize += size;
    },
    flush: () => {
      writeAll();
    },
    close: () => {
      clearInterval(timer);
      process.off("exit", writeAtExit);
      writeAtExit();
    },
  };
}
