/** Names and values, in the order in which they are sent. */
export type HeaderEntries = readonly (readonly [name: string, value: string])[];

/** A request that is framed as its version of HTTP wants it, whatever is in it. */
export interface DoorRequest {
  readonly door: "REST" | "gRPC" | "gRPC-Web" | "Connect";
  readonly http: 1 | 2;
  readonly verb: string;
  /** The path with its query, as it is sent. */
  readonly target: string;
  readonly headers: HeaderEntries;
  readonly body: Uint8Array;
  /** Whether the caller goes away with the request half sent, or with its answer half read. */
  readonly breakOff: boolean;
}

/** Octets for a connection of their own, in the pieces in which they are written. */
export interface OctetsRequest {
  readonly door: "octets";
  readonly http: 1 | 2;
  readonly pieces: readonly Uint8Array[];
}

/** Anything that the fuzz sends. */
export type AnyRequest = DoorRequest | OctetsRequest;

/** What came back. */
export interface DoorAnswer {
  /** 0 where there was none. */
  readonly status: number;
  /** With the trailers; several values of one name are joined by commas. Names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /**
   * `complete`; `closed` for a connection that ended before its answer; `abandoned` for one that we ended; `late` when nothing
   * came in time; `reset …` with the code of HTTP/2.
   */
  readonly end: "complete" | "closed" | "abandoned" | "late" | `reset ${string}`;
}

/** A secret that is put into requests, and that no error may tell again: valid base32 of 160 bits. */
export const MARKER = "FUZZMARKERSECRETFUZZMARKERSECRET";

/** Only for telling of a request: its parts, cut short. */
export function describeDoorRequest(request: AnyRequest): string {
  const cut = (text: string) => (text.length > 600 ? `${text.slice(0, 600)}… (${text.length})` : text);
  const latin1 = (octets: Uint8Array) => Buffer.from(octets).toString("latin1");
  if (request.door === "octets") {
    return JSON.stringify({ ...request, pieces: request.pieces.map((piece) => cut(latin1(piece))) });
  }
  return JSON.stringify({ ...request, target: cut(request.target), body: cut(latin1(request.body)) });
}
