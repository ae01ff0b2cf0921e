import type { Socket } from "node:net";
import type { WholeResponse } from "../core/base-request.js";
import { MIN_PROGRESS } from "../core/client-watch.js";
import { copyOf } from "../core/copy-of.js";
import type { HeaderList } from "../request.js";
import {
  FRAME_HEADER,
  FrameFlag,
  FrameType,
  INITIAL_WINDOW,
  MAX_FRAME,
  MAX_UINT31,
  writeFrameHeader,
} from "./frames/frames.js";
import { type SectionStart, sectionBound, writeSection } from "./frames/header-frames.js";
import type { OutputBuffer, OutputOwner } from "./output-buffer.js";

const NOTHING: Uint8Array = new Uint8Array();

/** Bytes that wait for the operating system; beyond that, no more data is sent and no more input is read. */
const MAX_UNSENT = 256 * 1024;

/** Data of a stream that has not been sent yet. */
export interface Outgoing {
  readonly chunk: Uint8Array;
  /** The number of bytes of the chunk that have been sent. */
  offset: number;
  /** The number at the latest progress that a check of timeouts has found, and the time of that check. */
  progress: number;
  progressAt: number;
  /** Set if the stream ends after the chunk. */
  readonly end: { readonly trailers: HeaderList | undefined } | undefined;
  readonly onSent: (() => void) | undefined;
}

export interface SendingStream {
  readonly id: number;
  /** The difference between the window of the stream and the initial window. It can be negative. */
  sendCredit: number;
  outgoing: Outgoing | undefined;
}

export interface SendingConnection<S extends SendingStream> {
  readonly socket: Socket;
  onSent(stream: S): void;
  /** Called when bytes have been sent. */
  updateBudget(): void;
}

/** Sends the frames of one connection, within the flow-control windows of the other side. */
export class Sender<S extends SendingStream> implements OutputOwner {
  /** The window of the connection in bytes. */
  window = INITIAL_WINDOW;
  /** The initial window of streams, which may change later (RFC 9113, section 6.9.2). */
  initialWindow = INITIAL_WINDOW;
  /** Bytes of data that wait for the other side. */
  queued = 0;
  /** Whether the other side does not read fast enough. */
  isBlocked = false;
  readonly #connection: SendingConnection<S>;
  readonly #output: OutputBuffer;
  /** Streams with data that the windows do not allow yet. */
  readonly #waiting = new Set<S>();
  /** Whether the other side may still expect header blocks that use a table. */
  #hasTable = true;
  #isDelayed = false;
  /** Bytes by which the window is larger after the chunk of input: streams that wait get them before new ones. */
  #addedWindow = 0;
  #isScheduled = false;

  readonly #defer: (flush: () => void) => void;

  /** @param defer calls a function later, so that what is written until then is sent together */
  constructor(
    connection: SendingConnection<S>,
    output: OutputBuffer,
    defer: (flush: () => void) => void = process.nextTick,
  ) {
    this.#connection = connection;
    this.#output = output;
    this.#defer = defer;
  }

  /** Collects output until `release`. */
  hold(): void {
    this.#isDelayed = true;
  }

  release(): void {
    if (this.#addedWindow > 0) {
      this.window += this.#addedWindow;
      this.#addedWindow = 0;
      this.#pumpAll();
    }
    this.#isDelayed = false;
    this.flush();
  }

  flush(): void {
    const { socket } = this.#connection;
    const bytes = this.#output.take(this);
    if (bytes === undefined || !socket.writable) {
      return;
    }
    // Waiting bytes would retain the whole buffer, including output of other connections.
    const isWaiting = socket.writableLength > 0;
    if (!socket.write(isWaiting ? copyOf(bytes) : bytes)) {
      this.isBlocked = socket.writableLength > MAX_UNSENT;
    }
  }

  /** Called when the operating system has accepted all output. */
  onDrain(): void {
    this.isBlocked = false;
    this.resume();
  }

