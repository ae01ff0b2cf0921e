/** Names and values, in sending order. */
export type HeaderEntries = readonly (readonly [name: string, value: string])[];

/** A request with valid HTTP framing and arbitrary content. */
export interface ProtocolRequest {
  readonly protocol: "REST" | "gRPC" | "gRPC-Web" | "Connect";
  readonly http: 1 | 2;
  readonly httpMethod: string;
  /** The path and query, as sent. */
  readonly target: string;
  readonly headers: HeaderEntries;
  readonly body: Uint8Array;
  /** Whether the client disconnects in the middle of the request or the response. */
  readonly breakOff: boolean;
}

/** Raw bytes for a separate connection, in the pieces in which they are written. */
export interface BytesRequest {
  readonly protocol: "bytes";
  readonly http: 1 | 2;
  readonly pieces: readonly Uint8Array[];
}

/** Any request of the fuzz. */
export type AnyRequest = ProtocolRequest | BytesRequest;

/** The outcome of a request. */
export interface ProtocolResponse {
  /** 0 without a response. */
  readonly status: number;
  /** Headers and trailers with lower-case names. Repeated values are joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /**
   * `complete`; `closed` if the connection ended before the response; `abandoned` if we ended it; `late` after the
   * timeout; `reset …` with the HTTP/2 code.
   */
  readonly end: "complete" | "closed" | "abandoned" | "late" | `reset ${string}`;
}

/** A secret that requests contain and no error may repeat: valid base32 of 160 bits. */
export const MARKER = "FUZZMARKERSECRETFUZZMARKERSECRET";

/** Formats a request for display, shortened. */
export function describeRequest(request: AnyRequest): string {
  const cut = (text: string) => (text.length > 600 ? `${text.slice(0, 600)}… (${text.length})` : text);
  const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
  if (request.protocol === "bytes") {
    return JSON.stringify({ ...request, pieces: request.pieces.map((piece) => cut(latin1(piece))) });
  }
  return JSON.stringify({ ...request, target: cut(request.target), body: cut(latin1(request.body)) });
}
