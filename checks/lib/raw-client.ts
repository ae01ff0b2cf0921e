import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
} from "node:http2";
import { connect, type Socket } from "node:net";

/** A request with valid framing and any content. */
export interface RawRequest {
  readonly http: 1 | 2;
  readonly httpMethod: string;
  /** The path and query, as sent. */
  readonly target: string;
  /** Names and values, in sending order. `host` becomes `:authority` in HTTP/2. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** The outcome of a request. Names of headers are in lower case; repeated values are joined by commas. */
export interface RawResponse {
  /** 0 without a response. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly trailers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /**
   * `complete`; `closed` if the connection ended before the response; `late` after the timeout; `reset …` with the code of HTTP/2.
   */
  readonly end: "complete" | "closed" | "late" | `reset ${string}`;
}

/** How a client connects. */
export interface ClientOptions {
  readonly port: number;
  /** Opens a connection. Default: in cleartext to 127.0.0.1. */
  readonly open?: (alpn: "http/1.1" | "h2") => Socket;
  /** Whether it sends several requests over one HTTP/1.1 connection. */
  readonly keepsAlive?: boolean;
  /** The number of HTTP/2 connections. Default: 4. */
  readonly sessions?: number;
  /** The maximum duration of a response, in milliseconds. */
  readonly timeout: number;
}

/** Sends requests that other clients do not send. */
export interface RawClient {
  /** Resolves to the outcome, also if there is no response. */
  send(request: RawRequest): Promise<RawResponse>;
  /** The number of connections that it has opened. */
  readonly opened: number;
  close(): void;
}

const NOTHING = { status: 0, headers: {}, trailers: {}, body: Buffer.alloc(0) };
/** Servers end a session after about 1,000 resets; this limit stays below. */
const REQUESTS_PER_SESSION = 700;

/** Creates a client. HTTP/1.1 goes over as many connections as there are concurrent requests, HTTP/2 over a few. */
export function createRawClient({
  port,
  open = () => connect({ port, host: "127.0.0.1", noDelay: true }),
  keepsAlive = true,
  sessions: sessionCount = 4,
  timeout,
}: ClientOptions): RawClient {
  const idle: Socket[] = [];
  const sessions: ({ session: ClientHttp2Session; requests: number } | undefined)[] = [];
  let opened = 0;
  let turn = 0;

  function openSocket(alpn: "http/1.1" | "h2"): Socket {
    opened++;
    // The pending request handles the end of the connection.
    return open(alpn).on("error", () => {});
  }

  /** Skips connections that were closed while idle. */
  function idleSocket(): Socket | undefined {
    for (let socket = idle.pop(); socket !== undefined; socket = idle.pop()) {
      if (!socket.destroyed && socket.readable) {
        return socket;
      }
    }
    return undefined;
  }

  function nextSession(): ClientHttp2Session {
    turn = (turn + 1) % sessionCount;
    const current = sessions[turn];
    if (
      current !== undefined &&
      current.requests < REQUESTS_PER_SESSION &&
      !current.session.closed &&
      !current.session.destroyed
    ) {
      current.requests++;
      return current.session;
    }
    current?.session.close();
    const options = { createConnection: () => openSocket("h2") };
    const session = connectHttp2(`http://127.0.0.1:${port}`, options).on("error", () => {});
    sessions[turn] = { session, requests: 1 };
    return session;
  }

  function sendHttp1(request: RawRequest): Promise<RawResponse> {
    const { httpMethod } = request;
    return new Promise((resolve) => {
      const socket = idleSocket() ?? openSocket("http/1.1");
      let received: Buffer = Buffer.alloc(0);
      const finish = (response: RawResponse, keep: boolean): void => {
        clearTimeout(timer);
        socket.off("data", onData).off("close", onClose);
        if (keep && keepsAlive) {
          idle.push(socket);
        } else {
          socket.destroy();
        }
        resolve(response);
      };
      const onData = (chunk: Buffer): void => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const response = readResponse(received, httpMethod, false);
        if (response !== undefined) {
          const isLast = response.headers.connection === "close" || received.length > response.length;
          finish(response, !isLast);
        }
      };
      const onClose = (): void =>
        finish(readResponse(received, httpMethod, true) ?? { ...NOTHING, end: "closed" }, false);
      const timer = setTimeout(() => finish({ ...NOTHING, end: "late" }, false), timeout);
      socket.on("data", onData).on("close", onClose);
      socket.write(requestBytes(request));
    });
  }

  function sendHttp2(request: RawRequest): Promise<RawResponse> {
    return new Promise((resolve) => {
      const session = nextSession();
      const stream = openStream(session, request);
      const parts: Buffer[] = [];
      const seen = { status: 0, headers: {}, trailers: {} };
      let isComplete = false;
      const finish = (end: RawResponse["end"]): void => {
        clearTimeout(timer);
        resolve({ ...seen, body: Buffer.concat(parts), end });
      };
      const timer = setTimeout(() => {
        // The stream may never close if its session is broken.
        finish("late");
        stream.close(constants.NGHTTP2_CANCEL);
      }, timeout);
      stream.on("response", ({ ":status": status = 0, ...headers }) => {
        Object.assign(seen, { status, headers: texts(headers) });
      });
      stream.on("trailers", (trailers) => Object.assign(seen, { trailers: texts(trailers) }));
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        isComplete = seen.status !== 0;
      });
      // A server may reset the rest of a request that it has answered.
      stream.on("error", () => {});
      stream.on("close", () => {
        const code = stream.rstCode ?? 0;
        const isGone = session.destroyed && !STREAM_CODES.includes(code);
        finish(isComplete ? "complete" : isGone ? "closed" : `reset ${CODES.get(code) ?? code}`);
      });
      stream.end(request.body);
    });
  }

  return {
    send: (request) => (request.http === 1 ? sendHttp1(request) : sendHttp2(request)),
    get opened() {
      return opened;
    },
    close: () => {
      for (const each of [...idle, ...sessions.map((entry) => entry?.session)]) {
        each?.destroy();
      }
    },
  };
}

