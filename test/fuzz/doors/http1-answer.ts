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
export function readHttp1Answer(octets: Buffer, verb: string): Http1Answer | undefined {
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
