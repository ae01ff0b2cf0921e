import { gunzipSync, gzipSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  GeoIpService,
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { createRandom, randomAddress, randomSecret } from "../fuzz/random.js";
import { type Contestant, DEFAULT, goPeer, nodePeer } from "./contestants.js";
import type { Concurrency, LoadRequest, Workload } from "./load.js";
import { grpcFrame, HOST } from "./requests.js";

/** One kind of request and the servers that handle it. */
export interface BenchCase {
  readonly name: string;
  readonly title: string;
  /** Where the report has the case. */
  readonly group: "varied" | "streams" | "tls" | "methods" | "kept";
  /** The first one is our default. */
  readonly contestants: readonly [Contestant, ...Contestant[]];
  /** The first `count` requests with status 200 from our server are used. */
  readonly candidates: Workload;
  readonly count: number;
  readonly concurrency: Concurrency;
  /** Returns the content of a body. Two bodies are equivalent if their contents are equal. */
  readonly contentOf: (body: Buffer) => string;
}

export const HTTP1: Concurrency = { connections: 50, streams: 1 };
export const HTTP2: Concurrency = { connections: 4, streams: 16 };

/** More than twelve times the number of responses that the service caches. */
const ADDRESS_COUNT = 50_000;
const SECRET_COUNT = 1000;
const BATCH_SIZE = 1000;
/** Few enough for every cache. */
const KEPT_COUNT = 100;

const LOOK_UP = `/${GeoIpService.typeName}/${GeoIpService.method.lookupIp.name}`;
const NO_BODY = Buffer.alloc(0);

// Seeded, so that runs are comparable. Some are special-purpose addresses or have no data, so there are more than used.
const random = createRandom(1);
export const ADDRESSES = Array.from({ length: ADDRESS_COUNT * 1.5 }, () => randomAddress(random));
export const SECRETS = Array.from({ length: SECRET_COUNT }, () => randomSecret(random));

/** Requests with the method `GET`. */
export function gets(http: 1 | 2, paths: readonly string[], headers: Workload["headers"] = []): Workload {
  const requests = paths.map((path) => ({ path, body: NO_BODY }));
  return { http, grpc: false, method: "GET", authority: HOST, headers, requests };
}

/** Requests with JSON in their bodies. */
export function posts(http: 1 | 2, path: string, bodies: readonly object[]): Workload {
  const headers = [["content-type", "application/json"]] as const;
  const requests = bodies.map((body): LoadRequest => ({ path, body: Buffer.from(JSON.stringify(body)) }));
  return { http, grpc: false, method: "POST", authority: HOST, headers, requests };
}

/** Unary gRPC calls of a method with encoded messages. */
export function grpcCalls(path: string, messages: readonly Uint8Array[]): Workload {
  const headers = [
    ["content-type", "application/grpc"],
    ["te", "trailers"],
  ] as const;
  const requests = messages.map((message) => ({ path, body: grpcFrame(message) }));
  return { http: 2, grpc: true, method: "POST", authority: HOST, headers, requests };
}

function lookUpMessage(ipAddress: string): Uint8Array {
  return toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, { ipAddress }));
}

function lookUpCalls(addresses: readonly string[]): Workload {
  return grpcCalls(LOOK_UP, addresses.map(lookUpMessage));
}

/** Unary gRPC calls with compressed messages. */
function compressedCalls(addresses: readonly string[]): Workload {
  const workload = lookUpCalls(addresses);
  const requests = addresses.map((address) => {
    const body = grpcFrame(gzipSync(lookUpMessage(address)));
    body[0] = 1;
    return { path: LOOK_UP, body };
  });
  return { ...workload, headers: [...workload.headers, ["grpc-encoding", "gzip"]], requests };
}

/** Unary gRPC-Web calls. */
function webCalls(http: 1 | 2, addresses: readonly string[]): Workload {
  const headers = [["content-type", "application/grpc-web+proto"]] as const;
  const requests = addresses.map((address) => ({ path: LOOK_UP, body: grpcFrame(lookUpMessage(address)) }));
  return { http, grpc: false, method: "POST", authority: HOST, headers, requests };
}

/** Connect calls with the method `GET`, as the clients of connect-es send them. */
function connectGets(http: 1 | 2, addresses: readonly string[]): Workload {
  const messages = addresses.map((address) => Buffer.from(lookUpMessage(address)).toString("base64url"));
  return gets(
    http,
    messages.map((message) => `${LOOK_UP}?connect=v1&encoding=proto&message=${message}&base64=1`),
  );
}

