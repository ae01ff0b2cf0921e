import { type ConnectionStage, Stage } from "../../port/stage.js";
import { ErrorCode } from "../frames/frames.js";
import type { Http2RequestConnection, Http2Stream } from "./stream.js";
import { StreamTable } from "./stream-table.js";

/** Streams that were reset of late, by either side, whose frames may still be in transit (RFC 9113, section 5.1). */
const MAX_REMEMBERED = 256;

/**
 * Milliseconds that a client has to end its request after the response. A reset that arrives together with a response makes
 * some clients discard the response, among them curl 7.88.
 */
const RESET_DELAY = 100;

/** What the streams need of their connection. */
export interface StreamsConnection extends Http2RequestConnection {
  /** Whether the server has sent the GOAWAY after which it accepts no more streams. */
  readonly isClosing: boolean;
  closeIfUnused(): void;
  /** Called when a request and its response are complete, which raises the limits of resets and idle frames. */
  onComplete(): void;
  /** Counts a reset that the client has caused. Other streams may belong to other clients of a proxy, and are served. */
  countReset(): void;
}

/** The streams of a connection, and how they end. */
export class Streams {
  latestId = 0;
  open = 0;
  readonly #connection: StreamsConnection;
  readonly #table = new StreamTable<Http2Stream>();
  /** By ID: the side that has reset the stream. */
  #reset: Map<number, "client" | "server"> | undefined;
  /** Whether some have been forgotten, so that a frame on any closed stream may have been in transit. */
  #hasForgotten = false;

  constructor(connection: StreamsConnection) {
    this.#connection = connection;
  }

  get(id: number): Http2Stream | undefined {
    return this.#table.get(id);
  }

  /** All streams, as of the call. */
  values(): Http2Stream[] {
    return this.#table.values();
  }

  /** How far the most advanced stream is. */
  get stage(): ConnectionStage {
    let stage: ConnectionStage = Stage.HEAD;
    for (const stream of this.#table.values()) {
      if (stream.stage > stage) {
        stage = stream.stage;
      }
    }
    return stage;
  }

  /** Adds a stream that is counted already, once it is clear that it stays open. */
  add(stream: Http2Stream): void {
    this.#table.add(stream);
    this.#connection.hold(stream.head.requestBytes);
  }

  /** Whether the client has not opened a stream. After a GOAWAY, later streams are ignored instead (RFC 9113, section 6.8). */
  isIdle(id: number): boolean {
    return id > this.latestId && !this.#connection.isClosing;
  }

  /** Which side has reset a stream of late; undefined if none has. The server, if that is no longer known. */
  resetBy(id: number): "client" | "server" | undefined {
    return this.#reset?.get(id) ?? (this.#hasForgotten ? "server" : undefined);
  }

  /** Called when the end of a response has been sent. */
  onSent(stream: Http2Stream): void {
    if (stream.isEnded) {
      this.complete(stream);
    } else {
      stream.isSent = true;
      // The client need not send the rest (RFC 9113, section 8.1).
      const timer = setTimeout(() => this.reset(stream, ErrorCode.NO_ERROR), RESET_DELAY);
      stream.onClose(() => clearTimeout(timer));
    }
  }

  complete(stream: Http2Stream): void {
    this.#connection.onComplete();
    this.close(stream);
  }

  /** Resets a stream that is not closed, without blaming the client. */
  reset(stream: Http2Stream, code: number): void {
    if (!stream.isClosed) {
      this.#sendReset(stream.id, code);
      this.close(stream);
    }
  }

  /** Resets a stream because of an error of the client (RFC 9113, section 5.4.2). */
  fail(stream: Http2Stream, code: number): void {
    this.reset(stream, code);
    this.#connection.countReset();
  }

  /** Rejects a stream that has not been created. */
  reject(id: number, code: number): void {
    this.#sendReset(id, code);
    this.#connection.countReset();
  }

  onReset(stream: Http2Stream): void {
    this.#remember(stream.id, "client");
    this.close(stream);
  }

  close(stream: Http2Stream): void {
    this.open -= 1;
    if (this.#table.delete(stream.id)) {
      this.#connection.hold(-stream.head.requestBytes);
    }
    this.#connection.sender.discard(stream);
    stream.close();
    this.#connection.closeIfUnused();
  }

  closeAll(): void {
    for (const stream of this.#table.values()) {
      this.close(stream);
    }
  }

  #sendReset(id: number, code: number): void {
    this.#remember(id, "server");
    this.#connection.sender.reset(id, code);
  }

  #remember(id: number, side: "client" | "server"): void {
    this.#reset ??= new Map();
    this.#reset.set(id, side);
    if (this.#reset.size > MAX_REMEMBERED) {
      const [oldest = 0] = this.#reset.keys();
      this.#reset.delete(oldest);
      this.#hasForgotten = true;
    }
  }
}
