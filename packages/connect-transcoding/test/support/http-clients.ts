import { once } from "node:events";
import { request as requestHttp1 } from "node:http";
import { connect as connectHttp2, type ServerHttp2Stream } from "node:http2";
import type { Duplex, Readable, Writable } from "node:stream";
import { useHttp1, useHttp2, useOnePort } from "./servers.js";

/** A request whose body is sent and whose response is read in pieces. */
export interface OpenRequest {
  /** Writes the body; closing it ends the request. */
  readonly body: Writable;
  /** Resolves when the response has begun; rejects if there is none. */
  readonly response: Promise<OpenResponse>;
  /** Breaks the connection. */
  destroy(): void;
}

export interface OpenResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readable;
}

/** A response that has been read. `isWhole` is false if the connection broke before the end of the body. */
export interface ReadResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isWhole: boolean;
}

/** Begins a request. */
export type BeginRequest = (
  url: string,
  httpMethod: string,
  path: string,
  headers?: Readonly<Record<string, string>>,
) => OpenRequest;

const beginHttp1: BeginRequest = (url, method, path, headers = {}) => {
  const request = requestHttp1(new URL(path, url), { method, headers });
  request.on("error", ignore);
  const response = new Promise<OpenResponse>((resolve, reject) => {
    request.once("response", (message) => {
      message.on("error", ignore);
      resolve({ status: message.statusCode ?? 0, headers: message.headers, body: message });
    });
    request.once("close", () => reject(new Error("the connection has closed without a response")));
  });
  response.catch(ignore);
  return { body: request, response, destroy: () => request.destroy() };
};

const beginHttp2: BeginRequest = (url, method, path, headers = {}) => {
  const session = connectHttp2(url);
  session.on("error", ignore);
  const stream = session.request({ ":method": method, ":path": path, ...headers }, { endStream: false });
  stream.on("error", ignore);
  stream.once("close", () => session.destroy());
  const response = new Promise<OpenResponse>((resolve, reject) => {
    stream.once("response", (head) => resolve({ status: head[":status"] ?? 0, headers: head, body: stream }));
    stream.once("close", () => reject(new Error("the stream has closed without a response")));
  });
  response.catch(ignore);
  return { body: stream, response, destroy: () => session.destroy() };
};

/** Reads a response to its end. */
export async function readResponse(pending: Promise<OpenResponse>): Promise<ReadResponse> {
  const { status, headers, body } = await pending;
  let text = "";
  let isWhole = true;
  try {
    for await (const chunk of body.setEncoding("utf8")) {
      text += String(chunk);
    }
    isWhole = !isAborted(body);
  } catch {
    isWhole = false;
  }
  return { status, headers, text, isWhole };
}

/** A stream that is reset ends without an error. */
function isAborted(body: Readable): boolean {
  return "rstCode" in body && (body as unknown as ServerHttp2Stream).rstCode !== 0;
}

/** Sends a whole request, with its length, and reads its response. */
export async function send(
  begin: BeginRequest,
  url: string,
  line: string,
  headers?: Readonly<Record<string, string>>,
  ...chunks: readonly (string | Uint8Array)[]
): Promise<ReadResponse> {
  const [method = "", path = ""] = line.split(" ");
  const length = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
  const { body, response } = begin(url, method, path, {
    ...(length > 0 && { "content-length": `${length}` }),
    ...headers,
  });
  for (const chunk of chunks) {
    if (!body.write(chunk)) {
      await Promise.race([once(body, "drain"), response]);
    }
  }
  (body as Duplex).end();
  return readResponse(response);
}

/** A kind of server, and the client of an HTTP version for it. */
export const STACKS = [
  ["node:http", useHttp1, beginHttp1],
  ["node:http2", useHttp2, beginHttp2],
  ["createServer over HTTP/1.1", useOnePort, beginHttp1],
  ["createServer over HTTP/2", useOnePort, beginHttp2],
] as const;

function ignore(): void {}