/** Formats a request for HTTP/1.1 (RFC 9112). Its length is always correct. */
function requestBytes({ httpMethod, target, headers, body }: RawRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/g, " ")}`);
  if (body.length > 0 || httpMethod === "POST") {
    lines.push(`content-length: ${body.length}`);
  }
  const start = `${httpMethod} ${target.replaceAll(/[\r\n ]/g, "+") || "/"} HTTP/1.1`;
  return Buffer.concat([Buffer.from(`${[start, ...lines].join("\r\n")}\r\n\r\n`), body]);
}

/** Parses an HTTP/1.1 response (RFC 9112) after any interim ones, and its length. Returns undefined while it is incomplete. */
function readResponse(
  bytes: Buffer,
  httpMethod: string,
  hasEnded: boolean,
): (RawResponse & { length: number }) | undefined {
  let start = 0;
  let status = 0;
  let headers: Record<string, string> = {};
  while (status < 200) {
    const end = bytes.indexOf("\r\n\r\n", start);
    if (end === -1) {
      return undefined;
    }
    const head = bytes.toString("latin1", start, end);
    status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 999);
    headers = readFields(head.split("\r\n").slice(1));
    start = end + 4;
  }
  const response = { status, headers, trailers: {}, end: "complete" } as const;
  if (httpMethod === "HEAD" || status === 204 || status === 304) {
    return { ...response, body: Buffer.alloc(0), length: start };
  }
  if (headers["transfer-encoding"] === "chunked") {
    return readChunks(bytes, start, response);
  }
  const end = headers["content-length"] === undefined ? undefined : start + Number(headers["content-length"]);
  return end === undefined
    ? hasEnded
      ? { ...response, body: bytes.subarray(start), length: bytes.length }
      : undefined
    : bytes.length < end
      ? undefined
      : { ...response, body: bytes.subarray(start, end), length: end };
}

/** Parses chunks and trailers (RFC 9112, section 7.1). */
function readChunks(bytes: Buffer, start: number, response: Omit<RawResponse, "body">) {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const length = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + length + 2;
    if (lineEnd === -1 || bytes.length < end) {
      return undefined;
    }
    if (length === 0) {
      const last = bytes.indexOf("\r\n\r\n", lineEnd);
      const lines = bytes.toString("latin1", lineEnd + 2, last).split("\r\n");
      const trailers = readFields(lines.filter((line) => line !== ""));
      return last < 0 ? undefined : { ...response, trailers, body: Buffer.concat(chunks), length: last + 4 };
    }
    chunks.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}

/** Reads lines of fields: of a head, or of the trailers in a body of gRPC-Web. */
export function readFields(lines: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    fields[name] = fields[name] === undefined ? value : `${fields[name]}, ${value}`;
  }
  return fields;
}

/** Codes that concern the stream itself, even if its session has ended. Node does not send headers that are too long. */
const STREAM_CODES: readonly number[] = [constants.NGHTTP2_PROTOCOL_ERROR, constants.NGHTTP2_REFUSED_STREAM];

const CODES = new Map(
  Object.entries(constants)
    .filter(([name]) =>
      /^NGHTTP2_(?!ERR_)(NO_ERROR|\w+_ERROR|REFUSED_STREAM|CANCEL|STREAM_CLOSED|ENHANCE_YOUR_CALM)$/.test(
        name,
      ),
    )
    .map(([name, code]) => [code, name.slice("NGHTTP2_".length)] as const),
);

function texts(fields: object): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

/** Opens a stream with the headers of a request, except those that `node:http2` does not send. */
function openStream(
  session: ClientHttp2Session,
  { httpMethod, target, headers }: RawRequest,
): ClientHttp2Stream {
  const method = httpMethod.replaceAll(/[^\w-]/g, "") || "GET";
  const path = httpMethod === "CONNECT" ? {} : { ":path": target || "/" };
  const pseudo: Record<string, string> = { ":method": method, ":authority": "a.example", ...path };
  const last: Record<string, string> = { ...pseudo };
  const all: Record<string, string | string[]> = { ...pseudo };
  for (const [name, value] of headers) {
    const key = name === "host" ? ":authority" : name;
    const clean = value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?");
    const earlier = key === ":authority" ? undefined : all[key];
    all[key] = earlier === undefined ? clean : [earlier, clean].flat();
    last[key] = clean;
  }
  for (const sent of [all, last]) {
    try {
      return session.request(sent, { endStream: false });
    } catch {
      // A header that must be unique is repeated: send the last value only.
    }
  }
  return session.request(pseudo, { endStream: false });
}
