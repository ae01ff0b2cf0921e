import type { Socket } from "node:net";
import type { ByteHolder } from "../byte-budget.js";
import type { ConnectionOptions } from "../options.js";
import type { HeaderSection, ServerConnection } from "../request.js";
import {
  ACK,
  COMPRESSION_ERROR,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  ENHANCE_YOUR_CALM,
  FLOW_CONTROL_ERROR,
  FRAME_HEADER,
  FRAME_SIZE_ERROR,
  GOAWAY,
  HAS_PRIORITY,
  HEADERS,
  INITIAL_WINDOW,
  MAX_FRAME,
  MAX_STREAM_ID,
  MAX_WINDOW,
  NO_ERROR,
  PADDED,
  PING,
  PREFACE,
  PRIORITY,
  PROTOCOL_ERROR,
  PUSH_PROMISE,
  REFUSED_STREAM,
  RST_STREAM,
  readUint31,
  readUint32,
  SETTINGS,
  SETTINGS_ENABLE_PUSH,
  SETTINGS_INITIAL_WINDOW_SIZE,
  SETTINGS_MAX_CONCURRENT_STREAMS,
  SETTINGS_MAX_FRAME_SIZE,
  SETTINGS_MAX_HEADER_LIST_SIZE,
  STREAM_CLOSED,
  WINDOW_UPDATE,
} from "./frames.js";
import { HeaderBlockReader } from "./header-block-reader.js";
import type { OutputBuffer } from "./output-buffer.js";
import type { RequestHead } from "./request-head.js";
import { Sender } from "./sender.js";
import { Http2Stream } from "./stream.js";
import { StreamTable } from "./stream-table.js";
import { Timeouts } from "./timeouts.js";
import { TokenBucket } from "./token-bucket.js";

/** The window of the connection for request bodies. Each stream has the initial window. */
const CONNECTION_WINDOW = 1024 * 1024;

/** Milliseconds for which one connection may keep others waiting. Connections whose input waits share them. */
const TURN = 5;
const MIN_TURN = 0.25;
/** The number of frames between two looks at the clock; a request, whose handler may take long, counts as several. */
const FRAMES_PER_LOOK = 64;
const FRAMES_PER_REQUEST = 32;

/** Streams that were reset of late, whose frames may still be in transit (RFC 9113, section 5.1). */
const MAX_REMEMBERED = 256;

/** Streams that end with a reset, by either side, beyond those that end with a response (CVE-2023-44487, CVE-2025-8671). */
const MAX_RESETS = 900;
const RESETS_PER_SECOND = 33;

/** Frames that are legal and do nothing useful: PING, SETTINGS, empty DATA and the like (CVE-2019-9512 and the following). */
const MAX_IDLE_FRAMES = 10_000;
const IDLE_FRAMES_PER_SECOND = 500;
/** Idle frames that each complete request allows. Clients of gRPC measure the bandwidth with PINGs. */
const IDLE_FRAMES_PER_REQUEST = 4;

/** A smaller increment of a window counts as an idle frame. */
const USEFUL_INCREMENT = 1024;

/** The number of settings in one frame that a client may send. */
const MAX_SETTINGS = 64;

/** Milliseconds until a connection closes after a connection error, for the client to receive the GOAWAY. */
const ERROR_LINGER = 500;

/** The number of connections of this process whose input waits for the next turn of the event loop. */
let deferred = 0;

/** One HTTP/2 connection (RFC 9113) of a server. */
export class Http2Connection implements ServerConnection, ByteHolder {
  readonly socket: Socket;
  readonly peerAddress: string;
  readonly isSecure: boolean;
  readonly sender: Sender;
  readonly streams = new StreamTable<Http2Stream>();
  /** The ID of the latest stream. */
  latestId = 0;
  /** Whether the preface and the first SETTINGS of the client have been received. */
  isReady = false;
  /** Whether the server has announced to accept no more streams. */
  isClosing = false;
  readonly #options: ConnectionOptions;
  readonly #blocks: HeaderBlockReader;
  readonly #timeouts: Timeouts;
  readonly #resets = new TokenBucket(MAX_RESETS, RESETS_PER_SECOND);
  readonly #idleFrames = new TokenBucket(MAX_IDLE_FRAMES, IDLE_FRAMES_PER_SECOND);
  /** The start of an incomplete frame. */
  #rest: Buffer | undefined;
  #hasPreface = false;
  #isOver = false;
  /** Whether input waits for the next turn of the event loop. */
  #isDeferred = false;
  #open = 0;
  #unacknowledged = 0;
  #heldInput = 0;
  #held = 0;
  readonly #reset = new Set<number>();

