import { create, toBinary } from "@bufbuild/protobuf";
import { GeoIpService, LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { createRandom, randomAddress, randomSecret } from "../fuzz/random.js";
import type { HttpRequest } from "./requests.js";
import { OURS } from "./server-process.js";

/** A server to compare. */
export interface Contestant {
  readonly name: string;
  /** The program and its arguments. */
  readonly program: readonly string[];
  /** The targeted ratio of our requests per second to this server's. */
  readonly target?: number;
}

/** One kind of request and the servers that handle it. The first contestant is ours. */
export interface BenchCase {
  readonly name: string;
  readonly title: string;
  readonly contestants: readonly [Contestant, ...Contestant[]];
  readonly traffic: HttpTraffic | GrpcTraffic;
  /** Concurrent requests, where the case requires a certain number. */
  readonly connections?: number;
}

/** HTTP/1.1 requests, sent by wrk. */
export interface HttpTraffic {
  readonly protocol: "http";
  /** The first `count` of these requests to which our server responds with 200 are used. */
  readonly candidates: readonly HttpRequest[];
  readonly count: number;
}

/** A unary call over HTTP/2, sent by h2load. */
export interface GrpcTraffic {
  readonly protocol: "grpc";
  readonly path: string;
  readonly message: Uint8Array;
}

const ours: Contestant = { name: "ours", program: OURS };
const peer = (name: string, server: string, target?: number): Contestant => ({
  name,
  program: ["dist/test/bench/peers/peer.js", server],
  ...(target === undefined ? {} : { target }),
});

// The same for all servers, since responses contain URLs with it.
const HOST = "utility-tools.test";
const JSON_TYPE = "application/json";
const get = (path: string, headers: Record<string, string> = {}): HttpRequest => ({
  method: "GET",
  path,
  headers: { host: HOST, ...headers },
  body: "",
});
const post = (path: string, body: object): HttpRequest => ({
  method: "POST",
  path,
  headers: { host: HOST, "content-type": JSON_TYPE },
  body: JSON.stringify(body),
});

const LOOK_UP = `/${GeoIpService.typeName}/${GeoIpService.method.lookupIp.name}`;
// Seeded, so that runs are comparable.
const random = createRandom(1);
const ADDRESSES = Array.from({ length: 2000 }, () => randomAddress(random));
// More than the response cache holds.
const MANY_ADDRESSES = Array.from({ length: 30_000 }, () => randomAddress(random));
// Unfiltered: some are special-purpose addresses or have no data.
const BATCHES = Array.from({ length: 50 }, () => Array.from({ length: 1000 }, () => randomAddress(random)));
const SECRETS = Array.from({ length: 100 }, () => randomSecret(random));

export const CASES: readonly BenchCase[] = [
  {
    name: "geoIp",
    title: "GET /v1/geoIp, 1,000 addresses in turn",
    contestants: [ours, peer("Fastify", "fastify", 1.1), peer("node:http", "bare-http", 0.95)],
    traffic: {
      protocol: "http",
      candidates: ADDRESSES.map((address) => get(`/v1/geoIp?ip_address=${address}`)),
      count: 1000,
    },
  },
  {
    name: "geoIpSpread",
    title: "GET /v1/geoIp, 20,000 addresses in turn, more than the response cache holds",
    contestants: [ours, peer("Fastify", "fastify"), peer("node:http", "bare-http")],
    traffic: {
      protocol: "http",
      candidates: MANY_ADDRESSES.map((address) => get(`/v1/geoIp?ip_address=${address}`)),
      count: 20_000,
    },
  },
  {
    name: "geoIpBatch",
    title: `POST /v1/geoIp:batch, ${BATCHES.length} × 1,000 addresses in turn, one connection`,
    contestants: [ours, peer("Fastify", "fastify", 1), peer("node:http", "bare-http")],
    traffic: {
      protocol: "http",
      candidates: BATCHES.map((ip_addresses) => post("/v1/geoIp:batch", { ip_addresses })),
      count: BATCHES.length,
    },
    connections: 1,
  },
  {
    name: "otp",
    title: "POST /v1/otp, codes of 100 secrets in turn",
    contestants: [ours, peer("Fastify", "fastify", 1.1), peer("node:http", "bare-http")],
    traffic: {
      protocol: "http",
      candidates: SECRETS.map((secret) => post("/v1/otp", { type: "time_based", action: "verify", secret })),
      count: SECRETS.length,
    },
  },
  {
    name: "grpc",
    title: "gRPC LookupIp, one address",
    contestants: [
      ours,
      peer("grpc-js", "grpc-js", 1.15),
      peer("node:http2", "bare-http2", 0.9),
      peer("connect-node", "connect-http2"),
    ],
    traffic: {
      protocol: "grpc",
      path: LOOK_UP,
      // No field of the response has its default value: protobufjs would encode an explicit false, protobuf-es would
      // not.
      message: toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, { ipAddress: "193.99.144.80" })),
    },
  },
  {
    name: "connect",
    title: "Connect JSON over HTTP/1.1 LookupIp, 1,000 addresses in turn",
    contestants: [ours, peer("connect-node", "connect-http1", 5)],
    traffic: {
      protocol: "http",
      candidates: ADDRESSES.map((address) => post(LOOK_UP, { ip_address: address })),
      count: 1000,
    },
  },
  {
    name: "countries",
    title: "GET /v1/countries, all of them, gzip",
    contestants: [ours, peer("Fastify", "fastify", 5)],
    traffic: {
      protocol: "http",
      candidates: [get("/v1/countries", { "accept-encoding": "gzip" })],
      count: 1,
    },
  },
];
