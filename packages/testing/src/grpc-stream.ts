import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
} from "node:http2";

export interface GrpcStream {
  readonly headers: IncomingHttpHeaders;
  /** Undefined for a single header block (Trailers-Only). */
  readonly trailers: IncomingHttpHeaders | undefined;
  readonly body: Buffer;
}

/** Adds the gRPC prefix to a message. `length` and `flags` can be set to wrong values. */
export function framed(message: Uint8Array, { flags = 0, length = message.length } = {}): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
}

/** Begins a gRPC call, whose body and response are left to the caller. */
export function beginCall(
  session: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders = {},
): ClientHttp2Stream {
  return session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });
}

/** Reads the whole response of a call that has just begun. */
export function readStream(stream: ClientHttp2Stream): Promise<GrpcStream> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let head: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders | undefined;
    stream.once("response", (received) => {
      head = received;
    });
    stream.once("trailers", (received) => {
      trailers = received;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.once("error", reject);
    stream.once("close", () => resolve({ headers: head, trailers, body: Buffer.concat(chunks) }));
  });
}

/** Sends the body of a gRPC call in the given pieces and reads the whole response. */
export async function callStream(
  session: ClientHttp2Session,
  path: string,
  pieces: readonly Uint8Array[],
  headers: OutgoingHttpHeaders = {},
): Promise<GrpcStream> {
  const stream = beginCall(session, path, headers);
  const response = readStream(stream);
  for (const piece of pieces) {
    stream.write(piece);
  }
  stream.end();
  return await response;
}

export function statusOf({ headers, trailers }: GrpcStream): number {
  return Number(headers["grpc-status"] ?? trailers?.["grpc-status"] ?? -1);
}

/** Opens a stream for a call without ending it. */
export function openStream(session: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders = {}) {
  const stream = beginCall(session, path, headers);
  stream.on("error", () => {});
  return stream.resume();
}