  /** Sends a frame that is not part of a response. */
  control(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    const output = this.#output;
    output.reserve(this, FRAME_HEADER + payload.length);
    const at = writeFrameHeader(output.bytes, output.end, payload.length, type, flags, streamId);
    output.bytes.set(payload, at);
    output.end = at + payload.length;
    this.#schedule();
  }

  reset(streamId: number, code: number): void {
    this.#number(FrameType.RST_STREAM, streamId, code);
  }

  windowUpdate(streamId: number, increment: number): void {
    this.#number(FrameType.WINDOW_UPDATE, streamId, increment);
  }

  #number(type: number, streamId: number, value: number): void {
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(value);
    this.control(type, 0, streamId, payload);
  }

  /** @param reason sent as debug data, in ASCII */
  goaway(lastStreamId: number, code: number, reason: string): void {
    const payload = Buffer.alloc(8 + reason.length);
    payload.writeUInt32BE(lastStreamId, 0);
    payload.writeUInt32BE(code, 4);
    payload.write(reason, 8, "latin1");
    this.control(FrameType.GOAWAY, 0, 0, payload);
  }

  /** Sends a header section. Throws a TypeError, and sends nothing, for an invalid header. */
  section(streamId: number, start: SectionStart, list: HeaderList, flags: number): void {
    this.#reserve(typeof start === "number" ? 0 : start.length, list, undefined);
    this.#commit(this.#block(this.#output.end, streamId, start, list, flags));
    this.#schedule();
  }

  /**
   * Sends a whole response, or as much of it as the windows allow, and the rest later. Throws a TypeError, and sends nothing,
   * for an invalid header.
   */
  respond(stream: S & { hasResponse: boolean }, { status, headers, body, trailers }: WholeResponse): void {
    const data = typeof body === "string" ? Buffer.from(body) : (body ?? NOTHING);
    const { length } = data;
    const output = this.#output;
    // A longer body is sent in parts.
    this.#reserve(Math.min(length, MAX_FRAME), headers, trailers);
    const flags = trailers === undefined ? FrameFlag.END_STREAM : 0;
    let end = this.#block(output.end, stream.id, status, headers, length === 0 ? flags : 0);
    if (length > 0 && length > this.#room(stream)) {
      // Throws for invalid trailers before anything is sent.
      this.#block(end, stream.id, 0, trailers ?? [], 0);
      stream.hasResponse = true;
      this.#commit(end);
      this.queue(stream, data, { trailers }, undefined);
      return;
    }
    if (length > 0) {
      const start = writeFrameHeader(output.bytes, end, length, FrameType.DATA, flags, stream.id);
      output.bytes.set(data, start);
      end = start + length;
    }
    if (trailers !== undefined) {
      end = this.#block(end, stream.id, 0, trailers, FrameFlag.END_STREAM);
    }
    stream.hasResponse = true;
    this.#commit(end);
    this.window -= length;
    stream.sendCredit -= length;
    this.#sent(stream);
  }

  checkTrailers(trailers: HeaderList): void {
    this.#reserve(0, [], trailers);
    this.#block(this.#output.end, 0, 0, trailers, 0);
  }

  /**
   * Sends data of a response that has begun, as soon as the windows allow. A stream has at most one chunk in its queue.
   *
   * @param end set for the last chunk
   * @param onSent called when the chunk has been sent
   */
  queue(
    stream: S,
    chunk: Uint8Array,
    end: { readonly trailers: HeaderList | undefined } | undefined,
    onSent: (() => void) | undefined,
  ): void {
    stream.outgoing = { chunk, offset: 0, progress: -MIN_PROGRESS, progressAt: 0, end, onSent };
    this.queued += chunk.length;
    this.#waiting.add(stream);
    this.#pump(stream, Number.POSITIVE_INFINITY);
    this.#schedule();
  }

  discard(stream: S): void {
    const { outgoing } = stream;
    if (outgoing !== undefined) {
      stream.outgoing = undefined;
      this.queued -= outgoing.chunk.length - outgoing.offset;
      this.#waiting.delete(stream);
    }
  }

  /**
   * Enlarges the window of the connection. Returns false if it is too large. What waits is sent once for all input of a chunk,
   * because many streams may wait.
   */
  addWindow(increment: number): boolean {
    if (this.#isDelayed && this.#waiting.size > 0) {
      this.#addedWindow += increment;
    } else {
      this.window += increment;
      this.resume();
    }
    return this.window + this.#addedWindow <= MAX_UINT31;
  }

  /** Sends the data that enlarged windows allow. */
  resume(): void {
    this.#pumpAll();
    this.#schedule();
  }

  /** Sends one frame of each stream in turn. */
  #pumpAll(): void {
    let hasMore = this.#waiting.size > 0;
    while (hasMore && this.window > 0 && !this.isBlocked) {
      hasMore = false;
      for (const stream of this.#waiting) {
        hasMore = this.#pump(stream, 1) || hasMore;
      }
    }
  }

  /** Called when the window of one stream is larger. */
  resumeStream(stream: S): void {
    if (stream.outgoing !== undefined) {
      this.#pump(stream, Number.POSITIVE_INFINITY);
      this.#schedule();
    }
  }

  /** Sends up to `frames` DATA frames of a stream. Returns whether it has more to send, and may. */
  #pump(stream: S, frames: number): boolean {
    const { outgoing } = stream;
    if (outgoing === undefined) {
      return false;
    }
    const { chunk, end, onSent } = outgoing;
    for (let left = chunk.length - outgoing.offset; left > 0; left = chunk.length - outgoing.offset) {
      const length = Math.min(left, this.#room(stream));
      if (length <= 0 || frames === 0) {
        return length > 0;
      }
      frames -= 1;
      const isLast = length === left && end !== undefined && end.trailers === undefined;
      this.#data(stream, chunk.subarray(outgoing.offset, outgoing.offset + length), isLast);
      outgoing.offset += length;
      this.queued -= length;
    }
    stream.outgoing = undefined;
    this.#waiting.delete(stream);
    if (end === undefined) {
      onSent?.();
      return false;
    }
    if (end.trailers !== undefined) {
      this.section(stream.id, 0, end.trailers, FrameFlag.END_STREAM);
    } else if (chunk.length === 0) {
      this.#data(stream, chunk, true);
    }
    onSent?.();
    this.#sent(stream);
    return false;
  }

  #data(stream: S, part: Uint8Array, isLast: boolean): void {
    const output = this.#output;
    output.reserve(this, FRAME_HEADER + part.length);
    const flags = isLast ? FrameFlag.END_STREAM : 0;
    const at = writeFrameHeader(output.bytes, output.end, part.length, FrameType.DATA, flags, stream.id);
    output.bytes.set(part, at);
    output.end = at + part.length;
    this.window -= part.length;
    stream.sendCredit -= part.length;
  }

  /** The number of bytes that a DATA frame may have now. */
  #room(stream: S): number {
    return this.isBlocked ? 0 : Math.min(this.window, this.initialWindow + stream.sendCredit, MAX_FRAME);
  }

  #sent(stream: S): void {
    this.#connection.onSent(stream);
    this.#schedule();
  }

  #reserve(bodyBytes: number, headers: HeaderList, trailers: HeaderList | undefined): void {
    const sections = sectionBound(headers) + (trailers === undefined ? 0 : sectionBound(trailers));
    this.#output.reserve(this, sections + bodyBytes + FRAME_HEADER);
  }

  /** Adds the bytes up to a position to the output. They include a header block. */
  #commit(end: number): void {
    this.#output.end = end;
    this.#hasTable = false;
  }

  /** Writes a header section at a position, and returns the position after it. */
  #block(at: number, streamId: number, start: SectionStart, list: HeaderList, flags: number): number {
    return writeSection(this.#output.bytes, at, streamId, flags, start, list, this.#hasTable);
  }

  /** Flushes output that was not triggered by input: once for all that follows. */
  #schedule(): void {
    if (!this.#isDelayed && !this.#isScheduled) {
      this.#isScheduled = true;
      this.#defer(() => {
        this.#isScheduled = false;
        if (!this.#isDelayed) {
          this.flush();
          this.#connection.updateBudget();
        }
      });
    }
  }
}
