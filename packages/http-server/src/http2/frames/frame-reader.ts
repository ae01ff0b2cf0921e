import { FRAME_HEADER, FRAME_SIZE_ERROR, HEADERS, MAX_FRAME, PREFACE, PROTOCOL_ERROR } from "./frames.js";

/** The number of frames between two readings of the clock. A request counts as several, because its handler may be slow. */
const FRAMES_PER_LOOK = 64;
const FRAMES_PER_REQUEST = 32;

/** Handles the frames of a connection. */
export interface FrameHandler {
  /**
   * Handles a frame with its payload from `start` to `end`; its header is before that. Returns where to continue: after the
   * frame, or after the next one if that has been handled as well.
   */
  onFrame(bytes: Buffer, start: number, end: number): number;
  /** Called before the frames of a chunk. */
  onStart(): void;
  /** Called after all frames of a chunk that are complete and in time. `hasFrames` is whether there were any. */
  onEnd(hasFrames: boolean): void;
  /** Called when the turn is over before the end of the chunk. */
  onTimeout(): void;
  /** Ends the connection with an error. */
  fail(code: number, reason: string): void;
  /** Whether the connection has ended. */
  readonly isOver: boolean;
}

/** Splits the input of a connection into frames (RFC 9113, sections 3.4 and 4.1). */
export class FrameReader {
  readonly #handler: FrameHandler;
  #hasPreface = false;

  constructor(handler: FrameHandler) {
    this.#handler = handler;
  }

  /** Handles complete frames until a time of `performance.now()`. Returns the position of the first byte that waits. */
  read(bytes: Buffer, until: number): number {
    this.#handler.onStart();
    const at = this.#hasPreface ? this.#readFrames(bytes, 0, until) : this.#readPreface(bytes, until);
    this.#handler.onEnd(at > 0);
    return at;
  }

  #readPreface(bytes: Buffer, until: number): number {
    const length = Math.min(bytes.length, PREFACE.length);
    if (bytes.compare(PREFACE, 0, length, 0, length) !== 0) {
      this.#handler.fail(PROTOCOL_ERROR, "invalid connection preface");
      return 0;
    }
    if (length < PREFACE.length) {
      return 0;
    }
    this.#hasPreface = true;
    return this.#readFrames(bytes, length, until);
  }

  /** Handles frames from a position on. Returns the position of the first byte that was not handled. */
  #readFrames(bytes: Buffer, start: number, until: number): number {
    const handler = this.#handler;
    let at = start;
    let untilLook = FRAMES_PER_LOOK;
    while (bytes.length - at >= FRAME_HEADER && !handler.isOver) {
      const length = payloadLength(bytes, at);
      if (length > MAX_FRAME) {
        handler.fail(FRAME_SIZE_ERROR, "frame too large");
        break;
      }
      const payload = at + FRAME_HEADER;
      if (payload + length > bytes.length) {
        break;
      }
      untilLook -= bytes[at + 3] === HEADERS ? FRAMES_PER_REQUEST : 1;
      at = handler.onFrame(bytes, payload, payload + length);
      if (untilLook <= 0 && !handler.isOver) {
        untilLook = FRAMES_PER_LOOK;
        if (performance.now() >= until) {
          handler.onTimeout();
          break;
        }
      }
    }
    return at;
  }
}

/** The length of the payload of the frame whose header begins at a position. The caller has checked the length of `bytes`. */
export function payloadLength(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
}
