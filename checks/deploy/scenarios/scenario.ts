import { setTimeout as wait } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { encodeHttp2 } from "../../lib/load/http2.js";
import {
  type ClientOptions,
  createClient,
  type Failed,
  type LoadClient,
  type LoadResult,
} from "../../lib/load/open-loop.js";
import { GRPC_HEADERS, grpcFrame } from "../../lib/load/workload.js";

/** The load of a scenario. */
export interface Pace {
  readonly seconds: number;
  /** Requests per second. */
  readonly rate: number;
}

/** The result of a scenario. */
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
const POST = "POST /v1/sanitizeEmail HTTP/1.1\r\nhost: tools.example\r\ncontent-type: application/json\r\n";
const CHUNKS = `${EMAIL.length.toString(16)}\r\n${EMAIL}\r\n0\r\n\r\n`;
/** A GET request with further headers, with the version of HTTP. */
const get = (version: string, headers = "") =>
  `GET /v1/geoIp?ip_address=8.8.8.8 HTTP/${version}\r\nhost: tools.example\r\n${headers}\r\n`;

/** REST requests, GET and POST with and without chunks, and a part of the correct response. */
const REST: readonly (readonly [request: string, has: string])[] = [
  [get("1.1"), '"asn":15169'],
  [`${POST}content-length: ${EMAIL.length}\r\n\r\n${EMAIL}`, "janedoe@gmail.com"],
  [`${POST}transfer-encoding: chunked\r\n\r\n${CHUNKS}`, "janedoe@gmail.com"],
];
const HTTP10: typeof REST = ["", "connection: keep-alive\r\n"].map((header) => [
  get("1.0", header),
  '"asn":15169',
]);

const lookup = toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, { ipAddress: "8.8.8.8" }));
const LOOKUP = { path: "/utilitytools.v1.GeoIpService/LookupIp", body: grpcFrame(lookup) };
/** A stream in both directions with one message each, which is the list of services. */
const REFLECTION = {
  path: "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
  body: grpcFrame(Buffer.from([0x3a, 0])),
};

/**
 * Creates a client per protocol.
 *
 * @param hasHttp10 whether some requests have HTTP/1.0, which Envoy rejects by default
 */
export function createClients(
  url: string,
  options: ClientOptions = {},
  hasHttp10 = false,
): Readonly<Record<string, LoadClient>> {
  // A new connection for each request of HTTP/1.0 would take most of the processor time over TLS.
  const rest = hasHttp10 ? [...REST, ...REST, ...REST, ...HTTP10] : REST;
  const encodedRest = {
    http: 1,
    requests: rest.map(([request]) => Buffer.from(request)),
    largest: 0,
  } as const;
  const calls = encodeHttp2(
    {
      http: 2,
      grpc: true,
      method: "POST",
      authority: "tools.example",
      headers: GRPC_HEADERS,
      requests: [LOOKUP, LOOKUP, LOOKUP, REFLECTION],
    },
    url.startsWith("https:"),
  );
  return {
    REST: createClient(
      url,
      encodedRest,
      (index, { status, body }) => status === 200 && body?.includes(rest[index]?.[1] ?? "") === true,
      REST_CONNECTIONS,
      options,
    ),
    gRPC: createClient(
      url,
      calls,
      (_, { status, grpcStatus, length }) => status === 200 && grpcStatus === "0" && length > 5,
      GRPC_CONNECTIONS,
      options,
    ),
  };
}

/**
 * Calls `act` repeatedly until the scenario's time is over. Resolves to the number of calls.
 *
 * @param pause milliseconds before each call and after the last one
 */
export async function repeat(seconds: number, act: () => Promise<void>, pause: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let times = 0;
  await wait(pause);
  while (performance.now() < end - pause) {
    await act();
    times += 1;
    await wait(pause);
  }
  await wait(Math.max(0, end - performance.now()));
  return times;
}