  constructor(socket: Socket, options: ConnectionOptions, output: OutputBuffer) {
    this.socket = socket;
    this.#options = options;
    this.peerAddress = socket.remoteAddress ?? "";
    this.isSecure = "encrypted" in socket;
    this.sender = new Sender(socket, output, {
      onSent: (stream) => this.#onSent(stream),
      onFlush: () => this.#updateBudget(),
    });
    this.#blocks = new HeaderBlockReader(options.maxHeaderBytes);
    this.#timeouts = new Timeouts(this, options);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("drain", () => this.#onDrain());
    // A client that closes its half has disconnected: HTTP/2 has END_STREAM for the end of a request.
    socket.on("end", () => this.destroy());
    // A broken connection is no error of the server; without a listener it would be an uncaught exception.
    socket.on("error", () => this.destroy());
    socket.on("close", () => this.destroy());
    this.#greet();
    socket.resume();
  }

  /** The number of requests in progress. */
  get open(): number {
    return this.#open;
  }

  /** Whether a frame or a header section is incomplete, and whether it is one of a body. */
  get incomplete(): "none" | "body" | "other" {
    if (this.#rest === undefined) {
      return this.#blocks.isOpen ? "other" : "none";
    }
    return this.#rest[3] === DATA ? "body" : "other";
  }

  /** Enforces the timeouts; to be called periodically. `now` is in milliseconds. */
  check(now: number): void {
    if (this.#isOver) {
      return;
    }
    this.#timeouts.check(now);
    this.#updateBudget();
  }

  /** Since when the connection has no request, as of the latest check; undefined if it has been used since. */
  get idleSince(): number | undefined {
    return this.#timeouts.idleSince;
  }

  /**
   * Does the next step of a graceful shutdown each time it is called (RFC 9113, section 6.8): first, a GOAWAY that announces
   * it, after which requests are still served; `linger` milliseconds later, one that names the last request.
   */
  shutDown(now: number, linger: number): void {
    if (!this.#isOver) {
      this.#timeouts.shutDown(now, linger);
    }
  }

  /** Sends the first GOAWAY of a shutdown. */
  announceShutdown(): void {
    this.sender.goaway(MAX_STREAM_ID, NO_ERROR, "");
  }

  /** Accepts no more streams, and closes the connection after the last one. */
  close(reason = ""): void {
    if (!this.isClosing && !this.#isOver) {
      this.isClosing = true;
      this.sender.goaway(this.latestId, NO_ERROR, reason);
      this.#closeIfUnused();
    }
  }

  evict(): void {
    this.#fail(ENHANCE_YOUR_CALM, "too much unread data");
    this.destroy();
  }

  /** Closes the connection and all streams at once. */
  destroy(): void {
    this.#isOver = true;
    this.socket.destroy();
    this.#closeStreams();
    this.#updateBudget();
  }

  /** Sends a PING (RFC 9113, section 6.7). */
  ping(): void {
    this.sender.control(PING, 0, 0, Buffer.alloc(8));
  }

  /** Resets a stream that is not closed, without blaming the client. */
  resetStream(stream: Http2Stream, code: number): void {
    if (!stream.isClosed) {
      this.#sendReset(stream.id, code);
      this.#closeStream(stream);
    }
  }

  /** Lets the client send what it has sent on a stream once more, if that is worth a frame. */
  acknowledge(stream: Http2Stream): void {
    if (stream.unacknowledged >= INITIAL_WINDOW / 2) {
      this.sender.windowUpdate(stream.id, stream.unacknowledged);
      stream.unacknowledged = 0;
    }
  }

