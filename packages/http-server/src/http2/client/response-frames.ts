import { ByteCollector } from "../../core/byte-collector.js";
import type { SectionLimits } from "../../core/rules.js";
import {
  ErrorCode,
  FRAME_HEADER,
  FrameFlag,
  FrameType,
  Http2Setting,
  INITIAL_WINDOW,
  MAX_FRAME,
  MAX_UINT31,
  payloadLength,
  readUint31,
} from "../frames/frames.js";
import { HpackDecoder } from "../hpack/decoder.js";
import type { StreamTable } from "../streams/stream-table.js";
import type { ClientStream, StreamOwner } from "./stream.js";

/** The window of a connection for the data of all its responses, in bytes. */
const CONNECTION_WINDOW = 4 * 1024 * 1024;

/** By how many bytes the window of a connection is enlarged at its start. */
export const ADDED_WINDOW: number = CONNECTION_WINDOW - INITIAL_WINDOW;

/** The maximum number of the frames of one header section. */
const MAX_PARTS = 32;

/** What the frames of a server need of their connection. */
export interface ResponseConnection extends StreamOwner {
  readonly streams: StreamTable<ClientStream>;
  /** Whether nothing is read or sent any more. */
  readonly isOver: boolean;
  readonly nextId: number;
  /** The number of open streams that the server allows. */
  maxStreams: number;
  /** Closes the connection because of an error of the server (RFC 9113, section 5.4.1). */
  fail(code: number, problem: string): void;
  onSettings(): void;
  /** @param lastId the last stream that the server serves */
  onGoaway(lastId: number): void;
}

/** Reads the frames of a server (RFC 9113). An invalid one closes the connection. */
export class ResponseFrames {
  readonly #connection: ResponseConnection;
  readonly #decoder: HpackDecoder;
  readonly #limits: SectionLimits;
  #hasSettings = false;
  /** The stream of the header section that CONTINUATION frames continue; 0 outside of one. */
  #openSection = 0;
  #flags = 0;
  #count = 0;
  readonly #parts = new ByteCollector();
  #unacknowledged = 0;

  constructor(connection: ResponseConnection, limits: SectionLimits) {
    this.#connection = connection;
    this.#decoder = new HpackDecoder(limits);
    this.#limits = limits;
  }

  /** Handles complete frames. Returns the position of the first byte that waits. */
  read(bytes: Buffer): number {
    const connection = this.#connection;
    let at = 0;
    while (bytes.length - at >= FRAME_HEADER && !connection.isOver) {
      const length = payloadLength(bytes, at);
      if (length > MAX_FRAME) {
        connection.fail(ErrorCode.FRAME_SIZE_ERROR, "a frame is too large");
        break;
      }
      const start = at + FRAME_HEADER;
      const end = start + length;
      if (end > bytes.length) {
        break;
      }
      this.#handle(bytes, start, end);
      at = end;
    }
    return at;
  }

