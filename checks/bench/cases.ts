import { gzipSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  GeoIpService,
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { TYPESCRIPT_FLAGS } from "../../test/typescript-flags.js";
import type { Concurrency } from "../lib/load/closed-loop.js";
import { GRPC_HEADERS, grpcFrame, type Workload } from "../lib/load/workload.js";
import { createRandom, randomAddress, randomSecret } from "../lib/random.js";
import { OURS } from "../lib/service.js";

/** The host of all measured requests. Responses contain URLs with it. */
export const HOST = "utility-tools.test";

/** A server to compare. */
export interface Contestant {
  readonly name: string;
  readonly kind: "ours" | "node" | "go";
  /** The arguments of Node or of the Go program. */
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The path of Node for this server. Default: that of the run. */
  readonly node?: string;
  /** Whether it has all processors, including that of the load. */
  readonly hasAllProcessors?: boolean;
  /** What is aimed at in a comparison with our default. */
  readonly target?: Target;
}

/** The targeted ratio to another server. */
export interface Target {
  readonly ratio: number;
  readonly by: "rate" | "processor time";
}

/** Our service with default settings. */
export const DEFAULT: Contestant = { name: "ours", kind: "ours", args: OURS };

/**
 * Returns our service on several versions of Node. Reports compare the first one with the others.
 *
 * @param programs the path of each Node with its version
 */
export function onEachNode(programs: ReadonlyMap<string, string>): Contestant[] {
  return [...programs].map(([node, version], index) => {
    return { ...DEFAULT, kind: index === 0 ? "ours" : "node", name: `ours, Node ${version}`, node };
  });
}

/** Returns a server in Node. */
export function nodePeer(
  name: string,
  server: string,
  ratio?: number,
  by: Target["by"] = "rate",
): Contestant {
  const args = [...TYPESCRIPT_FLAGS, "checks/bench/peers/peer.ts", server];
  return { name, kind: "node", args, ...(ratio !== undefined && { target: { ratio, by } }) };
}

/** Returns a server in Go with a number of threads that run Go code at a time. */
export function goPeer(server: string, processors: 1 | 2, target?: Target): Contestant {
  return {
    name: `${server}, ${processors === 1 ? "1 processor" : `${processors} processors`}`,
    kind: "go",
    args: [server],
    environment: { GOMAXPROCS: String(processors) },
    hasAllProcessors: processors > 1,
    ...(target && { target }),
  };
}

/** One kind of request and the servers that handle it. */
export interface BenchCase {
  readonly name: string;
  readonly title: string;
  /** Where the report has the case. */
  readonly group: "varied" | "streams" | "tls" | "methods";
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
const LOOK_UP = `/${GeoIpService.typeName}/${GeoIpService.method.lookupIp.name}`;
const NO_BODY = Buffer.alloc(0);

// Seeded, so that runs are comparable. Some are special-purpose addresses or have no data, so there are more than used.
const random = createRandom(1);
export const ADDRESSES = Array.from({ length: ADDRESS_COUNT * 1.5 }, () => randomAddress(random));
export const SECRETS = Array.from({ length: SECRET_COUNT }, () => randomSecret(random));

/** Requests with the method `GET`. */
export function gets(http: 1 | 2, paths: readonly string[]): Workload {
  const requests = paths.map((path) => ({ path, body: NO_BODY }));
  return { http, grpc: false, method: "GET", authority: HOST, headers: [], requests };
}

/** Requests with a body for a path. */
function posts(http: 1 | 2, path: string, type: string, bodies: readonly Buffer[]): Workload {
  const requests = bodies.map((body) => ({ path, body }));
  return { http, grpc: false, method: "POST", authority: HOST, headers: [["content-type", type]], requests };
}

/** Requests with JSON in their bodies. */
export function jsonPosts(http: 1 | 2, path: string, bodies: readonly object[]): Workload {
  return posts(
    http,
    path,
    "application/json",
    bodies.map((body) => Buffer.from(JSON.stringify(body))),
  );
}

/** Unary gRPC-Web calls of a method with encoded messages. */
export function webCalls(http: 1 | 2, path: string, messages: readonly Uint8Array[]): Workload {
  return posts(http, path, "application/grpc-web+proto", messages.map(grpcFrame));
}

/** gRPC calls of a method with encoded messages, each with its prefix. */
export function grpcCalls(path: string, bodies: readonly Buffer[]): Workload {
  const requests = bodies.map((body) => ({ path, body }));
  return { http: 2, grpc: true, method: "POST", authority: HOST, headers: GRPC_HEADERS, requests };
}

const LOOK_UP_MESSAGES = ADDRESSES.map((ipAddress) =>
  toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, { ipAddress })),
);
const LOOK_UP_CALLS = grpcCalls(LOOK_UP, LOOK_UP_MESSAGES.map(grpcFrame));

