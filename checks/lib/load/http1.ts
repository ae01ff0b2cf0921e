import {
  type Connection,
  type ConnectionOptions,
  type Listener,
  openOutput,
  type Protocol,
} from "./connection.js";
import type { Encoded, Workload } from "./workload.js";

const NO_BODY = Buffer.alloc(0);
const HEAD_END = Buffer.from("\r\n\r\n");

/** Encodes requests for HTTP/1.1. */
export function encodeHttp1({ method, authority, headers, requests }: Workload): Encoded {
  const constant = [["host", authority], ...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const encode = ({ path, body }: Workload["requests"][number]): Buffer => {
    const length = body.length > 0 ? `content-length: ${body.length}\r\n` : "";
    return Buffer.concat([
      Buffer.from(`${method} ${path} HTTP/1.1\r\n${constant}${length}\r\n`, "latin1"),
      body,
    ]);
  };
  return { http: 1, requests: requests.map(encode), largest: 0 };
}

/** Opens a connection of HTTP/1.1, which has one request at a time. */
export function connectHttp1<T>(
  url: URL,
  { requests }: Pick<Encoded, "requests">,
  listener: Listener<T>,
  { ca, keepsBodies = false }: ConnectionOptions,
): Connection<T> {
  let current: { readonly ticket: T } | undefined;
  let isOpen = true;
  let isUsed = false;
  let hasPart = false;
  const protocol: Protocol = {
    read: (chunk, now) => {
      const response = parseResponse(chunk, keepsBodies);
      hasPart = response === undefined;
      if (response === undefined) {
        return 0;
      }
      if (current === undefined || response.size < chunk.length) {
        throw new Error("there are bytes after a response");
      }
      const { ticket } = current;
      current = undefined;
      isUsed = true;
      if (response.isLast) {
        isOpen = false;
        output.end();
      }
      const { status, length, body } = response;
      listener.answered(ticket, { status, length, body, grpcStatus: undefined }, now);
      listener.idle();
      return chunk.length;
    },
    closed: (problem) => {
      isOpen = false;
      if (current !== undefined) {
        const { ticket } = current;
        current = undefined;
        // The server may close an idle connection while a request is on its way (RFC 9112, section 9.3.1).
        listener.lost(ticket, problem, isUsed && !hasPart);
      }
      listener.closed(problem);
    },
  };
  const output = openOutput(url, 1, ca, () => protocol);
  return {
    room: () => (isOpen && current === undefined ? 1 : 0),
    isOpen: () => isOpen,
    send: (index, ticket) => {
      current = { ticket };
      output.append(requests[index] ?? NO_BODY);
    },
    flush: output.flush,
    destroy: () => output.destroy(),
    localPort: output.localPort,
    connected: output.connected,
  };
}

interface Response {
  readonly status: number;
  readonly length: number;
  readonly body: Buffer | undefined;
  /** The length of head and body. */
  readonly size: number;
  /** Whether the server closes the connection afterwards. */
  readonly isLast: boolean;
}

/** Parses the response at the start of the bytes. Undefined if it is not complete. Throws an Error if it is invalid. */
function parseResponse(bytes: Buffer, keepsBodies: boolean): Response | undefined {
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
    const body = keepsBodies ? Buffer.from(bytes.subarray(start, size)) : undefined;
    return size > bytes.length ? undefined : { status, length, body, size, isLast };
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
      const body = Buffer.concat(parts);
      return { status, length: body.length, body, size: at, isLast };
    }
    parts.push(bytes.subarray(at - length - 2, at - 2));
  }
}