  #handle(bytes: Buffer, start: number, end: number): void {
    const type = bytes[start - 6] ?? 0;
    const flags = bytes[start - 5] ?? 0;
    const streamId = readUint31(bytes, start - 4);
    if (!this.#hasSettings && (type !== FrameType.SETTINGS || (flags & FrameFlag.ACK) !== 0)) {
      this.#fail("the first frame is not SETTINGS");
      return;
    }
    const isContinued = type === FrameType.CONTINUATION && streamId === this.#openSection;
    if (this.#openSection !== 0 && !isContinued) {
      this.#fail("a header section is not continued");
      return;
    }
    switch (type) {
      case FrameType.DATA:
        this.#onData(bytes, start, end, flags, streamId);
        break;
      case FrameType.HEADERS:
        this.#onHeaders(bytes, start, end, flags, streamId);
        break;
      case FrameType.CONTINUATION:
        this.#onContinuation(bytes, start, end, flags);
        break;
      case FrameType.RST_STREAM:
        this.#onReset(bytes, start, end, streamId);
        break;
      case FrameType.SETTINGS:
        this.#onSettings(bytes.subarray(start, end), flags, streamId);
        break;
      case FrameType.PING:
        this.#onPing(bytes.subarray(start, end), flags, streamId);
        break;
      case FrameType.GOAWAY:
        this.#onGoaway(bytes, start, end, streamId);
        break;
      case FrameType.WINDOW_UPDATE:
        this.#onWindowUpdate(bytes, start, end, streamId);
        break;
      case FrameType.PUSH_PROMISE:
        this.#fail("the server pushes, which is disabled");
        break;
      // RFC 9113, sections 5.3.2 and 5.5: priorities and unknown types are ignored.
    }
  }

  #fail(problem: string, code: number = ErrorCode.PROTOCOL_ERROR): void {
    this.#connection.fail(code, problem);
  }

  /** RFC 9113, section 6.2 */
  #onHeaders(bytes: Buffer, start: number, end: number, flags: number, streamId: number): void {
    let from = start;
    let to = end;
    if ((flags & FrameFlag.PADDED) !== 0) {
      to -= bytes[from++] ?? 0;
    }
    if ((flags & FrameFlag.HAS_PRIORITY) !== 0) {
      from += 5;
    }
    if (from > to || from > end) {
      this.#fail("padding exceeds the frame");
    } else if ((flags & FrameFlag.END_HEADERS) === 0) {
      this.#openSection = streamId;
      this.#flags = flags;
      this.#count = 1;
      this.#parts.add(bytes.subarray(from, to));
    } else {
      this.#onBlock(bytes, from, to, flags, streamId);
    }
  }

  /** RFC 9113, section 6.10 */
  #onContinuation(bytes: Buffer, start: number, end: number, flags: number): void {
    const streamId = this.#openSection;
    if (streamId === 0) {
      this.#fail("CONTINUATION without HEADERS");
      return;
    }
    this.#parts.add(bytes.subarray(start, end));
    this.#count += 1;
    // A section is longer than its block; some room is for the overhead of the encoding.
    if (this.#parts.length > 2 * this.#limits.maxHeaderBytes || this.#count > MAX_PARTS) {
      this.#fail("a header section is too large", ErrorCode.ENHANCE_YOUR_CALM);
    } else if ((flags & FrameFlag.END_HEADERS) !== 0) {
      this.#openSection = 0;
      const block = this.#parts.take();
      this.#onBlock(block, 0, block.length, this.#flags, streamId);
    }
  }

  #onBlock(bytes: Buffer, from: number, to: number, flags: number, streamId: number): void {
    // Blocks of streams that were reset change the dynamic table as well (RFC 9113, section 4.3).
    const block = this.#decoder.decode(bytes, from, to);
    if (block === undefined) {
      this.#fail("invalid header block", ErrorCode.COMPRESSION_ERROR);
    } else if (this.#isUsed(streamId)) {
      this.#connection.streams.get(streamId)?.onBlock(block, (flags & FrameFlag.END_STREAM) !== 0);
    }
  }

  /** Whether a stream is or was open. If not, its frame is an error. */
  #isUsed(streamId: number): boolean {
    const isUsed = streamId % 2 === 1 && streamId < this.#connection.nextId;
    if (!isUsed) {
      this.#fail("a frame of a stream that does not exist");
    }
    return isUsed;
  }

  /** RFC 9113, section 6.1 */
  #onData(bytes: Buffer, start: number, end: number, flags: number, streamId: number): void {
    const length = end - start;
    let from = start;
    let to = end;
    if ((flags & FrameFlag.PADDED) !== 0) {
      to -= bytes[from++] ?? 0;
    }
    if (from > to || from > end) {
      this.#fail("padding exceeds the frame");
    } else if (this.#isUsed(streamId)) {
      this.#countInput(length);
      const stream = this.#connection.streams.get(streamId);
      stream?.onData(bytes.subarray(from, to), length, (flags & FrameFlag.END_STREAM) !== 0);
    }
  }

  /** Counts bytes against the window of the connection, which is enlarged at once: those of streams limit what is kept. */
  #countInput(length: number): void {
    this.#unacknowledged += length;
    if (this.#unacknowledged >= CONNECTION_WINDOW / 2) {
      this.#connection.sender.windowUpdate(0, this.#unacknowledged);
      this.#unacknowledged = 0;
    }
  }

  /** RFC 9113, section 6.4 */
  #onReset(bytes: Buffer, start: number, end: number, streamId: number): void {
    if (end - start !== 4) {
      this.#fail("invalid length of RST_STREAM", ErrorCode.FRAME_SIZE_ERROR);
    } else if (this.#isUsed(streamId)) {
      const code = bytes.readUInt32BE(start);
      this.#connection.streams.get(streamId)?.onClose({ kind: "reset", code });
    }
  }

  /** RFC 9113, section 6.5 */
  #onSettings(payload: Buffer, flags: number, streamId: number): void {
    const isAck = (flags & FrameFlag.ACK) !== 0;
    if (streamId !== 0) {
      this.#fail("SETTINGS on a stream");
    } else if (isAck ? payload.length !== 0 : payload.length % 6 !== 0) {
      this.#fail("invalid length of SETTINGS", ErrorCode.FRAME_SIZE_ERROR);
    } else if (!isAck) {
      for (let at = 0; at < payload.length; at += 6) {
        this.#onSetting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
      }
      this.#hasSettings = true;
      this.#connection.onSettings();
    }
  }

  /** RFC 9113, section 6.5.2. Our frames have the smallest maximum, and our header blocks do not use a table. */
  #onSetting(setting: number, value: number): void {
    const connection = this.#connection;
    if (setting === Http2Setting.MAX_CONCURRENT_STREAMS) {
      connection.maxStreams = value;
    } else if (setting === Http2Setting.MAX_FRAME_SIZE && (value < MAX_FRAME || value > 0xff_ffff)) {
      this.#fail("invalid SETTINGS_MAX_FRAME_SIZE");
    } else if (setting === Http2Setting.INITIAL_WINDOW_SIZE) {
      const isExceeded = ({ sendCredit }: { sendCredit: number }) => sendCredit + value > MAX_UINT31;
      if (value > MAX_UINT31 || connection.streams.values().some(isExceeded)) {
        this.#fail("invalid SETTINGS_INITIAL_WINDOW_SIZE", ErrorCode.FLOW_CONTROL_ERROR);
      } else {
        connection.sender.initialWindow = value;
      }
    }
  }

  /** RFC 9113, section 6.7 */
  #onPing(payload: Buffer, flags: number, streamId: number): void {
    if (streamId !== 0) {
      this.#fail("PING on a stream");
    } else if (payload.length !== 8) {
      this.#fail("invalid length of PING", ErrorCode.FRAME_SIZE_ERROR);
    } else if ((flags & FrameFlag.ACK) === 0) {
      this.#connection.sender.control(FrameType.PING, FrameFlag.ACK, 0, payload);
    }
  }

  /** RFC 9113, section 6.8 */
  #onGoaway(bytes: Buffer, start: number, end: number, streamId: number): void {
    if (streamId !== 0) {
      this.#fail("GOAWAY on a stream");
    } else if (end - start < 8) {
      this.#fail("invalid length of GOAWAY", ErrorCode.FRAME_SIZE_ERROR);
    } else {
      this.#connection.onGoaway(readUint31(bytes, start));
    }
  }

  /** RFC 9113, section 6.9 */
  #onWindowUpdate(bytes: Buffer, start: number, end: number, streamId: number): void {
    if (end - start !== 4) {
      this.#fail("invalid length of WINDOW_UPDATE", ErrorCode.FRAME_SIZE_ERROR);
      return;
    }
    const { sender, streams } = this.#connection;
    const increment = readUint31(bytes, start);
    if (streamId === 0) {
      if (increment === 0 || !sender.addWindow(increment)) {
        this.#fail("invalid window of the connection", ErrorCode.FLOW_CONTROL_ERROR);
      }
    } else if (this.#isUsed(streamId)) {
      const stream = streams.get(streamId);
      if (stream === undefined) {
        return;
      }
      if (increment === 0 || sender.initialWindow + stream.sendCredit + increment > MAX_UINT31) {
        stream.fail("its window is invalid", ErrorCode.FLOW_CONTROL_ERROR);
      } else {
        stream.sendCredit += increment;
        sender.resumeStream(stream);
      }
    }
  }
}
