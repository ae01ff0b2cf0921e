import { connect, type Socket } from "node:net";
import type { Random } from "../random.js";
import type { DoorAnswer, DoorRequest } from "./request.js";

/** What a request looks like on a connection of HTTP/1.1 (RFC 9112); its length is always told as it is. */
export function http1Octets(random: Random, { verb, target, headers, body }: DoorRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${withoutBreaks(value)}`);
  const isChunked = body.length > 0 && random.oneIn(8);
  if (isChunked) {
    lines.push("transfer-encoding: chunked");
  } else if (body.length > 0 || verb === "POST") {
    lines.push(`content-length: ${body.length}`);
  }
  const version = random.oneIn(200) ? "1.0" : "1.1";
  const start = `${verb} ${withoutSpaces(target)} HTTP/${version}`;
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

/** A value that ended its line would begin a header of its own. */
function withoutBreaks(value: string): string {
  return value.replaceAll(/[\r\n]/g, " ");
}

function withoutSpaces(target: string): string {
  return target === "" ? "/" : target.replaceAll(/[\r\n ]/g, "+");
}

/** An answer as far as it was read. */
export interface Http1Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Octets that it takes, from its first one; undefined for a body that ends with its connection. */
  readonly length: number | undefined;
}

const HEAD_END = "\r\n\r\n";

/** Reads an answer of HTTP/1.1 (RFC 9112) behind all interim ones; undefined as long as there is not all of it. */
function readHttp1Answer(octets: Buffer, verb: string): Http1Answer | undefined {
  let start = 0;
  for (;;) {
    const end = octets.indexOf(HEAD_END, start);
    if (end === -1) {
      return undefined;
    }
    const [first = "", ...lines] = octets.toString("latin1", start, end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? Number.NaN);
    const bodyStart = end + HEAD_END.length;
    if (status < 100 || status >= 200) {
      return withBody(octets, bodyStart, verb, status, headersOf(lines));
    }
    start = bodyStart;
  }
}

function withBody(
  octets: Buffer,
  start: number,
  verb: string,
  status: number,
  headers: ReadonlyMap<string, string>,
): Http1Answer | undefined {
  if (verb === "HEAD" || status === 204 || status === 304) {
    return { status, headers, body: Buffer.alloc(0), length: start };
  }
  if (headers.get("transfer-encoding") === "chunked") {
    const read = readChunks(octets, start);
    return read && { status, headers, body: read.body, length: read.end };
  }
  const length = headers.get("content-length");
  if (length === undefined) {
    return { status, headers, body: octets.subarray(start), length: undefined };
  }
  const end = start + Number(length);
  return octets.length < end
    ? undefined
    : { status, headers, body: octets.subarray(start, end), length: end };
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

/** RFC 9112, section 7.1; the server sends no trailers. */
function readChunks(octets: Buffer, start: number): { body: Buffer; end: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = octets.indexOf("\r\n", at);
    const length = Number.parseInt(octets.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + length + 2;
    if (lineEnd === -1 || octets.length < end) {
      return undefined;
    }
    if (length === 0) {
      return { body: Buffer.concat(chunks), end };
    }
    chunks.push(octets.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}

/** Sends requests over connections of HTTP/1.1 that it keeps. */
export interface Http1Client {
  /** Resolves to what came back, if only that nothing did. */
  ask(request: DoorRequest, octets: Buffer): Promise<DoorAnswer>;
  close(): void;
}

const NOTHING: Pick<DoorAnswer, "status" | "headers" | "body"> = {
  status: 0,
  headers: new Map(),
  body: Buffer.alloc(0),
};

/**
 * Makes a client without rules, unlike that of `node:http`, which refuses to send most of what is worth sending.
 * Milliseconds: what an answer may take, and how long a request that is broken off waits for one.
 */
export function createHttp1Client(port: number, patience: number, glance: number): Http1Client {
  const idle: Socket[] = [];

  /** Once one has closed, nobody takes it from the idle ones. */
  function socketFor(): Socket {
    for (let socket = idle.pop(); socket !== undefined; socket = idle.pop()) {
      if (!socket.destroyed && socket.readable) {
        return socket;
      }
    }
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    // How a connection ends is told to who waits for its answer.
    socket.on("error", () => {});
    return socket;
  }

  function ask(request: DoorRequest, octets: Buffer): Promise<DoorAnswer> {
    return new Promise((resolve) => {
      const socket = socketFor();
      const chunks: Buffer[] = [];
      const finish = (answer: DoorAnswer, keep: boolean): void => {
        clearTimeout(timer);
        socket.off("data", onData).off("close", onClose);
        // Where a request was broken off, what comes next would be taken for the rest of it.
        if (keep && !request.breakOff) {
          idle.push(socket);
        } else {
          socket.destroy();
        }
        resolve(answer);
      };
      const onData = (chunk: Buffer): void => {
        chunks.push(chunk);
        const received = joined(chunks);
        const answer = readHttp1Answer(received, request.verb);
        if (answer?.length !== undefined) {
          const isLast = answer.headers.get("connection") === "close" || received.length > answer.length;
          finish({ ...answer, end: "complete" }, !isLast);
        }
      };
      const onClose = (): void => {
        const answer = readHttp1Answer(joined(chunks), request.verb);
        finish(answer === undefined ? { ...NOTHING, end: "closed" } : { ...answer, end: "complete" }, false);
      };
      const timer = setTimeout(
        () => finish({ ...NOTHING, end: request.breakOff ? "abandoned" : "late" }, false),
        request.breakOff ? glance : patience,
      );
      socket.on("data", onData).on("close", onClose);
      socket.write(octets);
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