  /** Adds to the number of bytes of incomplete request bodies. */
  holdInput(bytes: number): void {
    this.#heldInput += bytes;
  }

  #greet(): void {
    const { maxConcurrentStreams, maxHeaderBytes } = this.#options;
    const settings = Buffer.alloc(12);
    settings.writeUInt16BE(SETTINGS_MAX_CONCURRENT_STREAMS, 0);
    settings.writeUInt32BE(maxConcurrentStreams, 2);
    settings.writeUInt16BE(SETTINGS_MAX_HEADER_LIST_SIZE, 6);
    settings.writeUInt32BE(maxHeaderBytes, 8);
    this.sender.control(SETTINGS, 0, 0, settings);
    this.sender.windowUpdate(0, CONNECTION_WINDOW - INITIAL_WINDOW);
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver) {
      return;
    }
    this.#timeouts.onInput();
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    this.#parse(bytes);
  }

  /** Handles all complete frames of the input, and sends the output they cause at once. */
  #parse(bytes: Buffer): void {
    const openSection = this.#blocks.isOpen ? this.#blocks.streamId : 0;
    this.sender.hold();
    const at = this.#hasPreface ? this.#parseFrames(bytes, 0) : this.#parsePreface(bytes);
    if (at < bytes.length && !this.#isOver) {
      // A view of a few bytes would retain the whole chunk.
      this.#rest = this.#isDeferred ? bytes.subarray(at) : Buffer.from(bytes.subarray(at));
    }
    if (at > 0 && (openSection === 0 || !this.#blocks.isOpen || this.#blocks.streamId !== openSection)) {
      this.#timeouts.onCompletion();
    }
    this.sender.release();
    this.#updateFlow();
    this.#updateBudget();
  }

  #parsePreface(bytes: Buffer): number {
    const length = Math.min(bytes.length, PREFACE.length);
    if (bytes.compare(PREFACE, 0, length, 0, length) !== 0) {
      this.#fail(PROTOCOL_ERROR, "invalid connection preface");
      return 0;
    }
    if (length < PREFACE.length) {
      return 0;
    }
    this.#hasPreface = true;
    return this.#parseFrames(bytes, length);
  }

  /** Handles frames from a position on. Returns the position of the first byte that was not handled. */
  #parseFrames(bytes: Buffer, start: number): number {
    let at = start;
    let untilLook = FRAMES_PER_LOOK;
    const endOfTurn = performance.now() + Math.max(TURN / (1 + deferred), MIN_TURN);
    while (bytes.length - at >= FRAME_HEADER && !this.#isOver) {
      const length = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
      if (length > MAX_FRAME) {
        this.#fail(FRAME_SIZE_ERROR, "frame too large");
        break;
      }
      const payload = at + FRAME_HEADER;
      if (payload + length > bytes.length) {
        break;
      }
      untilLook -= bytes[at + 3] === HEADERS ? FRAMES_PER_REQUEST : 1;
      at = this.#onFrame(bytes, payload, payload + length);
      if (untilLook <= 0 && !this.#isOver) {
        untilLook = FRAMES_PER_LOOK;
        if (performance.now() > endOfTurn) {
          this.#defer();
          break;
        }
      }
    }
    return at;
  }

  /** Continues with the input in the next turn of the event loop. */
  #defer(): void {
    this.#isDeferred = true;
    deferred += 1;
    setImmediate(() => {
      this.#isDeferred = false;
      deferred -= 1;
      if (!this.#isOver) {
        const bytes = this.#rest ?? Buffer.alloc(0);
        this.#rest = undefined;
        this.#parse(bytes);
      }
    });
  }

  /** Reads input unless the client does not read, or earlier input waits. */
  #updateFlow(): void {
    if (this.sender.isBlocked || this.#isDeferred) {
      this.socket.pause();
    } else if (this.socket.isPaused()) {
      this.socket.resume();
    }
  }

  /** Handles a frame. Returns where to continue: after the frame, or after the one that follows if that is handled as well. */
  #onFrame(bytes: Buffer, start: number, end: number): number {
    const type = bytes[start - 6] ?? 0;
    const flags = bytes[start - 5] ?? 0;
    const streamId = readUint31(bytes, start - 4);
    if (!this.isReady && (type !== SETTINGS || (flags & ACK) !== 0)) {
      // RFC 9113, section 3.4
      return this.#fail(PROTOCOL_ERROR, "the first frame is not SETTINGS");
    }
    if (this.#blocks.isOpen && (type !== CONTINUATION || streamId !== this.#blocks.streamId)) {
      // RFC 9113, section 6.10
      return this.#fail(PROTOCOL_ERROR, "a header section is not continued");
    }
    switch (type) {
      case HEADERS:
        return this.#onHeaders(bytes, start, end, flags, streamId);
      case DATA:
        this.#onData(bytes, start, end, flags, streamId);
        break;
      case WINDOW_UPDATE:
        this.#onWindowUpdate(bytes, start, end, streamId);
        break;
      case RST_STREAM:
        this.#onReset(end - start, streamId);
        break;
      case SETTINGS:
        this.#onSettings(bytes, start, end, flags, streamId);
        break;
      case PING:
        this.#onPing(bytes, start, end, flags, streamId);
        break;
      case PRIORITY:
        this.#onPriority(bytes, start, end, streamId);
        break;
      case CONTINUATION:
        this.#onContinuation(bytes, start, end, flags);
        break;
      case GOAWAY:
        this.#onGoaway(end - start, streamId);
        break;
      case PUSH_PROMISE:
        // RFC 9113, section 8.4
        this.#fail(PROTOCOL_ERROR, "clients cannot push");
        break;
      default:
        // RFC 9113, section 5.5: unknown types are ignored.
        this.#countIdleFrame();
    }
    return end;
  }

  /** RFC 9113, section 6.2 */
  #onHeaders(bytes: Buffer, start: number, end: number, flags: number, streamId: number): number {
    let from = start;
    let to = end;
    if (streamId === 0) {
      return this.#fail(PROTOCOL_ERROR, "HEADERS without a stream");
    }
    if ((flags & PADDED) !== 0) {
      to -= bytes[from++] ?? 0;
    }
    if ((flags & HAS_PRIORITY) !== 0) {
      from += 5;
    }
    if (from > to || from > end) {
      return this.#fail(PROTOCOL_ERROR, "padding exceeds the frame");
    }
    if ((flags & HAS_PRIORITY) !== 0 && readUint31(bytes, from - 5) === streamId) {
      // RFC 7540, section 5.3.1; RFC 9113 has deprecated priorities.
      return this.#fail(PROTOCOL_ERROR, "a stream depends on itself");
    }
    if ((flags & END_HEADERS) === 0) {
      this.#blocks.open(streamId, flags, bytes.subarray(from, to));
      return end;
    }
    return this.#onBlock(bytes, from, to, flags, streamId, end);
  }

  /** RFC 9113, section 6.10 */
  #onContinuation(bytes: Buffer, start: number, end: number, flags: number): void {
    const blocks = this.#blocks;
    if (!blocks.isOpen) {
      this.#fail(PROTOCOL_ERROR, "CONTINUATION without HEADERS");
    } else if (!blocks.append(bytes.subarray(start, end))) {
      this.#fail(ENHANCE_YOUR_CALM, "header section too large");
    } else if ((flags & END_HEADERS) !== 0) {
      const block = blocks.take();
      this.#onBlock(block, 0, block.length, blocks.flags, blocks.streamId, block.length);
    }
  }

  /**
   * Handles a complete header block. Returns where to continue: at `next`, or after a DATA frame there that has the whole body.
   */
  #onBlock(bytes: Buffer, from: number, to: number, flags: number, streamId: number, next: number): number {
    // Blocks for rejected streams change the dynamic table as well (RFC 9113, section 4.3).
    const block = this.#blocks.decode(bytes, from, to);
    if (block === undefined) {
      return this.#fail(COMPRESSION_ERROR, "invalid header block");
    }
    if (streamId <= this.latestId) {
      this.#onTrailers(this.#blocks.trailersOf(block), flags, streamId);
      return next;
    }
    if (streamId % 2 === 0) {
      // RFC 9113, section 5.1.1
      return this.#fail(PROTOCOL_ERROR, "clients use odd stream IDs");
    }
    if (this.isClosing) {
      // The GOAWAY has told the client that this stream is ignored.
      this.#countIdleFrame();
      return next;
    }
    this.latestId = streamId;
    const isEnded = (flags & END_STREAM) !== 0;
    const head = this.#blocks.headOf(block);
    const problem = this.#problemWith(head, isEnded);
    if (problem !== undefined || head === undefined) {
      this.#rejectStream(streamId, problem ?? ENHANCE_YOUR_CALM);
      return next;
    }
    return this.#onRequest(bytes, next, new Http2Stream(this, streamId, head, isEnded));
  }

  /** The error code for a request that is not accepted. */
  #problemWith(head: RequestHead | undefined, isEnded: boolean): number | undefined {
    if (head === undefined) {
      return ENHANCE_YOUR_CALM;
    }
    // RFC 9113, section 8.1.1
    if (head.isMalformed || (isEnded && (head.contentLength ?? 0) > 0)) {
      return PROTOCOL_ERROR;
    }
    // RFC 9113, section 5.1.2
    return this.#open >= this.#options.maxConcurrentStreams ? REFUSED_STREAM : undefined;
  }

  #onRequest(bytes: Buffer, next: number, stream: Http2Stream): number {
    let end = next;
    this.#open += 1;
    if (!stream.isEnded) {
      end = this.#takeWholeBody(bytes, next, stream);
      if (stream.isClosed) {
        return end;
      }
    }
    this.#timeouts.onRequest();
    this.#options.onRequest(stream);
    if (!stream.isClosed) {
      this.streams.add(stream);
    }
    return end;
  }

  /**
   * Takes the body of a request along if a single DATA frame has all of it, and follows immediately: most requests of gRPC.
   * Returns the position after it.
   */
  #takeWholeBody(bytes: Buffer, at: number, stream: Http2Stream): number {
    const start = at + FRAME_HEADER;
    if (
      start > bytes.length ||
      bytes[at + 3] !== DATA ||
      bytes[at + 4] !== END_STREAM ||
      readUint31(bytes, at + 5) !== stream.id
    ) {
      return at;
    }
    const length = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const end = start + length;
    if (length > MAX_FRAME || end > bytes.length) {
      return at;
    }
    stream.isEnded = true;
    stream.wholeBody = bytes.subarray(start, end);
    this.#countInput(length);
    if ((stream.head.contentLength ?? length) !== length) {
      this.#streamError(stream, PROTOCOL_ERROR);
    }
    return end;
  }

  /** RFC 9113, section 8.1 */
  #onTrailers(trailers: HeaderSection | undefined, flags: number, streamId: number): void {
    const stream = this.streams.get(streamId);
    if (stream === undefined) {
      this.#onClosedStream(streamId);
    } else if (stream.isEnded) {
      this.#streamError(stream, STREAM_CLOSED);
    } else if (trailers === undefined || (flags & END_STREAM) === 0) {
      this.#streamError(stream, PROTOCOL_ERROR);
    } else {
      stream.trailers = trailers;
      this.#endRequest(stream);
    }
  }

  /** RFC 9113, section 6.1 */
  #onData(bytes: Buffer, start: number, end: number, flags: number, streamId: number): void {
    const length = end - start;
    let from = start;
    let to = end;
    if ((flags & PADDED) !== 0) {
      to -= bytes[from++] ?? 0;
    }
    if (from > to || from > end) {
      this.#fail(PROTOCOL_ERROR, "padding exceeds the frame");
      return;
    }
    if (streamId === 0 || this.#isIdleStream(streamId)) {
      this.#fail(PROTOCOL_ERROR, "DATA on an idle stream");
      return;
    }
    if (!this.#countInput(length) || streamId > this.latestId) {
      return;
    }
    const stream = this.streams.get(streamId);
    if (stream === undefined) {
      this.#onClosedStream(streamId);
      return;
    }
    const isLast = (flags & END_STREAM) !== 0;
    stream.received += to - from;
    stream.unacknowledged += length;
    const { contentLength } = stream.head;
    if (stream.isEnded) {
      this.#streamError(stream, STREAM_CLOSED);
    } else if (stream.unacknowledged > INITIAL_WINDOW) {
      this.#streamError(stream, FLOW_CONTROL_ERROR);
    } else if (contentLength !== undefined && stream.received > contentLength) {
      this.#streamError(stream, PROTOCOL_ERROR);
    } else {
      const padding = length - (to - from);
      if (padding > 0 && !isLast) {
        // Nobody reads padding (section 6.9.1).
        stream.unacknowledged -= padding;
        this.sender.windowUpdate(streamId, padding);
      }
      if (to > from) {
        stream.receive(bytes.subarray(from, to));
      } else if (!isLast) {
        this.#countIdleFrame();
      }
      if (isLast && !stream.isClosed) {
        this.#endRequest(stream);
      }
    }
  }

  #endRequest(stream: Http2Stream): void {
    if (stream.head.contentLength !== undefined && stream.received !== stream.head.contentLength) {
      this.#streamError(stream, PROTOCOL_ERROR);
    } else {
      stream.end();
    }
  }

  /** Counts bytes against the window of the connection, which is refilled at once: those of streams limit what is kept. */
  #countInput(length: number): boolean {
    this.#unacknowledged += length;
    if (this.#unacknowledged > CONNECTION_WINDOW) {
      this.#fail(FLOW_CONTROL_ERROR, "the connection's window is exceeded");
      return false;
    }
    if (this.#unacknowledged >= CONNECTION_WINDOW / 2) {
      this.sender.windowUpdate(0, this.#unacknowledged);
      this.#unacknowledged = 0;
    }
    return true;
  }

  /** Whether the client has not opened a stream. After a GOAWAY, later streams are ignored instead (RFC 9113, section 6.8). */
  #isIdleStream(streamId: number): boolean {
    return streamId > this.latestId && !this.isClosing;
  }

  /** Handles a frame for a stream that is closed (RFC 9113, section 5.1). */
  #onClosedStream(streamId: number): void {
    if (this.#reset.has(streamId)) {
      // The client sent it before it received the reset.
      this.#countIdleFrame();
    } else {
      this.#fail(STREAM_CLOSED, "frame on a closed stream");
    }
  }

  /** RFC 9113, section 6.9 */
  #onWindowUpdate(bytes: Buffer, start: number, end: number, streamId: number): void {
    if (end - start !== 4) {
      this.#fail(FRAME_SIZE_ERROR, "invalid length of WINDOW_UPDATE");
      return;
    }
    const increment = readUint31(bytes, start);
    if (increment < USEFUL_INCREMENT && !this.#countIdleFrame()) {
      return;
    }
    if (streamId !== 0) {
      this.#onStreamWindow(streamId, increment);
    } else if (increment === 0) {
      this.#fail(PROTOCOL_ERROR, "WINDOW_UPDATE of 0");
    } else if (this.sender.window + increment > MAX_WINDOW) {
      this.#fail(FLOW_CONTROL_ERROR, "the connection's window is too large");
    } else {
      this.sender.window += increment;
      this.sender.resume();
    }
  }

  #onStreamWindow(streamId: number, increment: number): void {
    const stream = this.streams.get(streamId);
    if (stream === undefined) {
      if (this.#isIdleStream(streamId)) {
        this.#fail(PROTOCOL_ERROR, "WINDOW_UPDATE on an idle stream");
      } else {
        this.#countIdleFrame();
      }
    } else if (increment === 0) {
      this.#streamError(stream, PROTOCOL_ERROR);
    } else if (this.sender.initialWindow + stream.sendCredit + increment > MAX_WINDOW) {
      this.#streamError(stream, FLOW_CONTROL_ERROR);
    } else {
      stream.sendCredit += increment;
      this.sender.resumeStream(stream);
    }
  }

  /** RFC 9113, section 6.4 */
  #onReset(length: number, streamId: number): void {
    if (streamId === 0 || this.#isIdleStream(streamId)) {
      this.#fail(PROTOCOL_ERROR, "RST_STREAM on an idle stream");
    } else if (length !== 4) {
      this.#fail(FRAME_SIZE_ERROR, "invalid length of RST_STREAM");
    } else {
      const stream = this.streams.get(streamId);
      if (stream === undefined) {
        this.#countIdleFrame();
      } else {
        this.#closeStream(stream);
        this.#countReset();
      }
    }
  }

  /** RFC 9113, section 6.5 */
  #onSettings(bytes: Buffer, start: number, end: number, flags: number, streamId: number): void {
    const length = end - start;
    if (streamId !== 0) {
      this.#fail(PROTOCOL_ERROR, "SETTINGS on a stream");
    } else if ((flags & ACK) !== 0 ? length !== 0 : length % 6 !== 0) {
      this.#fail(FRAME_SIZE_ERROR, "invalid length of SETTINGS");
    } else if (length > 6 * MAX_SETTINGS) {
      this.#fail(ENHANCE_YOUR_CALM, "too many settings");
    } else if (this.#countIdleFrame() && (flags & ACK) === 0) {
      for (let at = start; at < end && this.#countIdleFrame(); at += 6) {
        this.#onSetting(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0), readUint32(bytes, at + 2));
      }
      this.isReady = true;
      this.sender.control(SETTINGS, ACK, 0, Buffer.alloc(0));
      this.sender.resume();
    }
  }

  /** RFC 9113, section 6.5.2. The size of the header table does not matter: this server's header blocks do not use it. */
  #onSetting(setting: number, value: number): void {
    const { sender } = this;
    if (setting === SETTINGS_ENABLE_PUSH && value > 1) {
      this.#fail(PROTOCOL_ERROR, "invalid SETTINGS_ENABLE_PUSH");
    } else if (setting === SETTINGS_MAX_FRAME_SIZE && (value < MAX_FRAME || value > 0xff_ffff)) {
      this.#fail(PROTOCOL_ERROR, "invalid SETTINGS_MAX_FRAME_SIZE");
    } else if (setting === SETTINGS_INITIAL_WINDOW_SIZE) {
      // RFC 9113, section 6.9.2
      if (
        value > MAX_WINDOW ||
        this.streams.values().some(({ sendCredit }) => sendCredit + value > MAX_WINDOW)
      ) {
        this.#fail(FLOW_CONTROL_ERROR, "invalid SETTINGS_INITIAL_WINDOW_SIZE");
      } else {
        sender.initialWindow = value;
      }
    }
  }

  /** RFC 9113, section 6.7 */
  #onPing(bytes: Buffer, start: number, end: number, flags: number, streamId: number): void {
    if (streamId !== 0) {
      this.#fail(PROTOCOL_ERROR, "PING on a stream");
    } else if (end - start !== 8) {
      this.#fail(FRAME_SIZE_ERROR, "invalid length of PING");
    } else if ((flags & ACK) !== 0) {
      this.#countIdleFrame();
      this.#timeouts.onPong();
    } else if (this.#countIdleFrame()) {
      this.sender.control(PING, ACK, 0, bytes.subarray(start, end));
    }
  }

  /** RFC 9113, section 6.3; the priority itself is ignored. */
  #onPriority(bytes: Buffer, start: number, end: number, streamId: number): void {
    if (streamId === 0) {
      this.#fail(PROTOCOL_ERROR, "PRIORITY without a stream");
    } else if (end - start !== 5) {
      this.#onInvalidPriority(streamId, FRAME_SIZE_ERROR);
    } else if (readUint31(bytes, start) === streamId) {
      this.#onInvalidPriority(streamId, PROTOCOL_ERROR);
    } else {
      this.#countIdleFrame();
    }
  }

  #onInvalidPriority(streamId: number, code: number): void {
    const stream = this.streams.get(streamId);
    if (stream === undefined) {
      // Only a stream that exists can be reset.
      this.#fail(code, "invalid PRIORITY");
    } else {
      this.#streamError(stream, code);
    }
  }

  /**
   * RFC 9113, section 6.8. Those streams that are in progress are served. The client learns which ones those are, as it may
   * have opened more: its GOAWAY concerns the streams that servers open.
   */
  #onGoaway(length: number, streamId: number): void {
    if (streamId !== 0) {
      this.#fail(PROTOCOL_ERROR, "GOAWAY on a stream");
    } else if (length < 8) {
      this.#fail(FRAME_SIZE_ERROR, "invalid length of GOAWAY");
    } else if (this.#countIdleFrame()) {
      this.close();
    }
  }

  /** Called when the end of a response has been sent. */
  #onSent(stream: Http2Stream): void {
    if (!stream.isEnded) {
      // The client need not send the rest (RFC 9113, section 8.1).
      this.#sendReset(stream.id, NO_ERROR);
    } else {
      this.#idleFrames.add(IDLE_FRAMES_PER_REQUEST);
      this.#resets.add(1);
    }
    this.#closeStream(stream);
  }

  /** Resets a stream because of an error of the client (RFC 9113, section 5.4.2). */
  #streamError(stream: Http2Stream, code: number): void {
    this.resetStream(stream, code);
    this.#countReset();
  }

  /** Rejects a stream that has not been created. */
  #rejectStream(streamId: number, code: number): void {
    this.#sendReset(streamId, code);
    this.#countReset();
  }

  #sendReset(streamId: number, code: number): void {
    this.#reset.add(streamId);
    if (this.#reset.size > MAX_REMEMBERED) {
      for (const oldest of this.#reset) {
        this.#reset.delete(oldest);
        break;
      }
    }
    this.sender.reset(streamId, code);
  }

  #closeStream(stream: Http2Stream): void {
    this.#open -= 1;
    this.streams.delete(stream.id);
    this.sender.discard(stream);
    stream.close();
    this.#closeIfUnused();
  }

  #closeStreams(): void {
    for (const stream of this.streams.values()) {
      this.#closeStream(stream);
    }
  }

  /** Counts a reset that the client has caused. Other streams may belong to other clients of a proxy, and are served. */
  #countReset(): void {
    if (!this.#resets.take()) {
      this.close("too many streams have been reset");
    }
  }

  /** Counts a frame that does nothing useful. Returns false if there are too many. */
  #countIdleFrame(): boolean {
    const isAllowed = this.#idleFrames.take();
    if (!isAllowed) {
      this.#fail(ENHANCE_YOUR_CALM, "too many frames that do nothing");
    }
    return isAllowed;
  }

  /** Ends the connection with an error (RFC 9113, section 5.4.1). Returns the position after all input. */
  #fail(code: number, reason: string): number {
    if (!this.#isOver) {
      this.#isOver = true;
      this.isClosing = true;
      this.sender.goaway(this.latestId, code, reason);
      this.#end();
      const timer = setTimeout(() => this.destroy(), ERROR_LINGER);
      this.socket.once("close", () => clearTimeout(timer));
      this.#closeStreams();
    }
    return Number.MAX_SAFE_INTEGER;
  }

  #closeIfUnused(): void {
    if (this.isClosing && this.#open === 0 && !this.#isOver) {
      this.#end();
    }
  }

  /** Sends what has been collected, and closes this half of the connection. */
  #end(): void {
    this.sender.flush();
    this.socket.end();
  }

  #onDrain(): void {
    this.sender.onDrain();
    this.#updateFlow();
    this.#updateBudget();
  }

  #updateBudget(): void {
    const held = this.#isOver
      ? 0
      : this.#heldInput + this.sender.queued + this.socket.writableLength + (this.#rest?.length ?? 0);
    if (held !== this.#held) {
      this.#held = held;
      this.#options.budget.set(this, held);
    }
  }
}
