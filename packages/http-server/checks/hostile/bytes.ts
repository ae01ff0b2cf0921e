import {
  data,
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  initialWindow,
  PREFACE,
  update,
} from "connect-transcoding-testing/raw-http2.js";
import type { Alpn } from "./attack.js";

// What attackers send over HTTP/1.1 and HTTP/2.

// Paths of the shelf service.
export const BOOK = "/v1/shelves/1/books/1";
export const LONG_BOOK = "/v1/shelves/1/books/long";
export const BOOKS = "/v1/shelves/1/books";
export const JSON_TYPE = "application/json";

/** Fields `a` over HTTP/1.1 and over HTTP/2, where the first byte says whether they are indexed (RFC 7541, section 6.2). */
export const over1 = (count: number, value = ""): string => `a:${value}\r\n`.repeat(count);
export function over2(count: number, value = "", firstByte = 0): Buffer {
  const field = headerBlock({ a: value });
  field[0] = firstByte;
  return Buffer.concat(Array<Buffer>(count).fill(field));
}

const head1 = (line: string, fields: string): string => `${line} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
export const get1 = (fields = "", path = BOOK): string => head1(`GET ${path}`, fields);
export const post1 = (path: string, type: string, fields: string): string =>
  head1(`POST ${path}`, `Content-Type: ${type}\r\n${fields}`);
/** A request with a whole body. */
export const whole1 = (path: string, body: string): string =>
  post1(path, JSON_TYPE, `Content-Length: ${Buffer.byteLength(body)}\r\n`) + body;
/** The head of a chunked request. */
export const chunked = (fields = ""): string =>
  post1(BOOKS, JSON_TYPE, `Transfer-Encoding: chunked\r\n${fields}`);

/** The header block of a request. */
export function block2(
  method: string,
  path: string,
  fields: Uint8Array = Buffer.alloc(0),
  alpn?: Alpn,
): Buffer {
  const scheme = alpn === undefined ? "http" : "https";
  const pseudo = { ":method": method, ":scheme": scheme, ":authority": "a", ":path": path };
  return Buffer.concat([headerBlock(pseudo), fields]);
}

export const headers = (id: number, block: Uint8Array, flags: number = END_HEADERS): Buffer =>
  frame(FRAME.HEADERS, flags, id, block);
/** A whole request without a body. */
export const get2 = (id: number, path: string = BOOK, fields?: Uint8Array, alpn?: Alpn): Buffer =>
  headers(id, block2("GET", path, fields, alpn), END_HEADERS | END_STREAM);
/** The headers of a request with a body. */
export const post2 = (
  id: number,
  fields: Readonly<Record<string, string>> = {},
  path: string = BOOKS,
): Buffer => headers(id, block2("POST", path, headerBlock(fields)));
/** A request with a whole body. */
export function whole2(id: number, path: string, type: string, body: Buffer): Buffer {
  const frames = [post2(id, { "content-type": type }, path)];
  for (let at = 0; at < body.length; at += 16_384) {
    frames.push(data(id, body.subarray(at, at + 16_384), at + 16_384 >= body.length ? END_STREAM : 0));
  }
  return Buffer.concat(frames);
}
/** Opens the windows of the connection and of all streams. */
export const GROW: Buffer = Buffer.concat([initialWindow(2 ** 31 - 1), update(0, 2 ** 30)]);

/** Concatenates frames of `count` streams with increasing odd identifiers. */
export function streams(count: number, ...bytesOf: readonly ((id: number) => Uint8Array)[]): Buffer {
  const all = Array.from({ length: count }, (_, index) => bytesOf.map((create) => create(2 * index + 1)));
  return Buffer.concat(all.flat());
}

/** A connection with frames after the preface. */
export const preface = (...frames: readonly Uint8Array[]): Buffer => Buffer.concat([PREFACE, ...frames]);
