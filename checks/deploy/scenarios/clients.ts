import { setTimeout as wait } from "node:timers/promises";
import { encodeHttp2 } from "connect-transcoding-testing/load/http2.js";
import {
  type ClientOptions,
  createClient,
  type Failed,
  type LoadResult,
  load,
} from "connect-transcoding-testing/load/open-loop.js";
import { GRPC_HEADERS, grpcFrame } from "connect-transcoding-testing/load/workload.js";
import { FRAME, GRPC_PATH } from "../proxies/requests.js";

/** The load of a scenario. */
export interface Pace {
  readonly seconds: number;
  /** Requests per second. */
  readonly rate: number;
}

export interface Trial extends LoadResult {
  /** The actions under load. */
  readonly done: string;
  /** Expected failures: requests in progress in a killed process, or sent before a proxy detects that a replica hangs. */
  readonly expected: readonly Failed[];
}

/** Connections per protocol. An HTTP/1.1 connection has one request at a time. */
const REST_CONNECTIONS = 128;
const GRPC_CONNECTIONS = 16;

const EMAIL = '{"email":"Jane.Doe+news@GoogleMail.com"}';
const GET = "GET /v1/geoIp?ip_address=8.8.8.8 HTTP/1.1\r\nhost: tools.example\r\n\r\n";
const POST = "POST /v1/sanitizeEmail HTTP/1.1\r\nhost: tools.example\r\ncontent-type: application/json\r\n";
const CHUNKS = `${EMAIL.length.toString(16)}\r\n${EMAIL}\r\n0\r\n\r\n`;

/** REST requests, GET and POST with and without chunks, and a part of the correct response. */
const REST = [
  [GET, '"asn":15169'],
  [`${POST}content-length: ${EMAIL.length}\r\n\r\n${EMAIL}`, "janedoe@gmail.com"],
  [`${POST}transfer-encoding: chunked\r\n\r\n${CHUNKS}`, "janedoe@gmail.com"],
] as const;

const LOOKUP = { path: GRPC_PATH, body: FRAME };
/** A stream in both directions with one message each, which is the list of services. */
const REFLECTION = {
  path: "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
  body: grpcFrame(Buffer.from([0x3a, 0])),
};
const CALLS = {
  http: 2,
  grpc: true,
  method: "POST",
  authority: "tools.example",
  headers: GRPC_HEADERS,
  requests: [LOOKUP, LOOKUP, LOOKUP, REFLECTION],
} as const;

/** Sends REST and gRPC requests at a rate until `work` completes. */
export function sendLoad(
  url: string,
  rate: number,
  given: ClientOptions,
  work: () => Promise<void>,
): Promise<LoadResult> {
  const options = { ...given, servername: "tools.example" };
  const rest = { http: 1, requests: REST.map(([text]) => Buffer.from(text)) } as const;
  const clients = {
    REST: createClient(
      url,
      rest,
      (index, { status, body }) => status === 200 && body.includes(REST[index]?.[1] ?? ""),
      REST_CONNECTIONS,
      options,
    ),
    gRPC: createClient(
      url,
      encodeHttp2(CALLS, url.startsWith("https:")),
      (_, { status, grpcStatus, body }) => status === 200 && grpcStatus === "0" && body.length > 5,
      GRPC_CONNECTIONS,
      options,
    ),
  };
  return load(clients, rate, work);
}

/**
 * Calls `act` with the number of earlier calls until the time is over.
 *
 * @param pause milliseconds before each call and after the last one
 */
export async function repeat(
  seconds: number,
  pause: number,
  act: (times: number) => Promise<void>,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  await wait(pause);
  for (let times = 0; performance.now() < end - pause; times++) {
    await act(times);
    await wait(pause);
  }
  await wait(Math.max(0, end - performance.now()));
}
