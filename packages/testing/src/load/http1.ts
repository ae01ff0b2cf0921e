import { type Connection, type ConnectionOptions, type Listener, openSocket } from "./connection.js";
import type { EncodedHttp1, Workload } from "./workload.js";

const NO_BODY = Buffer.alloc(0);
const HEAD_END = Buffer.from("\r\n\r\n");

/** Encodes requests for HTTP/1.1. */
export function encodeHttp1({ method, authority, headers, requests }: Workload): EncodedHttp1 {
  const constant = [["host", authority], ...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const encode = ({ path, body }: Workload["requests"][number]): Buffer => {
    const length = body.length > 0 ? `content-length: ${body.length}\r\n` : "";
    return Buffer.concat([
      Buffer.from(`${method} ${path} HTTP/1.1\r\n${constant}${length}\r\n`, "latin1"),
      body,
    ]);
  };
  return { http: 1, requests: requests.map(encode) };
}

/** Opens a connection of HTTP/1.1, which has one request at a time. */
export function connectHttp1<T>(
  url: URL,
  { requests }: EncodedHttp1,
  listener: Listener<T>,
  options: ConnectionOptions,
): Connection<T> {
  const { socket, localPort } = openSocket(url, 1, options);
  let current: { readonly ticket: T } | undefined;
  let isOpen = true;
  let isUsed = false;
  let problem = "closed without a response";
  /** The start of a response. */
  let rest: Buffer = NO_BODY;

  function receive(chunk: Buffer): void {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const response = parseResponse(bytes);
    rest = response === undefined ? bytes : NO_BODY;
    if (response === undefined) {
      return;
    }
    if (current === undefined || response.size < bytes.length) {
      throw new Error("there are bytes after a response");
    }
    const { ticket } = current;
    current = undefined;
    isUsed = true;
    if (response.isLast) {
      isOpen = false;
      socket.end();
    }
    const { status, body } = response;
    listener.answered(ticket, { status, body, grpcStatus: undefined });
    listener.idle();
  }

  socket.on("data", (chunk: Buffer) => {
    try {
      receive(chunk);
    } catch (error) {
      problem = String(error);
      socket.destroy();
    }
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    problem = error.code ?? error.message;
  });
  socket.on("close", () => {
    isOpen = false;
    if (current !== undefined) {
      const { ticket } = current;
      current = undefined;
      // The server may close an idle connection while a request is on its way (RFC 9112, section 9.3.1).
      listener.lost(ticket, problem, isUsed && rest.length === 0);
    }
    listener.closed(problem);
  });
  return {
    room: () => (isOpen && current === undefined ? 1 : 0),
    isOpen: () => isOpen,
    send: (index, ticket) => {
      current = { ticket };
      socket.write(requests[index] ?? NO_BODY);
    },
    destroy: () => socket.destroy(),
    localPort,
  };
}

interface Response {
  readonly status: number;
  readonly body: Buffer;
  /** The length of head and body. */
  readonly size: number;
  /** Whether the server closes the connection afterwards. */
  readonly isLast: boolean;
}

/** Parses the response at the start of the bytes. Undefined if it is not complete. Throws an Error if it is invalid. */
function parseResponse(bytes: Buffer): Response | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) {
    return undefined;
  }
  const head = bytes.toString("latin1", 0, headEnd + 2);
  if (!head.startsWith("HTTP/1.1 ")) {
    throw new Error(`a response starts with ${JSON.stringify(head.slice(0, 20))}`);
  }
  const status = Number(head.slice(9, 12));
  const isLast = /\r\nconnection: close\r/i.test(head);
  const start = headEnd + 4;
  const declared = /\r\ncontent-length: *(\d+)\r/i.exec(head)?.[1];
  if (declared !== undefined) {
    const length = Number(declared);
    const size = start + length;
    return size > bytes.length ? undefined : { status, body: bytes.subarray(start, size), size, isLast };
  }
  if (!/\r\ntransfer-encoding: *chunked\r/i.test(head)) {
    throw new Error("a response has no length");
  }
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const length = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    at = lineEnd + 2 + length + 2;
    if (lineEnd === -1 || at > bytes.length) {
      return undefined;
    }
    if (length === 0) {
      return { status, body: Buffer.concat(parts), size: at, isLast };
    }
    parts.push(bytes.subarray(at - length - 2, at - 2));
  }
}
