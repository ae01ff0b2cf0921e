import type { Socket } from "node:net";
import type { ByteHolder } from "../core/byte-budget.js";
import { MAX_DISCARDED } from "../core/incoming-body.js";
import { Input, type InputHandler } from "../core/input.js";
import type { RuleContext } from "../core/rules.js";
import type { ConnectionOptions } from "../options.js";
import type { ServedConnection } from "../port/connections.js";
import type { ServerConnection } from "../request.js";
import { FloodGuard } from "./flood-guard.js";
import { ControlFrames } from "./frames/control-frames.js";
import { type FrameHandler, FrameReader } from "./frames/frame-reader.js";
import {
  ACK,
  CONTINUATION,
  DATA,
  ENHANCE_YOUR_CALM,
  GOAWAY,
  HEADERS,
  INITIAL_WINDOW,
  MAX_STREAM_ID,
  NO_ERROR,
  PING,
  PRIORITY,
  PROTOCOL_ERROR,
  PUSH_PROMISE,
  RST_STREAM,
  readUint31,
  SETTINGS,
  SETTINGS_MAX_CONCURRENT_STREAMS,
  SETTINGS_MAX_HEADER_LIST_SIZE,
  WINDOW_UPDATE,
} from "./frames/frames.js";
import { CONNECTION_WINDOW, RequestFrames } from "./frames/request-frames.js";
import type { OutputBuffer } from "./output-buffer.js";
import { Sender } from "./sender.js";
import type { Http2Stream } from "./streams/stream.js";
import { Streams } from "./streams/streams.js";
import { Timeouts } from "./timeouts.js";

/** Milliseconds until a connection closes after a connection error, for the client to receive the GOAWAY. */
const ERROR_LINGER = 500;

