import { create, toBinary } from "@bufbuild/protobuf";
import { GeoIpService, LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { createRandom, randomAddress, randomSecret } from "../fuzz/random.js";
import type { HttpRequest } from "./requests.js";
import { OURS } from "./server-process.js";

/** One of those that are measured side by side. */
export interface Contestant {
  readonly name: string;
  /** The program and its arguments. */
  readonly program: readonly string[];
  /** How many times as many requests we want to answer. */
  readonly target?: number;
}

/** One kind of request, and who answers it. The first contestant is ours. */
export interface BenchCase {
  readonly name: string;
  readonly title: string;
  readonly contestants: readonly [Contestant, ...Contestant[]];
  readonly traffic: HttpTraffic | GrpcTraffic;
  /** Requests under way at once, where the case is about that. */
  readonly connections?: number;
}

/** Requests over HTTP/1.1, from wrk. */
export interface HttpTraffic {
  readonly protocol: "http";
  /** Requests, of which the first `count` are used that ours answers with 200. */
  readonly candidates: readonly HttpRequest[];
  readonly count: number;
}

/** One unary call over HTTP/2, from h2load. */
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

// One name for all, since answers hold URLs made of it.
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
// The same in every run, so that runs can be compared.
const random = createRandom(1);
const ADDRESSES = Array.from({ length: 2000 }, () => randomAddress(random));
// So many that hardly any is asked for again while its answer is still kept.
const MANY_ADDRESSES = Array.from({ length: 30_000 }, () => randomAddress(random));
// As they come: some are not public, of some nothing is known.
const BATCHES = Array.from({ length: 50 }, () => Array.from({ length: 1000 }, () => randomAddress(random)));
const SECRETS = Array.from({ length: 100 }, () => randomSecret(random));

/** Everything that is measured. */
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
    title: "GET /v1/geoIp, 20,000 addresses in turn, which is more than answers are kept for",
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
      // Every field of the answer has a value: protobufjs would send a false that was set, and protobuf-es would not.
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
