import type { DescService, Registry } from "@bufbuild/protobuf";
import type { Comments } from "connect-transcoding/openapi";
import type { Failure, Result } from "../result.js";
import type { CallMethod } from "./call-method.js";
import type { ExitStatus } from "./exit-status.js";
import type { RemoteOptions } from "./remote-options.js";
import type { Sink } from "./sink.js";
import type { Modules } from "./terminal-qr-code.js";

/** Standard input. */
export interface Input {
  readonly isTerminal: boolean;
  /** Octets that there are to read; undefined where nobody knows. */
  readonly size: number | undefined;
  readonly pieces: AsyncIterable<Buffer>;
}

/** An output that may be a terminal. */
export interface Output {
  readonly isTerminal: boolean;
  /** Columns of the terminal; undefined where there is none. */
  readonly width: number | undefined;
  readonly sink: Sink;
}

/** Why there is nobody to call, and what the program ends with. */
export interface NotOpened extends Failure {
  readonly status: ExitStatus;
}

/** What commands know of the world. */
export interface Program {
  readonly version: string;
  readonly comments: Comments;
  /** All types, for what `google.protobuf.Any` holds. */
  readonly registry: Registry;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Input;
  readonly out: Output;
  readonly err: Output;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Opens a file to write to. */
  readonly openFile: (path: string) => Sink;
  /** Makes ready to answer calls of a service in this process. */
  readonly openHere: (service: DescService) => Promise<Result<CallMethod, NotOpened>>;
  /** Makes ready to call a running service. */
  readonly openService: (options: RemoteOptions) => Promise<CallMethod>;
  /** The QR code of a text; undefined where it is too long for one. */
  readonly qrCode: (text: string) => Modules | undefined;
}
