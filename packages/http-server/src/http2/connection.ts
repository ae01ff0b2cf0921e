import type { Socket } from "node:net";
import { BaseConnection } from "../core/base-connection.js";
import { discardInput } from "../core/discard-input.js";
import type { ConnectionOptions } from "../options.js";
import { type ConnectionStage, Stage } from "../port/stage.js";
import type { FrameConnection } from "./frames/control-frames.js";
import { FrameReader } from "./frames/frame-reader.js";
import { ErrorCode, FrameType, Http2Setting, INITIAL_WINDOW, MAX_UINT31 } from "./frames/frames.js";
import { CONNECTION_WINDOW } from "./frames/request-frames.js";
import type { OutputBuffer } from "./output-buffer.js";
import { Sender, type SendingConnection } from "./sender.js";
import type { Http2Stream } from "./streams/stream.js";
import { Streams } from "./streams/streams.js";
import { Http2Timeouts, type TimedHttp2Connection } from "./timeouts.js";
import { TokenBucket } from "./token-bucket.js";

/** Milliseconds until a connection closes after a connection error, for the client to receive the GOAWAY. */
const ERROR_LINGER = 500;

/** Milliseconds until a client must have answered the first GOAWAY of a shutdown: far more than a busy client takes. */
const ANSWER_TIMEOUT = 2_000;

/** The content of the PING after the first GOAWAY of a shutdown. */
const ANNOUNCEMENT = Buffer.from("shutdown");

/** Streams that end with a reset, by either side, beyond those that end with a response (CVE-2023-44487, CVE-2025-8671). */
const MAX_RESETS = 900;
const RESETS_PER_SECOND = 33;

/** Valid frames without effect on requests: PING, SETTINGS, empty DATA and others (CVE-2019-9512 and the following). */
const MAX_IDLE_FRAMES = 10_000;
const IDLE_FRAMES_PER_SECOND = 500;
/** Idle frames allowed per complete request. gRPC clients measure the bandwidth with PINGs. */
const IDLE_FRAMES_PER_REQUEST = 4;
/** Idle frames allowed per part of a response: some clients enlarge both windows after each frame, however short it is. */
const IDLE_FRAMES_PER_PART = 2;