const GEO_IP_PATHS = ADDRESSES.map((address) => `/v1/geoIp?ip_address=${address}`);
const LOOK_UP_BODIES = ADDRESSES.map((ip_address) => ({ ip_address }));

/** JSON without insignificant white space, which protobuf for Go varies on purpose. Unpacks gzip. */
function jsonContent(body: Buffer): string {
  const isCompressed = body[0] === 0x1f && body[1] === 0x8b;
  return JSON.stringify(JSON.parse((isCompressed ? gunzipSync(body) : body).toString()));
}

/** The message without default values, which protobufjs writes although proto3 does not require it. */
function protoContent(body: Buffer): string {
  const message = fromBinary(LookupIpResponseSchema, body);
  return Buffer.from(toBinary(LookupIpResponseSchema, message)).toString("latin1");
}

function grpcContent(body: Buffer): string {
  return protoContent(body.subarray(grpcFrame(NO_BODY).length));
}

/** The first message: the trailers after it differ in order. */
function webContent(body: Buffer): string {
  return grpcContent(body.subarray(0, grpcFrame(NO_BODY).length + body.readUInt32BE(1)));
}

const VARIED: readonly BenchCase[] = [
  {
    name: "geoIp",
    title: "REST `GET /v1/geoIp` over HTTP/1.1, 50,000 addresses in turn",
    group: "varied",
    contestants: [
      DEFAULT,
      nodePeer("Fastify", "fastify", { ratio: 1.4, by: "rate" }),
      nodePeer("node:http", "bare-http", { ratio: 1.4, by: "rate" }),
      nodePeer("uWebSockets.js", "uwebsockets", { ratio: 0.75, by: "rate" }),
    ],
    candidates: gets(1, GEO_IP_PATHS),
    count: ADDRESS_COUNT,
    concurrency: HTTP1,
    contentOf: jsonContent,
  },
  {
    name: "geoIpH2",
    title: "REST `GET /v1/geoIp` over HTTP/2, 50,000 addresses in turn",
    group: "varied",
    contestants: [
      DEFAULT,
      nodePeer("Fastify", "fastify-http2"),
      nodePeer("node:http2", "bare-http2", { ratio: 3, by: "rate" }),
    ],
    candidates: gets(2, GEO_IP_PATHS),
    count: ADDRESS_COUNT,
    concurrency: HTTP2,
    contentOf: jsonContent,
  },
  {
    name: "otp",
    title: "REST `POST /v1/otp` (verify) over HTTP/1.1, 1,000 secrets in turn",
    group: "varied",
    contestants: [
      DEFAULT,
      nodePeer("Fastify", "fastify", { ratio: 1.1, by: "rate" }),
      nodePeer("node:http", "bare-http"),
    ],
    candidates: posts(
      1,
      "/v1/otp",
      SECRETS.map((secret) => ({ type: "time_based", action: "verify", secret })),
    ),
    count: SECRET_COUNT,
    concurrency: HTTP1,
    contentOf: jsonContent,
  },
  {
    name: "grpc",
    title: "gRPC `LookupIp`, 50,000 addresses in turn",
    group: "varied",
    contestants: [
      DEFAULT,
      goPeer("grpc-go", 1, { ratio: 1.5, by: "processor time" }),
      goPeer("grpc-go", 2),
      goPeer("connect-go", 1),
      nodePeer("grpc-js", "grpc-js", { ratio: 6, by: "processor time" }),
      nodePeer("node:http2", "bare-http2"),
      nodePeer("connect-node", "connect-http2"),
    ],
    candidates: lookUpCalls(ADDRESSES),
    count: ADDRESS_COUNT,
    concurrency: HTTP2,
    contentOf: grpcContent,
  },
  {
    name: "connect",
    title: "Connect JSON `LookupIp` over HTTP/1.1, 50,000 addresses in turn",
    group: "varied",
    contestants: [
      DEFAULT,
      goPeer("connect-go", 1),
      nodePeer("connect-node", "connect-http1", { ratio: 15, by: "rate" }),
    ],
    candidates: posts(1, LOOK_UP, LOOK_UP_BODIES),
    count: ADDRESS_COUNT,
    concurrency: HTTP1,
    contentOf: jsonContent,
  },
  {
    name: "connectH2",
    title: "Connect JSON `LookupIp` over HTTP/2, 50,000 addresses in turn",
    group: "varied",
    contestants: [
      DEFAULT,
      goPeer("connect-go", 1),
      nodePeer("connect-node", "connect-http2", { ratio: 15, by: "rate" }),
    ],
    candidates: posts(2, LOOK_UP, LOOK_UP_BODIES),
    count: ADDRESS_COUNT,
    concurrency: HTTP2,
    contentOf: jsonContent,
  },
  {
    name: "grpcGzip",
    title: "gRPC `LookupIp` with a gzip request, 50,000 addresses in turn",
    group: "varied",
    contestants: [DEFAULT, nodePeer("grpc-js", "grpc-js")],
    candidates: compressedCalls(ADDRESSES),
    count: ADDRESS_COUNT,
    concurrency: HTTP2,
    contentOf: grpcContent,
  },
  {
    name: "grpcWeb",
    title: "gRPC-Web `LookupIp` over HTTP/1.1, 50,000 addresses in turn",
    group: "varied",
    contestants: [DEFAULT, goPeer("connect-go", 1), nodePeer("connect-node", "connect-http1")],
    candidates: webCalls(1, ADDRESSES),
    count: ADDRESS_COUNT,
    concurrency: HTTP1,
    contentOf: webContent,
  },
  {
    name: "grpcWebH2",
    title: "gRPC-Web `LookupIp` over HTTP/2, 50,000 addresses in turn",
    group: "varied",
    contestants: [DEFAULT, goPeer("connect-go", 1), nodePeer("connect-node", "connect-http2")],
    candidates: webCalls(2, ADDRESSES),
    count: ADDRESS_COUNT,
    concurrency: HTTP2,
    contentOf: webContent,
  },
  {
    name: "connectGetH2",
    title: "Connect `GET` of `LookupIp` over HTTP/2, 50,000 addresses in turn",
    group: "varied",
    contestants: [DEFAULT, nodePeer("connect-node", "connect-http2")],
    candidates: connectGets(2, ADDRESSES),
    count: ADDRESS_COUNT,
    concurrency: HTTP2,
    contentOf: protoContent,
  },
  {
    name: "geoIpBatch",
    title: `REST \`POST /v1/geoIp:batch\` over HTTP/1.1, 50 × ${BATCH_SIZE} addresses in turn, one connection`,
    group: "varied",
    contestants: [
      DEFAULT,
      nodePeer("Fastify", "fastify", { ratio: 1, by: "rate" }),
      nodePeer("node:http", "bare-http"),
    ],
    candidates: posts(
      1,
      "/v1/geoIp:batch",
      Array.from({ length: ADDRESS_COUNT / BATCH_SIZE }, (_, index) => ({
        ip_addresses: ADDRESSES.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
      })),
    ),
    count: ADDRESS_COUNT / BATCH_SIZE,
    concurrency: { connections: 1, streams: 1 },
    contentOf: jsonContent,
  },
];

