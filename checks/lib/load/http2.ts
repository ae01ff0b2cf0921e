import { HpackDecoder } from "../../../packages/http-server/src/http2/hpack/decoder.js";
import type { HeaderBlock } from "../../../packages/http-server/src/http2/hpack/header-block.js";
import {
  ACK,
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  HAS_PRIORITY,
  PADDED,
  settings,
  uint32,
} from "../../../packages/http-server/test/http2/raw-http2.js";
import {
  type Connection,
  type ConnectionOptions,
  type Listener,
  openOutput,
  type Protocol,
} from "./connection.js";
import type { Encoded, Workload } from "./workload.js";

const FRAME_HEAD = 9;
/** The largest payload that every peer accepts (RFC 9113, section 4.2). */
const MAX_FRAME = 16_384;
/** The receive window of the connection and of each stream. It hardly ever needs an update. */
const WINDOW = 2 ** 30;
/** The window before SETTINGS and WINDOW_UPDATE frames (section 6.9.2). */
const INITIAL_WINDOW = 65_535;

const { DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION } = FRAME;
const [HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE] = [1, 2, 3, 4];
const REFUSED_STREAM = 7;
const LIMITS = { maxHeaderBytes: 65_536, maxHeaderFields: 1000 };

/** Indexes of the static table (RFC 7541, appendix A), and its length. */
const STATIC: Readonly<Record<string, number>> = {
  ":authority": 1,
  ":method": 2,
  ":path": 4,
  ":scheme": 6,
  "content-length": 28,
  "content-type": 31,
};
const STATIC_LENGTH = 61;

/** A literal field (sections 6.2.1 and 6.2.2), without Huffman code. */
function literal(name: string, value: string, isIndexed: boolean): Buffer {
  const index = STATIC[name] ?? 0;
  const [prefix, mask] = isIndexed ? [0x40, 0x3f] : [0, 0x0f];
  const text = (string: string): Buffer => {
    if (string.length >= 0x7f + 0x80) {
      throw new Error("a header is too long");
    }
    const length = string.length < 0x7f ? [string.length] : [0x7f, string.length - 0x7f];
    return Buffer.concat([Buffer.from(length), Buffer.from(string, "latin1")]);
  };
  const head = index < mask ? [prefix | index] : [prefix | mask, index - mask];
  return Buffer.concat([Buffer.from(head), ...(index === 0 ? [text(name)] : []), text(value)]);
}

/**
 * Encodes requests as HEADERS and DATA frames of stream 0. Fields that all requests share are indexes of the dynamic table, as
 * common clients send them. Others are literals.
 */
export function encodeHttp2(
  { grpc, method, authority, headers, requests }: Workload,
  isTls: boolean,
): Encoded {
  const sharesPath = requests.every(({ path }) => path === requests[0]?.path);
  const pseudo: [string, string][] = [
    [":method", method],
    [":scheme", isTls ? "https" : "http"],
    [":authority", authority],
    ...(sharesPath ? [[":path", requests[0]?.path ?? ""] as [string, string]] : []),
  ];
  const shared = [...pseudo, ...headers];
  const first = shared.map(([name, value]) => literal(name, value, true));
  // The field that was added last has the lowest index.
  const indexed = shared.map((_, index) => Buffer.from([0x80 | (STATIC_LENGTH + shared.length - index)]));
  const encode = (fields: readonly Buffer[], { path, body }: Workload["requests"][number]): Buffer => {
    const block = Buffer.concat([
      ...fields.slice(0, pseudo.length),
      ...(sharesPath ? [] : [literal(":path", path, false)]),
      ...fields.slice(pseudo.length),
      ...(body.length > 0 && !grpc ? [literal("content-length", String(body.length), false)] : []),
    ]);
    const frames = [frame(HEADERS, END_HEADERS | (body.length === 0 ? END_STREAM : 0), 0, block)];
    for (let at = 0; at < body.length; at += MAX_FRAME) {
      const isLast = at + MAX_FRAME >= body.length;
      frames.push(frame(DATA, isLast ? END_STREAM : 0, 0, body.subarray(at, at + MAX_FRAME)));
    }
    return Buffer.concat(frames);
  };
  return {
    http: 2,
    requests: requests.map((request) => encode(indexed, request)),
    opening: (index) => encode(first, requests[index] ?? { path: "/", body: Buffer.alloc(0) }),
    largest: Math.max(...requests.map(({ body }) => body.length)),
  };
}

