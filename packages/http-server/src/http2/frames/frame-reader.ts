import {
  DATA,
  FRAME_HEADER,
  FRAME_SIZE_ERROR,
  HEADERS,
  MAX_FRAME,
  PREFACE,
  PROTOCOL_ERROR,
} from "./frames.js";

/** Milliseconds for which one connection may delay others, divided among the connections with waiting input. */
const TURN = 5;
const MIN_TURN = 0.25;
/** The number of frames between two readings of the clock. A request counts as several, because its handler may be slow. */
const FRAMES_PER_LOOK = 64;
const FRAMES_PER_REQUEST = 32;

/** The number of connections of this process whose input waits for the next turn of the event loop. */
let deferred = 0;

/** Handles the frames of a connection. */
export interface FrameHandler {
  /**
   * Handles a frame with its payload from `start` to `end`; its header is before that. Returns where to continue: after the
   * frame, or after the next one if that has been handled as well.
   */
  onFrame(bytes: Buffer, start: number, end: number): number;
  /** Called before the frames of a chunk. */
  onStart(): void;
  /** Called after all complete frames of a chunk. `hasFrames` is whether there were any. */
  onEnd(hasFrames: boolean): void;
  /** Ends the connection with an error. */
  fail(code: number, reason: string): void;
  /** Whether the connection has ended. */
  readonly isOver: boolean;
}

/** Splits the input of a connection into frames (RFC 9113, sections 3.4 and 4.1). */
export class FrameReader {
  readonly #handler: FrameHandler;
  /** The start of an incomplete frame, or input that is deferred. */
  #rest: Buffer | undefined;
  #hasPreface = false;
  #isDeferred = false;

  constructor(handler: FrameHandler) {
    this.#handler = handler;
  }

  /** Whether input waits for the next turn of the event loop. */
  get isDeferred(): boolean {
    return this.#isDeferred;
  }

  /** The number of bytes that wait. */
  get waiting(): number {
    return this.#rest?.length ?? 0;
  }

  /** Whether a frame is incomplete, and whether it is one of a body. */
  get incomplete(): "none" | "body" | "other" {
    if (this.#rest === undefined) {
      return "none";
    }
    return this.#rest[3] === DATA ? "body" : "other";
  }

  /** Handles all complete frames. */
  read(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    this.#handler.onStart();
    const at = this.#hasPreface ? this.#readFrames(bytes, 0) : this.#readPreface(bytes);
    if (at < bytes.length && !this.#handler.isOver) {
      // A view of a few bytes would retain the whole chunk.
      this.#rest = this.#isDeferred ? bytes.subarray(at) : Buffer.from(bytes.subarray(at));
    }
    this.#handler.onEnd(at > 0);
  }

  #readPreface(bytes: Buffer): number {
    const length = Math.min(bytes.length, PREFACE.length);
    if (bytes.compare(PREFACE, 0, length, 0, length) !== 0) {
      this.#handler.fail(PROTOCOL_ERROR, "invalid connection preface");
      return 0;
    }
    if (length < PREFACE.length) {
      return 0;
    }
    this.#hasPreface = true;
    return this.#readFrames(bytes, length);
  }

  /** Handles frames from a position on. Returns the position of the first byte that was not handled. */
  #readFrames(bytes: Buffer, start: number): number {
    const handler = this.#handler;
    let at = start;
    let untilLook = FRAMES_PER_LOOK;
    const endOfTurn = performance.now() + Math.max(TURN / (1 + deferred), MIN_TURN);
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
      if (!this.#handler.isOver) {
        const bytes = this.#rest ?? Buffer.alloc(0);
        this.#rest = undefined;
        this.read(bytes);
      }
    });
  }
}

/** The length of the payload of the frame whose header begins at a position. The caller has checked the length of `bytes`. */
export function payloadLength(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
}