/** One HTTP/2 connection (RFC 9113) of a server. */
export class Http2Connection
  extends BaseConnection
  implements SendingConnection<Http2Stream>, FrameConnection, TimedHttp2Connection
{
  readonly sender: Sender<Http2Stream>;
  readonly streams: Streams;
  readonly timeouts: Http2Timeouts;
  isReady = false;
  isClosing = false;
  readonly #frames: FrameReader;
  readonly #resets = new TokenBucket(MAX_RESETS, RESETS_PER_SECOND);
  readonly #idleFrames = new TokenBucket(MAX_IDLE_FRAMES, IDLE_FRAMES_PER_SECOND);
  /** When a shutdown was announced, and whether the client knows it. */
  #announcedAt: number | undefined;
  #isAnswered = false;

  constructor(socket: Socket, options: ConnectionOptions, output: OutputBuffer, clientAddress?: string) {
    super(socket, options, clientAddress);
    this.streams = new Streams(this);
    this.sender = new Sender(this, output);
    this.#frames = new FrameReader(this);
    this.timeouts = new Http2Timeouts(this);
    this.#greet();
  }

  get incomplete(): "none" | "body" | "other" {
    const { rest, isWaiting } = this.input;
    if (rest === undefined || isWaiting) {
      return this.#frames.requests.openSection === 0 ? "none" : "other";
    }
    return rest[3] === FrameType.DATA ? "body" : "other";
  }

  check(now: number): void {
    if (!this.isOver) {
      this.timeouts.check(now);
      if (this.timeouts.idleSince !== undefined) {
        this.#frames.requests.pack();
      }
      this.updateBudget();
    }
  }

  get idleSince(): number | undefined {
    return this.timeouts.idleSince;
  }

  get stage(): ConnectionStage {
    if (this.sender.isBlocked) {
      return Stage.UNREAD;
    }
    if (this.streams.open > 0) {
      return this.streams.stage;
    }
    const waiting = this.incomplete === "none" ? Stage.IDLE : Stage.HEAD;
    return this.isClosing ? Stage.LINGERING : waiting;
  }

  get openRequests(): readonly Http2Stream[] {
    return this.streams.values();
  }

  /**
   * Sends a GOAWAY that announces the shutdown, after which requests are still served, and later one that names the last. A client
   * that answers the PING between them has sent its last request (RFC 9113, section 6.8).
   */
  shutDown(now: number, isLate: boolean): void {
    if (this.isOver) {
      return;
    }
    if (this.#announcedAt === undefined) {
      this.#announcedAt = now;
      this.sender.goaway(MAX_UINT31, ErrorCode.NO_ERROR, "");
      this.sender.control(FrameType.PING, 0, 0, ANNOUNCEMENT);
    } else if (isLate && (this.#isAnswered || now - this.#announcedAt >= ANSWER_TIMEOUT)) {
      this.close();
    }
    this.check(now);
  }

  onPong(content: Buffer): void {
    this.#isAnswered ||= content.equals(ANNOUNCEMENT);
    this.timeouts.onPong();
  }

  close(reason = ""): void {
    if (!this.isClosing && !this.isOver) {
      this.isClosing = true;
      this.sender.goaway(this.streams.latestId, ErrorCode.NO_ERROR, reason);
      this.closeIfUnused();
    }
  }

  closeIfUnused(): void {
    if (this.isClosing && this.streams.open === 0 && !this.isOver) {
      this.#end();
    }
  }

  override evict(): void {
    this.fail(ErrorCode.ENHANCE_YOUR_CALM, "too much unread data");
    this.destroy();
  }

  protected closeRequests(): void {
    this.streams.closeAll();
  }

  fail(code: number, reason: string): number {
    if (!this.isOver) {
      this.isOver = true;
      this.isClosing = true;
      this.sender.goaway(this.streams.latestId, code, reason);
      this.#end();
      this.input.close();
      discardInput(this.socket);
      const timer = setTimeout(() => this.destroy(), ERROR_LINGER);
      this.socket.once("close", () => clearTimeout(timer));
      this.streams.closeAll();
    }
    return Number.MAX_SAFE_INTEGER;
  }

  inform(stream: Http2Stream): void {
    this.sender.section(stream.id, 100, [], 0);
  }

  onSent(stream: Http2Stream): void {
    this.streams.onSent(stream);
  }

  onComplete(): void {
    this.#idleFrames.add(IDLE_FRAMES_PER_REQUEST);
    this.#resets.add(1);
  }

  onPart(): void {
    this.#idleFrames.add(IDLE_FRAMES_PER_PART);
  }

  countReset(): void {
    if (!this.#resets.take()) {
      this.close("too many streams have been reset");
    }
  }

  countIdleFrame(): boolean {
    const isAllowed = this.#idleFrames.take();
    if (!isAllowed) {
      this.fail(ErrorCode.ENHANCE_YOUR_CALM, "too many frames that do nothing");
    }
    return isAllowed;
  }

  #greet(): void {
    const { maxConcurrentStreams, maxHeaderBytes } = this.options;
    const settings = Buffer.alloc(12);
    settings.writeUInt16BE(Http2Setting.MAX_CONCURRENT_STREAMS, 0);
    settings.writeUInt32BE(maxConcurrentStreams, 2);
    settings.writeUInt16BE(Http2Setting.MAX_HEADER_LIST_SIZE, 6);
    settings.writeUInt32BE(maxHeaderBytes, 8);
    this.sender.control(FrameType.SETTINGS, 0, 0, settings);
    this.sender.windowUpdate(0, CONNECTION_WINDOW - INITIAL_WINDOW);
  }

  handleInput(bytes: Buffer, until: number): number {
    if (this.sender.isBlocked) {
      this.input.stop = "blocked";
      return 0;
    }
    const { requests } = this.#frames;
    const { openSection } = requests;
    this.sender.hold();
    const at = this.#frames.read(bytes, until);
    if (at > 0 && (openSection === 0 || openSection !== requests.openSection)) {
      this.timeouts.onCompletion();
    }
    // All output for this input is sent in one write.
    this.sender.release();
    return this.isOver ? bytes.length : at;
  }

  /** A client that closes its half has disconnected: HTTP/2 has END_STREAM for the end of a request. */
  endInput(): void {
    this.destroy();
  }

  protected onDrain(): void {
    this.sender.onDrain();
    this.input.resume();
    this.updateBudget();
  }

  protected get ownBytes(): number {
    return this.#frames.requests.held + this.sender.queued;
  }

  /** Sends the collected output and closes this half of the connection. */
  #end(): void {
    this.sender.flush();
    this.socket.end();
  }
}
