import { EXIT, type ExitStatus } from "../failures/exit-status.js";

/** Input cannot be used, or output cannot be written. */
export class StreamError extends Error {
  readonly status: ExitStatus;
  /** Whether the reader of the output has closed its end (EPIPE), which is not an error of this program. */
  readonly isReaderGone: boolean;

  constructor(message: string, status: ExitStatus = EXIT.io, cause?: unknown, isReaderGone = false) {
    super(message, { cause });
    this.name = "StreamError";
    this.status = status;
    this.isReaderGone = isReaderGone;
  }
}
