import { connect, type Socket } from "node:net";
import type { Random } from "../random.js";
import type { ProtocolRequest, ProtocolResponse } from "./request.js";

/** Formats a request for HTTP/1.1 (RFC 9112). Its length is always correct. */
export function http1Bytes(random: Random, { httpMethod, target, headers, body }: ProtocolRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${withoutBreaks(value)}`);
  const isChunked = body.length > 0 && random.oneIn(8);
  if (isChunked) {
    lines.push("transfer-encoding: chunked");
  } else if (body.length > 0 || httpMethod === "POST") {
    lines.push(`content-length: ${body.length}`);
  }
  const version = random.oneIn(200) ? "1.0" : "1.1";
  const start = `${httpMethod} ${withoutSpaces(target)} HTTP/${version}`;
  const head = Buffer.from(`${[start, ...lines].join("\r\n")}\r\n\r\n`, "utf8");
  return Buffer.concat([head, isChunked ? chunked(random, body) : body]);
}

function chunked(random: Random, body: Uint8Array): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < body.length; ) {
    const end = Math.min(start + 1 + random.below(body.length), body.length);
    const extension = random.oneIn(10) ? ";a=b" : "";
    parts.push(
      Buffer.from(`${(end - start).toString(16)}${extension}\r\n`),
      Buffer.from(body.subarray(start, end)),
      BREAK,
    );
    start = end;
  }
  return Buffer.concat([...parts, Buffer.from(random.oneIn(10) ? "0\r\nx-trailer: a\r\n\r\n" : "0\r\n\r\n")]);
}

const BREAK = Buffer.from("\r\n");

/** Removes line breaks, which would start another header. */
function withoutBreaks(value: string): string {
  return value.replaceAll(/[\r\n]/g, " ");
}

function withoutSpaces(target: string): string {
  return target === "" ? "/" : target.replaceAll(/[\r\n ]/g, "+");
}

/** A response, as far as it was received. */
export interface Http1Response {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Total length in bytes. Undefined for a body that ends with the connection. */
  readonly length: number | undefined;
}

const HEAD_END = "\r\n\r\n";

/** Parses an HTTP/1.1 response (RFC 9112) after any interim ones. Returns undefined while it is incomplete. */
function readHttp1Response(bytes: Buffer, httpMethod: string): Http1Response | undefined {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(HEAD_END, start);
    if (end === -1) {
      return undefined;
    }
    const [first = "", ...lines] = bytes.toString("latin1", start, end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? Number.NaN);
    const bodyStart = end + HEAD_END.length;
    if (status < 100 || status >= 200) {
      return withBody(bytes, bodyStart, httpMethod, status, headersOf(lines));
    }
    start = bodyStart;
  }
}

function withBody(
  bytes: Buffer,
  start: number,
  httpMethod: string,
  status: number,
  headers: ReadonlyMap<string, string>,
): Http1Response | undefined {
  if (httpMethod === "HEAD" || status === 204 || status === 304) {
    return { status, headers, body: Buffer.alloc(0), length: start };
  }
  if (headers.get("transfer-encoding") === "chunked") {
    const read = readChunks(bytes, start);
    return read && { status, headers, body: read.body, length: read.end };
  }
  const length = headers.get("content-length");
  if (length === undefined) {
    return { status, headers, body: bytes.subarray(start), length: undefined };
  }
  const end = start + Number(length);
  return bytes.length < end ? undefined : { status, headers, body: bytes.subarray(start, end), length: end };
}

function headersOf(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return headers;
}

/** Parses chunks (RFC 9112, section 7.1). The server sends no trailers. */
function readChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const length = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + length + 2;
    if (lineEnd === -1 || bytes.length < end) {
      return undefined;
    }
    if (length === 0) {
      return { body: Buffer.concat(chunks), end };
    }
    chunks.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}

/** Sends requests on persistent HTTP/1.1 connections. */
export interface Http1Client {
  /** Resolves to the outcome, also if there is no response. */
  ask(request: ProtocolRequest, bytes: Buffer): Promise<ProtocolResponse>;
  close(): void;
}

const NOTHING: Pick<ProtocolResponse, "status" | "headers" | "body"> = {
  status: 0,
  headers: new Map(),
  body: Buffer.alloc(0),
};

/**
 * Creates a client that sends anything, unlike `node:http`, which rejects most invalid requests. `timeout` is the
 * maximum duration of a response, `abandonAfter` that of an abandoned request, both in milliseconds.
 */
export function createHttp1Client(port: number, timeout: number, abandonAfter: number): Http1Client {
  const idle: Socket[] = [];

  /** Skips connections that were closed while idle. */
  function socketFor(): Socket {
    for (let socket = idle.pop(); socket !== undefined; socket = idle.pop()) {
      if (!socket.destroyed && socket.readable) {
        return socket;
      }
    }
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    // The pending request handles the end of the connection.
    socket.on("error", () => {});
    return socket;
  }

  function ask(request: ProtocolRequest, bytes: Buffer): Promise<ProtocolResponse> {
    return new Promise((resolve) => {
      const socket = socketFor();
      const chunks: Buffer[] = [];
      const finish = (response: ProtocolResponse, keep: boolean): void => {
        clearTimeout(timer);
        socket.off("data", onData).off("close", onClose);
        // After an incomplete request, the server would treat the next one as the rest of it.
        if (keep && !request.breakOff) {
          idle.push(socket);
        } else {
          socket.destroy();
        }
        resolve(response);
      };
      const onData = (chunk: Buffer): void => {
        chunks.push(chunk);
        const received = joined(chunks);
        const response = readHttp1Response(received, request.httpMethod);
        if (response?.length !== undefined) {
          const isLast = response.headers.get("connection") === "close" || received.length > response.length;
          finish({ ...response, end: "complete" }, !isLast);
        }
      };
      const onClose = (): void => {
        const response = readHttp1Response(joined(chunks), request.httpMethod);
        finish(
          response === undefined ? { ...NOTHING, end: "closed" } : { ...response, end: "complete" },
          false,
        );
      };
      const timer = setTimeout(
        () => finish({ ...NOTHING, end: request.breakOff ? "abandoned" : "late" }, false),
        request.breakOff ? abandonAfter : timeout,
      );
      socket.on("data", onData).on("close", onClose);
      socket.write(bytes);
    });
  }

  function close(): void {
    for (const socket of idle) {
      socket.destroy();
    }
  }

  return { ask, close };
}

function joined(chunks: Buffer[]): Buffer {
  const whole = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  chunks.splice(0, chunks.length, whole);
  return whole;
}