/** Responses that the service caches: it has an advantage that other workloads do not have. */
const KEPT: readonly BenchCase[] = [
  {
    name: "keptGeoIp",
    title: `REST \`GET /v1/geoIp\` over HTTP/1.1, ${KEPT_COUNT} addresses in turn`,
    group: "kept",
    contestants: [DEFAULT, nodePeer("Fastify", "fastify"), nodePeer("node:http", "bare-http")],
    candidates: gets(1, GEO_IP_PATHS.slice(0, 2 * KEPT_COUNT)),
    count: KEPT_COUNT,
    concurrency: HTTP1,
    contentOf: jsonContent,
  },
  {
    name: "keptGrpc",
    title: `gRPC \`LookupIp\`, ${KEPT_COUNT} addresses in turn`,
    group: "kept",
    contestants: [DEFAULT, goPeer("grpc-go", 1), nodePeer("grpc-js", "grpc-js")],
    candidates: lookUpCalls(ADDRESSES.slice(0, 2 * KEPT_COUNT)),
    count: KEPT_COUNT,
    concurrency: HTTP2,
    contentOf: grpcContent,
  },
  {
    name: "keptCountries",
    title: "REST `GET /v1/countries` over HTTP/1.1, all of them, gzip",
    group: "kept",
    contestants: [DEFAULT, nodePeer("Fastify", "fastify")],
    candidates: gets(1, ["/v1/countries"], [["accept-encoding", "gzip"]]),
    count: 1,
    concurrency: HTTP1,
    contentOf: jsonContent,
  },
];

/** Returns the same case through TLS. Targets are for connections without. */
function throughTls(benchCase: BenchCase): BenchCase {
  const [ours, ...peers] = benchCase.contestants;
  return {
    ...benchCase,
    name: `${benchCase.name}Tls`,
    title: `${benchCase.title}, TLS`,
    group: "tls",
    contestants: [ours, ...peers.map(({ target: _, ...peer }) => peer)],
  };
}

/** All cases. */
export const CASES: readonly BenchCase[] = [...VARIED, ...VARIED.map(throughTls), ...KEPT];
