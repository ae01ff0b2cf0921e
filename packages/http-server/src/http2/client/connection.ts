import type { Socket } from "node:net";
import { copyOf, joined } from "../../core/copy-of.js";
import type { SectionLimits } from "../../core/rules.js";
import type { HeaderList } from "../../request.js";
import { FrameFlag, FrameType, Http2Setting, MAX_UINT31, PREFACE } from "../frames/frames.js";
import { OutputBuffer } from "../output-buffer.js";
import { Sender, type SendingConnection } from "../sender.js";
import { StreamTable } from "../streams/stream-table.js";
import { ADDED_WINDOW, type ResponseConnection, ResponseFrames } from "./response-frames.js";
import { ClientStream, type ResponseListener } from "./stream.js";

/** The limits of the header sections of responses. */
const LIMITS: SectionLimits = { maxHeaderBytes: 64 * 1024, maxHeaderFields: 256 };

/** How long a server can take to receive the last bytes of a connection, in milliseconds. */
const LINGER = 1_000;

export interface ConnectionListener {
  /** Called when the server has sent its first SETTINGS. Before that, no request can be sent. */
  onReady(): void;
  /** Called when a request has ended, so that another one can begin. */
  onRoom(): void;
  /** Called once when no more requests can begin. Those in progress go on. */
  onRetire(): void;
  /** Called when the connection has closed, after its streams. */
  onClose(problem: Error | undefined): void;
}

/** An HTTP/2 connection of a client on a socket of `node:net` or `node:tls` that is connected. */
export class ClientConnection implements SendingConnection<ClientStream>, ResponseConnection {
  readonly socket: Socket;
  readonly sender: Sender<ClientStream>;
  readonly streams: StreamTable<ClientStream> = new StreamTable<ClientStream>();
  open = 0;
  maxStreams: number = Number.POSITIVE_INFINITY;
  nextId = 1;
  isReady = false;
  isOver = false;
  /** Whether no more requests can begin, for example after a GOAWAY. */
  isRetired = false;
  /** The time of `performance.now()` at which something was received. */
  receivedAt: number = performance.now();
  readonly #listener: ConnectionListener;
  readonly #frames: ResponseFrames;
  #rest: Buffer | undefined;
  #problem: Error | undefined;

  constructor(socket: Socket, listener: ConnectionListener) {
    this.socket = socket;
    this.#listener = listener;
    this.sender = new Sender<ClientStream>(this, new OutputBuffer(), setImmediate);
    this.#frames = new ResponseFrames(this, LIMITS);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("drain", () => this.#onDrain());
    socket.on("error", (error) => {
      this.#problem ??= error;
    });
    socket.on("end", () => this.destroy());
    socket.on("close", () => this.#onClose());
    this.#greet();
  }

  /** Whether a request can begin. */
  get hasRoom(): boolean {
    return this.isReady && !this.isRetired && !this.isOver && this.open < this.maxStreams;
  }

  /**
   * Begins a request. Only call it if `hasRoom`. Throws a TypeError, and sends nothing, for an invalid header.
   *
   * @param pseudoHeaders from `encodePseudoHeaders`
   */
  request(pseudoHeaders: Uint8Array, headers: HeaderList, listener: ResponseListener): ClientStream {
    const id = this.nextId;
    this.sender.section(id, pseudoHeaders, headers, 0);
    this.nextId += 2;
    const stream = new ClientStream(this, id, listener);
    this.streams.add(stream);
    this.open += 1;
    if (this.nextId > MAX_UINT31) {
      this.#retire();
    }
    return stream;
  }

  /** Sends a PING, whose answer changes `receivedAt`. */
  ping(): void {
    this.sender.control(FrameType.PING, 0, 0, Buffer.alloc(8));
  }

  destroy(problem?: Error): void {
    this.#problem ??= problem;
    this.isOver = true;
    this.socket.destroy();
  }

  fail(code: number, problem: string): void {
    if (!this.isOver) {
      this.sender.goaway(0, code, problem);
      this.#problem ??= new Error(problem);
      this.#end();
    }
  }

  #end(): void {
    this.sender.flush();
    this.socket.destroySoon();
    const timer = setTimeout(() => this.socket.destroy(), LINGER);
    this.socket.once("close", () => clearTimeout(timer));
    this.#closeStreams();
  }

  #closeStreams(): void {
    this.isOver = true;
    this.#retire();
    for (const stream of this.streams.values()) {
      stream.onClose({ kind: "closed" });
    }
  }

  onSettings(): void {
    this.sender.control(FrameType.SETTINGS, FrameFlag.ACK, 0, Buffer.alloc(0));
    this.sender.resume();
    if (this.isOver) {
      return;
    }
    if (this.isReady) {
      this.#listener.onRoom();
    } else {
      this.isReady = true;
      this.#listener.onReady();
    }
  }

  onGoaway(lastId: number): void {
    this.#retire();
    for (const stream of this.streams.values()) {
      if (stream.id > lastId) {
        stream.onClose({ kind: "refused" });
      }
    }
    this.#closeIfUnused();
  }

  #retire(): void {
    if (!this.isRetired) {
      this.isRetired = true;
      this.#listener.onRetire();
    }
  }

  onSent(stream: ClientStream): void {
    stream.onSent();
  }

  /** What a client sends is bounded by those who write it. */
  updateBudget(): void {}

  onStreamClose(stream: ClientStream): void {
    this.sender.discard(stream);
    this.streams.delete(stream.id);
    this.open -= 1;
    this.#closeIfUnused();
    if (!this.isOver) {
      this.#listener.onRoom();
    }
  }

  #closeIfUnused(): void {
    if (this.isRetired && this.open === 0 && !this.isOver) {
      this.#end();
    }
  }

  #greet(): void {
    this.socket.write(PREFACE);
    const settings = Buffer.alloc(12);
    settings.writeUInt16BE(Http2Setting.ENABLE_PUSH, 0);
    settings.writeUInt16BE(Http2Setting.MAX_HEADER_LIST_SIZE, 6);
    settings.writeUInt32BE(LIMITS.maxHeaderBytes, 8);
    this.sender.control(FrameType.SETTINGS, 0, 0, settings);
    this.sender.windowUpdate(0, ADDED_WINDOW);
  }

  #receive(chunk: Buffer): void {
    if (this.isOver) {
      return;
    }
    this.receivedAt = performance.now();
    const bytes = this.#rest === undefined ? chunk : joined(this.#rest, chunk);
    const at = this.#frames.read(bytes);
    // A view would retain all of the input.
    this.#rest = at < bytes.length ? copyOf(bytes.subarray(at)) : undefined;
    if (this.sender.isBlocked) {
      // A server that does not read could make us keep answers to PINGs without end.
      this.socket.pause();
    }
  }

  #onDrain(): void {
    this.sender.onDrain();
    this.socket.resume();
  }

  #onClose(): void {
    this.#closeStreams();
    this.#listener.onClose(this.#problem);
  }
}