/** Unary gRPC calls with compressed messages. */
function compressedCalls(): Workload {
  const bodies = LOOK_UP_MESSAGES.map((message) => {
    const body = grpcFrame(gzipSync(message));
    body[0] = 1;
    return body;
  });
  return { ...grpcCalls(LOOK_UP, bodies), headers: [...GRPC_HEADERS, ["grpc-encoding", "gzip"]] };
}

const GEO_IP_PATHS = ADDRESSES.map((address) => `/v1/geoIp?ip_address=${address}`);
const LOOK_UP_BODIES = ADDRESSES.map((ip_address) => ({ ip_address }));

/** JSON without insignificant white space, which protobuf for Go varies on purpose. */
function jsonContent(body: Buffer): string {
  return JSON.stringify(JSON.parse(body.toString()));
}

/** The message without default values, which protobufjs writes although proto3 does not require it. */
function protoContent(body: Buffer): string {
  const message = fromBinary(LookupIpResponseSchema, body);
  return Buffer.from(toBinary(LookupIpResponseSchema, message)).toString("latin1");
}

function grpcContent(body: Buffer): string {
  return protoContent(body.subarray(grpcFrame(NO_BODY).length));
}

/** A case with {@link ADDRESS_COUNT} addresses. */
function lookUps(
  name: string,
  title: string,
  candidates: Workload,
  contentOf: BenchCase["contentOf"],
  ...peers: readonly Contestant[]
): BenchCase {
  return {
    name,
    title: `${title}, 50,000 addresses in turn`,
    group: "varied",
    contestants: [DEFAULT, ...peers],
    candidates,
    count: ADDRESS_COUNT,
    concurrency: candidates.http === 1 ? HTTP1 : HTTP2,
    contentOf,
  };
}

const VARIED: readonly BenchCase[] = [
  lookUps(
    "geoIp",
    "REST `GET /v1/geoIp` over HTTP/1.1",
    gets(1, GEO_IP_PATHS),
    jsonContent,
    nodePeer("Fastify", "fastify", 1.4),
    nodePeer("node:http", "bare-http", 1.4),
    nodePeer("uWebSockets.js", "uwebsockets", 0.75),
  ),
  lookUps(
    "geoIpH2",
    "REST `GET /v1/geoIp` over HTTP/2",
    gets(2, GEO_IP_PATHS),
    jsonContent,
    nodePeer("Fastify", "fastify-http2"),
    nodePeer("node:http2", "bare-http2", 3),
  ),
  lookUps(
    "grpc",
    "gRPC `LookupIp`",
    LOOK_UP_CALLS,
    grpcContent,
    goPeer("grpc-go", 1, { ratio: 1.5, by: "processor time" }),
    goPeer("grpc-go", 2),
    goPeer("connect-go", 1),
    nodePeer("grpc-js", "grpc-js", 6, "processor time"),
    nodePeer("node:http2", "bare-http2"),
    nodePeer("connect-node", "connect-http2"),
  ),
  lookUps(
    "connect",
    "Connect JSON `LookupIp` over HTTP/1.1",
    jsonPosts(1, LOOK_UP, LOOK_UP_BODIES),
    jsonContent,
    goPeer("connect-go", 1),
    nodePeer("connect-node", "connect-http1", 15),
  ),
  lookUps(
    "connectH2",
    "Connect JSON `LookupIp` over HTTP/2",
    jsonPosts(2, LOOK_UP, LOOK_UP_BODIES),
    jsonContent,
    goPeer("connect-go", 1),
    nodePeer("connect-node", "connect-http2", 15),
  ),
  lookUps(
    "grpcGzip",
    "gRPC `LookupIp` with a gzip request",
    compressedCalls(),
    grpcContent,
    nodePeer("grpc-js", "grpc-js"),
  ),
  {
    name: "otp",
    title: "REST `POST /v1/otp` (verify) over HTTP/1.1, 1,000 secrets in turn",
    group: "varied",
    contestants: [DEFAULT, nodePeer("Fastify", "fastify", 1.1), nodePeer("node:http", "bare-http")],
    candidates: jsonPosts(
      1,
      "/v1/otp",
      SECRETS.map((secret) => ({ type: "time_based", action: "verify", secret })),
    ),
    count: SECRET_COUNT,
    concurrency: HTTP1,
    contentOf: jsonContent,
  },
  {
    name: "geoIpBatch",
    title: `REST \`POST /v1/geoIp:batch\` over HTTP/1.1, 50 × ${BATCH_SIZE} addresses in turn, one connection`,
    group: "varied",
    contestants: [DEFAULT, nodePeer("Fastify", "fastify", 1), nodePeer("node:http", "bare-http")],
    candidates: jsonPosts(
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
export const CASES: readonly BenchCase[] = [...VARIED, ...VARIED.map(throughTls)];
