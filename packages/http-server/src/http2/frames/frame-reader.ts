import { type FrameConnection, onControlFrame } from "./control-frames.js";
import {
  ErrorCode,
  FRAME_HEADER,
  FrameFlag,
  FrameType,
  MAX_FRAME,
  PREFACE,
  payloadLength,
  readUint31,
} from "./frames.js";
import { RequestFrames } from "./request-frames.js";

/**
 * The number of frames between two readings of the clock. A request counts as several, because its handler may be slow, and so does a
 * long frame, because the end of a body is a message to parse: each 2 KiB of it.
 */
const FRAMES_PER_LOOK = 64;
const FRAMES_PER_REQUEST = 32;
const BYTES_PER_FRAME_LOG2 = 11;

/** Splits the input of a connection into frames (RFC 9113, sections 3.4 and 4.1), and handles them. */
export class FrameReader {
  /** The header section in progress, and what decodes it. */
  readonly requests: RequestFrames;
  readonly #connection: FrameConnection;
  #hasPreface = false;

  constructor(connection: FrameConnection) {
    this.#connection = connection;
    this.requests = new RequestFrames(connection);
  }

  /** Handles complete frames until a time of `performance.now()`. Returns the position of the first byte that waits. */
  read(bytes: Buffer, until: number): number {
    const connection = this.#connection;
    let at = this.#hasPreface ? 0 : this.#readPreface(bytes);
    if (!this.#hasPreface) {
      return at;
    }
    let untilLook = FRAMES_PER_LOOK;
    while (bytes.length - at >= FRAME_HEADER && !connection.isOver) {
      const length = payloadLength(bytes, at);
      if (length > MAX_FRAME) {
        return connection.fail(ErrorCode.FRAME_SIZE_ERROR, "frame too large");
      }
      const payload = at + FRAME_HEADER;
      if (payload + length > bytes.length) {
        break;
      }
      untilLook -=
        bytes[at + 3] === FrameType.HEADERS ? FRAMES_PER_REQUEST : 1 + (length >> BYTES_PER_FRAME_LOG2);
      at = this.#handle(bytes, payload, payload + length);
      if (untilLook <= 0 && !connection.isOver) {
        untilLook = FRAMES_PER_LOOK;
        if (performance.now() >= until) {
          connection.input.stop = "time";
          break;
        }
      }
    }
    return at;
  }

  /** Returns the position after the preface, 0 if it is incomplete. */
  #readPreface(bytes: Buffer): number {
    const length = Math.min(bytes.length, PREFACE.length);
    if (bytes.compare(PREFACE, 0, length, 0, length) !== 0) {
      return this.#connection.fail(ErrorCode.PROTOCOL_ERROR, "invalid connection preface");
    }
    this.#hasPreface = length === PREFACE.length;
    return this.#hasPreface ? length : 0;
  }

  /**
   * Handles a frame with its payload from `start` to `end`; its header is before that. Returns where to continue: after the
   * frame, or after the next one if that has been handled as well.
   */
  #handle(bytes: Buffer, start: number, end: number): number {
    const connection = this.#connection;
    const { requests } = this;
    const { openSection } = requests;
    const type = bytes[start - 6] ?? 0;
    const flags = bytes[start - 5] ?? 0;
    const streamId = readUint31(bytes, start - 4);
    if (!connection.isReady && (type !== FrameType.SETTINGS || (flags & FrameFlag.ACK) !== 0)) {
      // RFC 9113, section 3.4
      return connection.fail(ErrorCode.PROTOCOL_ERROR, "the first frame is not SETTINGS");
    }
    if (openSection !== 0 && (type !== FrameType.CONTINUATION || streamId !== openSection)) {
      // RFC 9113, section 6.10
      return connection.fail(ErrorCode.PROTOCOL_ERROR, "a header section is not continued");
    }
    switch (type) {
      case FrameType.HEADERS:
        return requests.onHeaders(bytes, start, end, flags, streamId);
      case FrameType.DATA:
        requests.onData(bytes, start, end, flags, streamId);
        break;
      case FrameType.CONTINUATION:
        requests.onContinuation(bytes, start, end, flags);
        break;
      default:
        onControlFrame(connection, type, streamId, bytes.subarray(start, end), (flags & FrameFlag.ACK) !== 0);
    }
    return end;
  }
}
