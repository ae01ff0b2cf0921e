import { ByteCollector } from "../../core/byte-collector.js";
import { rejectionOf, sectionTooLarge } from "../../core/rules.js";
import { HpackDecoder } from "../hpack/decoder.js";
import type { HeaderBlock } from "../hpack/header-block.js";
import { methodOnly, RequestHead } from "../streams/request-head.js";
import { readTrailers } from "../streams/section.js";
import { Http2Stream } from "../streams/stream.js";
import type { FrameConnection } from "./control-frames.js";
import {
  ErrorCode,
  FRAME_HEADER,
  FrameFlag,
  FrameType,
  INITIAL_WINDOW,
  MAX_FRAME,
  payloadLength,
  readUint31,
} from "./frames.js";

/** The window of the connection for request bodies. Each stream has the initial window. */
export const CONNECTION_WINDOW: number = 1024 * 1024;

/** The bytes of a decoder that `CONNECTION_BYTES` includes. */
const HPACK_BYTES = 2_048;

/** HEADERS and CONTINUATION frames of one header section. */
const MAX_PARTS = 32;

/** Handles the frames of requests: HEADERS, CONTINUATION and DATA. */
export class RequestFrames {
  /** The stream whose header section CONTINUATION frames continue; 0 outside of one. */
  openSection = 0;
  readonly #connection: FrameConnection;
  readonly #decoder: HpackDecoder;
  /** The open header section: its flags, its parts and their number. */
  #flags = 0;
  readonly #parts = new ByteCollector();
  #count = 0;
  #unacknowledged = 0;

  constructor(connection: FrameConnection) {
    this.#connection = connection;
    this.#decoder = new HpackDecoder(connection.options);
  }

  /** The bytes of memory of the decoder and of an incomplete header section, beyond the fixed cost of a connection. */
  get held(): number {
    return this.#parts.capacity + Math.max(0, this.#decoder.table.heldBytes - HPACK_BYTES);
  }

  /** Makes the state of an idle connection small. */
  pack(): void {
    this.#decoder.table.pack();
  }

  /** RFC 9113, section 6.2. Returns where to continue. */
  onHeaders(bytes: Buffer, start: number, end: number, flags: number, streamId: number): number {
    let from = start;
    let to = end;
    if (streamId === 0) {
      return this.#connection.fail(ErrorCode.PROTOCOL_ERROR, "HEADERS without a stream");
    }
    if ((flags & FrameFlag.PADDED) !== 0) {
      to -= bytes[from++] ?? 0;
    }
    if ((flags & FrameFlag.HAS_PRIORITY) !== 0) {
      from += 5;
    }
    if (from > to || from > end) {
      return this.#connection.fail(ErrorCode.PROTOCOL_ERROR, "padding exceeds the frame");
    }
    if ((flags & FrameFlag.HAS_PRIORITY) !== 0 && readUint31(bytes, from - 5) === streamId) {
      // RFC 7540, section 5.3.1; RFC 9113 has deprecated priorities.
      return this.#connection.fail(ErrorCode.PROTOCOL_ERROR, "a stream depends on itself");
    }
    if ((flags & FrameFlag.END_HEADERS) === 0) {
      this.openSection = streamId;
      this.#flags = flags;
      this.#parts.add(bytes.subarray(from, to));
      this.#count = 1;
      return end;
    }
    return this.#onBlock(bytes, from, to, flags, streamId, end);
  }

  /** RFC 9113, section 6.10 */
  onContinuation(bytes: Buffer, start: number, end: number, flags: number): void {
    const streamId = this.openSection;
    if (streamId === 0) {
      this.#connection.fail(ErrorCode.PROTOCOL_ERROR, "CONTINUATION without HEADERS");
      return;
    }
    this.#parts.add(bytes.subarray(start, end));
    this.#count += 1;
    // A section is longer than its block; some room is for the overhead of the encoding.
    if (this.#parts.length > 2 * this.#connection.options.maxHeaderBytes || this.#count > MAX_PARTS) {
      this.#connection.fail(ErrorCode.ENHANCE_YOUR_CALM, "header section too large");
    } else if ((flags & FrameFlag.END_HEADERS) !== 0) {
      this.openSection = 0;
      const block = this.#parts.take();
      this.#onBlock(block, 0, block.length, this.#flags, streamId, block.length);
    }
  }