interface Stream<T> {
  readonly ticket: T;
  status: number;
  grpcStatus: string | undefined;
  length: number;
  readonly parts: Buffer[];
}

/** Opens a connection of HTTP/2 with at most `maxStreams` requests at a time. */
export function connectHttp2<T>(
  url: URL,
  { requests, opening, largest }: Encoded,
  listener: Listener<T>,
  { ca, keepsBodies = false }: ConnectionOptions,
  maxStreams: number,
): Connection<T> {
  const decoder = new HpackDecoder(LIMITS);
  const streams = new Map<number, Stream<T>>();
  let nextId = 1;
  let sendWindow = INITIAL_WINDOW;
  let received = 0;
  let allowed = maxStreams;
  let isOpen = true;
  /** A header block that continues in the next frame, with the flags of its first frame. */
  let fragment: Buffer | undefined;
  let blockFlags = 0;

  function complete(id: number, { ticket, status, grpcStatus, length, parts }: Stream<T>, now: number): void {
    streams.delete(id);
    listener.answered(
      ticket,
      { status, grpcStatus, length, body: keepsBodies ? Buffer.concat(parts) : undefined },
      now,
    );
  }

  function lose(id: number, problem: string, isUnread: boolean): void {
    const stream = streams.get(id);
    if (stream !== undefined) {
      streams.delete(id);
      listener.lost(stream.ticket, problem, isUnread);
    }
  }

  function onBlock(id: number, bytes: Buffer, start: number, end: number, now: number): void {
    const block: HeaderBlock | undefined = decoder.decode(bytes, start, end);
    if (block === undefined) {
      throw new Error("a header block is invalid");
    }
    const stream = streams.get(id);
    if (stream === undefined) {
      return;
    }
    const { list } = block;
    for (let at = 0; at < list.length; at += 2) {
      if (list[at] === ":status") {
        stream.status = Number(list[at + 1]);
      } else if (list[at] === "grpc-status") {
        stream.grpcStatus = list[at + 1];
      }
    }
    if ((blockFlags & END_STREAM) !== 0) {
      complete(id, stream, now);
    }
  }

  function onData(id: number, flags: number, bytes: Buffer, start: number, end: number, now: number): void {
    received += end - start;
    if (received > WINDOW / 2) {
      output.append(frame(WINDOW_UPDATE, 0, 0, uint32(received)));
      received = 0;
    }
    const stream = streams.get(id);
    if (stream === undefined) {
      return;
    }
    const isPadded = (flags & PADDED) !== 0;
    const from = isPadded ? start + 1 : start;
    const to = isPadded ? end - (bytes[start] ?? 0) : end;
    stream.length += to - from;
    if (keepsBodies) {
      stream.parts.push(Buffer.from(bytes.subarray(from, to)));
    }
    if ((flags & END_STREAM) !== 0) {
      complete(id, stream, now);
    }
  }

  function onHeaders(
    id: number,
    flags: number,
    bytes: Buffer,
    start: number,
    end: number,
    now: number,
  ): void {
    const isPadded = (flags & PADDED) !== 0;
    const from = start + (isPadded ? 1 : 0) + ((flags & HAS_PRIORITY) === 0 ? 0 : 5);
    const to = isPadded ? end - (bytes[start] ?? 0) : end;
    blockFlags = flags;
    if ((flags & END_HEADERS) !== 0) {
      onBlock(id, bytes, from, to, now);
    } else {
      fragment = Buffer.from(bytes.subarray(from, to));
    }
  }

  function onSettings(payload: Buffer): void {
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      const [setting, value] = [payload.readUInt16BE(at), payload.readUInt32BE(at + 2)];
      if (setting === MAX_CONCURRENT_STREAMS) {
        allowed = Math.min(maxStreams, value);
      } else if (
        (setting === HEADER_TABLE_SIZE && value < 4096) ||
        (setting === INITIAL_WINDOW_SIZE && value < largest)
      ) {
        throw new Error(`the server sets ${setting} to ${value}, which is too small`);
      }
    }
  }

  function onOther(type: number, flags: number, id: number, payload: Buffer, now: number): void {
    if (type === CONTINUATION) {
      fragment = Buffer.concat([fragment ?? Buffer.alloc(0), payload]);
      if ((flags & END_HEADERS) !== 0) {
        onBlock(id, fragment, 0, fragment.length, now);
      }
    } else if (type === RST_STREAM) {
      const code = payload.readUInt32BE();
      lose(id, `reset ${code}`, code === REFUSED_STREAM);
    } else if (type === SETTINGS && (flags & ACK) === 0) {
      output.append(frame(SETTINGS, ACK, 0));
      onSettings(payload);
    } else if (type === PING && (flags & ACK) === 0) {
      output.append(frame(PING, ACK, 0, payload));
    } else if (type === WINDOW_UPDATE && id === 0) {
      sendWindow += payload.readUInt32BE();
    } else if (type === GOAWAY) {
      isOpen = false;
      const last = payload.readUInt32BE();
      for (const unread of [...streams.keys()].filter((each) => each > last)) {
        lose(unread, "GOAWAY", true);
      }
    }
  }

  const protocol: Protocol = {
    read: (chunk, now) => {
      let at = 0;
      while (chunk.length - at >= FRAME_HEAD) {
        const length =
          ((chunk[at] as number) << 16) | ((chunk[at + 1] as number) << 8) | (chunk[at + 2] as number);
        const start = at + FRAME_HEAD;
        const end = start + length;
        if (length > MAX_FRAME) {
          throw new Error(`a frame has ${length} bytes`);
        }
        if (end > chunk.length) {
          break;
        }
        const type = chunk[at + 3] as number;
        const flags = chunk[at + 4] as number;
        const id = chunk.readUInt32BE(at + 5) & 0x7fffffff;
        if (type === DATA) {
          onData(id, flags, chunk, start, end, now);
        } else if (type === HEADERS) {
          onHeaders(id, flags, chunk, start, end, now);
        } else {
          onOther(type, flags, id, chunk.subarray(start, end), now);
        }
        at = end;
      }
      listener.idle();
      if (!isOpen && streams.size === 0) {
        output.end();
      }
      return at;
    },
    closed: (problem) => {
      isOpen = false;
      for (const id of [...streams.keys()]) {
        lose(id, problem, false);
      }
      listener.closed(problem);
    },
  };
  const output = openOutput(url, 2, ca, () => protocol);

  output.append(Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
  output.append(frame(SETTINGS, 0, 0, settings([ENABLE_PUSH, 0], [INITIAL_WINDOW_SIZE, WINDOW])));
  output.append(frame(WINDOW_UPDATE, 0, 0, uint32(WINDOW - INITIAL_WINDOW)));

  return {
    room: () => (isOpen && sendWindow >= largest ? allowed - streams.size : 0),
    isOpen: () => isOpen,
    send: (index, ticket) => {
      const id = nextId;
      nextId += 2;
      streams.set(id, { ticket, status: 0, grpcStatus: undefined, length: 0, parts: [] });
      const request = id === 1 ? opening?.(index) : requests[index];
      if (request === undefined) {
        throw new Error(`there is no request ${index}`);
      }
      const target = output.reserve(request.length);
      let at = output.at;
      const end = at + request.copy(target, at);
      output.at = end;
      while (at < end) {
        const length =
          ((target[at] as number) << 16) | ((target[at + 1] as number) << 8) | (target[at + 2] as number);
        target.writeUInt32BE(id, at + 5);
        sendWindow -= target[at + 3] === DATA ? length : 0;
        at += FRAME_HEAD + length;
      }
    },
    flush: output.flush,
    destroy: () => output.destroy(),
    localPort: output.localPort,
    connected: output.connected,
  };
}
