import type { HeaderList } from "@utility-tools/http-server/client";

/** Requests that are sent in turn. All of them have the same method and headers. */
export interface Workload {
  /** The version of HTTP. */
  readonly http: 1 | 2;
  /** Whether a response must have the trailer `grpc-status: 0`. */
  readonly grpc: boolean;
  readonly method: "GET" | "POST";
  readonly authority: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly requests: readonly LoadRequest[];
}

/** The part of a request that varies. */
export interface LoadRequest {
  readonly path: string;
  readonly body: Uint8Array;
}

/** The headers of gRPC calls. */
export const GRPC_HEADERS: Workload["headers"] = [
  ["content-type", "application/grpc"],
  ["te", "trailers"],
];

/** Adds the five-byte prefix of gRPC: not compressed, and the length. */
export function grpcFrame(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

/** All requests, encoded in advance. */
export type Encoded = EncodedHttp1 | EncodedHttp2;

export interface EncodedHttp1 {
  readonly http: 1;
  readonly requests: readonly Buffer[];
}

export interface EncodedHttp2 {
  readonly http: 2;
  readonly requests: readonly {
    readonly pseudoHeaders: Uint8Array;
    readonly headers: HeaderList;
    readonly body: Uint8Array;
  }[];
}