  /**
   * Handles a complete header block. Returns where to continue: at `next`, or after a DATA frame there that has the whole body.
   */
  #onBlock(bytes: Buffer, from: number, to: number, flags: number, streamId: number, next: number): number {
    const connection = this.#connection;
    const { streams } = connection;
    // Blocks for rejected streams change the dynamic table as well (RFC 9113, section 4.3).
    const block = this.#decoder.decode(bytes, from, to);
    if (block === undefined) {
      return connection.fail(ErrorCode.COMPRESSION_ERROR, "invalid header block");
    }
    if (streamId <= streams.latestId) {
      this.#onTrailers(block, flags, streamId);
      return next;
    }
    if (streamId % 2 === 0) {
      // RFC 9113, section 5.1.1
      return connection.fail(ErrorCode.PROTOCOL_ERROR, "clients use odd stream IDs");
    }
    if (connection.isClosing) {
      // The GOAWAY announced that this stream is ignored.
      connection.countIdleFrame();
      return next;
    }
    streams.latestId = streamId;
    const isEnded = (flags & FrameFlag.END_STREAM) !== 0;
    const { options, rules } = connection;
    const head = block.isTooLarge ? undefined : new RequestHead(block);
    const problem = this.#problemWith(head, isEnded);
    if (problem !== undefined) {
      streams.reject(streamId, problem);
      return next;
    }
    const stream = new Http2Stream(connection, streamId, head ?? methodOnly(block), isEnded);
    const rejection =
      head === undefined
        ? sectionTooLarge(options)
        : rejectionOf(head.method, head.scheme, head.expect, rules);
    if (rejection !== undefined) {
      streams.open += 1;
      connection.reject(stream, rejection);
      if (!stream.isClosed) {
        streams.add(stream);
      }
      // Rejected requests cost as much as reset ones.
      connection.countReset();
      return next;
    }
    return this.#onRequest(bytes, next, stream);
  }

  /** The error code for a request that is not accepted; `head` is undefined if it is too large. */
  #problemWith(head: RequestHead | undefined, isEnded: boolean): number | undefined {
    // RFC 9113, section 8.1.1
    if (head !== undefined && (head.isMalformed || (isEnded && (head.contentLength ?? 0) > 0))) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    // RFC 9113, section 5.1.2
    const { streams, options } = this.#connection;
    return streams.open >= options.maxConcurrentStreams ? ErrorCode.REFUSED_STREAM : undefined;
  }

  #onRequest(bytes: Buffer, next: number, stream: Http2Stream): number {
    const connection = this.#connection;
    let end = next;
    connection.streams.open += 1;
    if (!stream.isEnded) {
      end = this.#takeWholeBody(bytes, next, stream);
      if (stream.isClosed) {
        return end;
      }
    }
    connection.timeouts.onRequest();
    connection.options.onRequest(stream);
    if (!stream.isClosed) {
      stream.keepBody();
      connection.streams.add(stream);
      if (connection.isOver) {
        // The response exceeded the limit of bytes that the connection may hold.
        connection.streams.close(stream);
      }
    }
    return end;
  }

  /**
   * Handles the body together with the header section if one DATA frame contains all of it and follows immediately. This is
   * the case for most gRPC requests.
   * Returns the position after it.
   */
  #takeWholeBody(bytes: Buffer, at: number, stream: Http2Stream): number {
    const start = at + FRAME_HEADER;
    if (
      start > bytes.length ||
      bytes[at + 3] !== FrameType.DATA ||
      bytes[at + 4] !== FrameFlag.END_STREAM ||
      readUint31(bytes, at + 5) !== stream.id
    ) {
      return at;
    }
    const length = payloadLength(bytes, at);
    const end = start + length;
    if (length > MAX_FRAME || end > bytes.length) {
      return at;
    }
    stream.isEnded = true;
    stream.wholeBody = bytes.subarray(start, end);
    this.#countInput(length);
    if ((stream.head.contentLength ?? length) !== length) {
      this.#connection.streams.fail(stream, ErrorCode.PROTOCOL_ERROR);
    }
    return end;
  }

  /** RFC 9113, section 8.1 */
  #onTrailers(block: HeaderBlock, flags: number, streamId: number): void {
    const { streams } = this.#connection;
    const stream = streams.get(streamId);
    if (stream === undefined) {
      this.#onClosedStream(streamId);
    } else if (stream.isEnded) {
      streams.fail(stream, ErrorCode.STREAM_CLOSED);
    } else {
      stream.trailers = block.isTooLarge ? undefined : readTrailers(block);
      if (stream.trailers === undefined || (flags & FrameFlag.END_STREAM) === 0) {
        streams.fail(stream, ErrorCode.PROTOCOL_ERROR);
      } else {
        this.#endRequest(stream);
      }
    }
  }

  /** RFC 9113, section 6.1 */
  onData(bytes: Buffer, start: number, end: number, flags: number, streamId: number): void {
    const connection = this.#connection;
    const { streams } = connection;
    const length = end - start;
    let from = start;
    let to = end;
    if ((flags & FrameFlag.PADDED) !== 0) {
      to -= bytes[from++] ?? 0;
    }
    if (from > to || from > end) {
      connection.fail(ErrorCode.PROTOCOL_ERROR, "padding exceeds the frame");
      return;
    }
    if (streamId === 0 || streams.isIdle(streamId)) {
      connection.fail(ErrorCode.PROTOCOL_ERROR, "DATA on an idle stream");
      return;
    }
    if (!this.#countInput(length) || streamId > streams.latestId) {
      return;
    }
    const stream = streams.get(streamId);
    if (stream === undefined) {
      this.#onClosedStream(streamId);
      return;
    }
    stream.received += to - from;
    stream.unacknowledged += length;
    const { contentLength } = stream.head;
    if (stream.isEnded) {
      streams.fail(stream, ErrorCode.STREAM_CLOSED);
    } else if (stream.unacknowledged > INITIAL_WINDOW) {
      streams.fail(stream, ErrorCode.FLOW_CONTROL_ERROR);
    } else if (contentLength !== undefined && stream.received > contentLength) {
      streams.fail(stream, ErrorCode.PROTOCOL_ERROR);
    } else {
      this.#onBody(stream, bytes.subarray(from, to), length, (flags & FrameFlag.END_STREAM) !== 0);
    }
  }

  /** Passes on the bytes of a valid DATA frame. `length` is the length of its payload, with its padding. */
  #onBody(stream: Http2Stream, body: Uint8Array, length: number, isLast: boolean): void {
    const padding = length - body.length;
    if (padding > 0 && !isLast) {
      // Padding is not read (RFC 9113, section 6.9.1).
      stream.unacknowledged -= padding;
      this.#connection.sender.windowUpdate(stream.id, padding);
    }
    if (body.length > 0) {
      stream.receive(body);
    } else if (!isLast) {
      this.#connection.countIdleFrame();
    }
    if (isLast && !stream.isClosed) {
      this.#endRequest(stream);
    }
  }

  #endRequest(stream: Http2Stream): void {
    const { streams } = this.#connection;
    if (stream.head.contentLength !== undefined && stream.received !== stream.head.contentLength) {
      streams.fail(stream, ErrorCode.PROTOCOL_ERROR);
    } else {
      stream.end();
      if (stream.isSent) {
        streams.complete(stream);
      }
    }
  }

  /** Counts bytes against the window of the connection, which is refilled at once: those of streams limit the buffered bytes. */
  #countInput(length: number): boolean {
    this.#unacknowledged += length;
    if (this.#unacknowledged > CONNECTION_WINDOW) {
      this.#connection.fail(ErrorCode.FLOW_CONTROL_ERROR, "the connection's window is exceeded");
      return false;
    }
    if (this.#unacknowledged >= CONNECTION_WINDOW / 2) {
      this.#connection.sender.windowUpdate(0, this.#unacknowledged);
      this.#unacknowledged = 0;
    }
    return true;
  }

  /** Handles a frame for a stream that is closed (RFC 9113, section 5.1). */
  #onClosedStream(streamId: number): void {
    const { streams } = this.#connection;
    switch (streams.resetBy(streamId)) {
      case "server":
        // The client sent it before it received the reset.
        this.#connection.countIdleFrame();
        return;
      case "client":
        streams.reject(streamId, ErrorCode.STREAM_CLOSED);
        return;
      default:
        this.#connection.fail(ErrorCode.STREAM_CLOSED, "frame on a closed stream");
    }
  }
}