/** One HTTP/2 connection (RFC 9113) of a server. */
export class Http2Connection
  implements ServedConnection, ServerConnection, ByteHolder, FrameHandler, InputHandler
{
  readonly socket: Socket;
  readonly peerAddress: string;
  readonly isSecure: boolean;
  readonly options: ConnectionOptions;
  readonly rules: RuleContext;
  readonly sender: Sender;
  readonly streams: Streams;
  readonly guard = new FloodGuard();
  /** Whether the preface and the first SETTINGS of the client have been received. */
  isReady = false;
  /** Whether the server has sent the GOAWAY after which it accepts no more streams. */
  isClosing = false;
  readonly #requestFrames: RequestFrames;
  readonly #controlFrames: ControlFrames;
  readonly #timeouts: Timeouts;
  readonly #reader: FrameReader;
  readonly #input: Input;
  #isOver = false;
  #isHandling = false;
  /** The number of bytes that have been received since a connection error. */
  #discarded = 0;
  /** Whether a shutdown has been announced. */
  #isAnnounced = false;
  #openSection = 0;
  #heldByRequests = 0;
  #held = 0;

  constructor(socket: Socket, options: ConnectionOptions, output: OutputBuffer) {
    this.socket = socket;
    this.options = options;
    this.peerAddress = socket.remoteAddress ?? "";
    this.isSecure = "encrypted" in socket;
    this.rules = {
      methods: options.methods,
      isSecure: this.isSecure,
      isGateway: options.isGateway(this.peerAddress),
    };
    this.streams = new Streams(this);
    this.sender = new Sender(socket, output, {
      onSent: (stream) => this.streams.onSent(stream),
      onFlush: () => this.updateBudget(),
    });
    this.#requestFrames = new RequestFrames(this);
    this.#controlFrames = new ControlFrames(this);
    this.#timeouts = new Timeouts(this, options);
    this.#reader = new FrameReader(this);
    this.#input = new Input(socket, this);
    socket.on("drain", () => this.#onDrain());
    // A broken connection is not a server error; without a listener it would be an uncaught exception.
    socket.on("error", () => this.destroy());
    socket.on("close", () => this.destroy());
    this.#greet();
    socket.resume();
  }

  /** Whether the connection has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether input waits for the turn of the connection, or for the client to read. */
  get isInputWaiting(): boolean {
    return this.#input.isWaiting;
  }

  /** Whether a frame or a header section is incomplete, and whether it is one of a body. */
  get incomplete(): "none" | "body" | "other" {
    const { rest } = this.#input;
    if (rest === undefined || this.isInputWaiting) {
      return this.#requestFrames.openSection === 0 ? "none" : "other";
    }
    return rest[3] === DATA ? "body" : "other";
  }

  /** Enforces the timeouts; to be called periodically. `now` is in milliseconds. */
  check(now: number): void {
    if (!this.#isOver) {
      this.#timeouts.check(now);
      if (this.#timeouts.idleSince !== undefined) {
        this.#requestFrames.releaseCaches();
      }
      this.updateBudget();
    }
  }

  get isOverdrawn(): boolean {
    return this.options.budget.isOverdrawn(this);
  }

  /** Since when the connection has no request, as of the latest check; undefined if it has been used since. */
  get idleSince(): number | undefined {
    return this.#timeouts.idleSince;
  }

  /** Whether the connection has no request and waits for the client to close its half. */
  get isLingering(): boolean {
    return this.isClosing && this.streams.open === 0;
  }

  /** Sends a GOAWAY that announces the shutdown, after which requests are still served, and later one that names the last. */
  shutDown(now: number, isLate: boolean): void {
    if (this.#isOver) {
      return;
    }
    if (!this.#isAnnounced) {
      this.#isAnnounced = true;
      this.sender.goaway(MAX_STREAM_ID, NO_ERROR, "");
    } else if (isLate) {
      this.close();
    }
    this.check(now);
  }

  /** Accepts no more streams, and closes the connection after the last one. */
  close(reason = ""): void {
    if (!this.isClosing && !this.#isOver) {
      this.isClosing = true;
      this.sender.goaway(this.streams.latestId, NO_ERROR, reason);
      this.closeIfUnused();
    }
  }

  /** Called when a stream has been closed. */
  closeIfUnused(): void {
    if (this.isClosing && this.streams.open === 0 && !this.#isOver) {
      this.#end();
    }
  }

  evict(): void {
    this.fail(ENHANCE_YOUR_CALM, "too much unread data");
    this.destroy();
  }

  /** Closes the connection and all streams at once. */
  destroy(): void {
    this.#isOver = true;
    this.socket.destroy();
    this.#input.close();
    this.#requestFrames.releaseCaches();
    this.streams.closeAll();
    this.updateBudget();
  }

  /** Ends the connection with an error (RFC 9113, section 5.4.1). Returns the position after all input. */
  fail(code: number, reason: string): number {
    if (!this.#isOver) {
      this.#isOver = true;
      this.isClosing = true;
      this.sender.goaway(this.streams.latestId, code, reason);
      this.#end();
      const timer = setTimeout(() => this.destroy(), ERROR_LINGER);
      this.socket.once("close", () => clearTimeout(timer));
      this.streams.closeAll();
    }
    return Number.MAX_SAFE_INTEGER;
  }

  /** Sends a PING (RFC 9113, section 6.7). */
  ping(): void {
    this.sender.control(PING, 0, 0, Buffer.alloc(8));
  }

  /** Called when the client acknowledges a PING. */
  onPong(): void {
    this.#timeouts.onPong();
  }

  /** Called with each request. */
  onRequest(stream: Http2Stream): void {
    this.#timeouts.onRequest();
    this.options.onRequest(stream);
  }

  /** Refills the window of a stream if the increment is worth a frame. */
  acknowledge(stream: Http2Stream): void {
    if (stream.unacknowledged >= INITIAL_WINDOW / 2) {
      this.sender.windowUpdate(stream.id, stream.unacknowledged);
      stream.unacknowledged = 0;
    }
  }

  /** Adds to the number of bytes that requests, their bodies and handlers hold. */
  hold(bytes: number): void {
    this.#heldByRequests += bytes;
    if (bytes > 0 && !this.#isHandling) {
      this.updateBudget();
    }
  }

  /** Counts a reset that the client has caused. Other streams may belong to other clients of a proxy, and are served. */
  countReset(): void {
    if (!this.guard.countReset()) {
      this.close("too many streams have been reset");
    }
  }

  /** Counts a frame without effect on requests. Returns false if there are too many. */
  countIdleFrame(): boolean {
    const isAllowed = this.guard.countIdleFrame();
    if (!isAllowed) {
      this.fail(ENHANCE_YOUR_CALM, "too many frames that do nothing");
    }
    return isAllowed;
  }

  #greet(): void {
    const { maxConcurrentStreams, maxHeaderBytes } = this.options;
    const settings = Buffer.alloc(12);
    settings.writeUInt16BE(SETTINGS_MAX_CONCURRENT_STREAMS, 0);
    settings.writeUInt32BE(maxConcurrentStreams, 2);
    settings.writeUInt16BE(SETTINGS_MAX_HEADER_LIST_SIZE, 6);
    settings.writeUInt32BE(maxHeaderBytes, 8);
    this.sender.control(SETTINGS, 0, 0, settings);
    this.sender.windowUpdate(0, CONNECTION_WINDOW - INITIAL_WINDOW);
  }

  handleInput(bytes: Buffer, until: number): number {
    if (this.#isOver) {
      this.#discarded += bytes.length;
      if (this.#discarded > MAX_DISCARDED) {
        this.destroy();
      }
      return bytes.length;
    }
    if (this.sender.isBlocked) {
      this.#input.stop = "blocked";
      return 0;
    }
    this.#timeouts.onInput();
    this.#isHandling = true;
    const at = this.#reader.read(bytes, until);
    this.#isHandling = false;
    return this.#isOver ? bytes.length : at;
  }

  onTimeout(): void {
    this.#input.stop = "time";
  }

  /** A client that closes its half has disconnected: HTTP/2 has END_STREAM for the end of a request. */
  endInput(): void {
    this.destroy();
  }

  onStart(): void {
    this.#openSection = this.#requestFrames.openSection;
    this.sender.hold();
  }

  onEnd(hasFrames: boolean): void {
    if (hasFrames && (this.#openSection === 0 || this.#requestFrames.openSection !== this.#openSection)) {
      this.#timeouts.onCompletion();
    }
    // All output for this input is sent in one write.
    this.sender.release();
  }

  onFrame(bytes: Buffer, start: number, end: number): number {
    const type = bytes[start - 6] ?? 0;
    const flags = bytes[start - 5] ?? 0;
    const streamId = readUint31(bytes, start - 4);
    const { openSection } = this.#requestFrames;
    if (!this.isReady && (type !== SETTINGS || (flags & ACK) !== 0)) {
      // RFC 9113, section 3.4
      return this.fail(PROTOCOL_ERROR, "the first frame is not SETTINGS");
    }
    if (openSection !== 0 && (type !== CONTINUATION || streamId !== openSection)) {
      // RFC 9113, section 6.10
      return this.fail(PROTOCOL_ERROR, "a header section is not continued");
    }
    switch (type) {
      case HEADERS:
        return this.#requestFrames.onHeaders(bytes, start, end, flags, streamId);
      case DATA:
        this.#requestFrames.onData(bytes, start, end, flags, streamId);
        break;
      case CONTINUATION:
        this.#requestFrames.onContinuation(bytes, start, end, flags);
        break;
      case WINDOW_UPDATE:
        this.#controlFrames.onWindowUpdate(bytes, start, end, streamId);
        break;
      case RST_STREAM:
        this.#controlFrames.onReset(end - start, streamId);
        break;
      case SETTINGS:
        this.#controlFrames.onSettings(bytes, start, end, flags, streamId);
        break;
      case PING:
        this.#controlFrames.onPing(bytes, start, end, flags, streamId);
        break;
      case PRIORITY:
        this.#controlFrames.onPriority(bytes, start, end, streamId);
        break;
      case GOAWAY:
        this.#controlFrames.onGoaway(end - start, streamId);
        break;
      case PUSH_PROMISE:
        // RFC 9113, section 8.4
        return this.fail(PROTOCOL_ERROR, "clients cannot push");
      default:
        // RFC 9113, section 5.5: unknown types are ignored.
        this.countIdleFrame();
    }
    return end;
  }

  #onDrain(): void {
    this.sender.onDrain();
    this.#input.resume();
    this.updateBudget();
  }

  updateBudget(): void {
    const held = this.#isOver
      ? 0
      : this.#heldByRequests +
        this.#requestFrames.held +
        this.sender.queued +
        this.socket.writableLength +
        this.#input.held;
    if (held !== this.#held) {
      this.#held = held;
      this.options.budget.set(this, held);
    }
  }

  /** Sends the collected output and closes this half of the connection. */
  #end(): void {
    this.sender.flush();
    this.socket.end();
  }
}
