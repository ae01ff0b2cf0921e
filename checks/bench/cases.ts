import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { GeoIpService, LookupIpResponseSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import type { Concurrency } from "connect-transcoding-testing/load/closed-loop.js";
import { grpcFrame, type Workload } from "connect-transcoding-testing/load/workload.js";
import { createRandom, randomAddress, randomSecret } from "connect-transcoding-testing/random.js";
import { TYPESCRIPT_FLAGS } from "connect-transcoding-testing/typescript-flags.js";
import { OURS } from "../lib/processes/service.js";
import { itemAt, loadStreamSchema } from "./stream-schema.js";
import { type BenchProtocol, grpcCalls, requestsOf } from "./workloads.js";

/** A server to compare. */
export interface Contestant {
  readonly name: string;
  /** The arguments of Node. */
  readonly args: readonly string[];
}

/** Our service with default settings. */
export const DEFAULT: Contestant = { name: "ours", args: OURS };

const nodePeer = (name: string, server: string): Contestant => ({
  name,
  args: [...TYPESCRIPT_FLAGS, "checks/bench/peers/peer.ts", server],
});

/** One kind of request and the servers that handle it. */
export interface BenchCase {
  readonly name: string;
  readonly title: string;
  readonly hasTls?: boolean;
  /** The first one is our default. */
  readonly contestants: readonly [Contestant, ...Contestant[]];
  /** The first `count` requests with status 200 from our server are used. */
  readonly candidates: Workload;
  readonly count: number;
  readonly concurrency: Concurrency;
  /** Returns the content of a body. Two bodies are equivalent if their contents are equal. */
  readonly contentOf: (body: Buffer) => string;
}

/** More than twelve times the number of responses that the service caches. */
const ADDRESS_COUNT = 50_000;
const SECRET_COUNT = 1000;
const BATCH_SIZE = 1000;

// Seeded, so that runs are comparable. Some are special-purpose addresses or have no data, so there are more than used.
const random = createRandom(1);
export const ADDRESSES = Array.from({ length: ADDRESS_COUNT * 1.5 }, () => randomAddress(random));
export const SECRETS = Array.from({ length: SECRET_COUNT }, () => randomSecret(random));

/** JSON in one form. */
function jsonContent(body: Buffer): string {
  return JSON.stringify(JSON.parse(body.toString()));
}

/** The message without default values, which protobufjs writes although proto3 does not require it. */
function grpcContent(body: Buffer): string {
  const message = fromBinary(LookupIpResponseSchema, body.subarray(grpcFrame(Buffer.alloc(0)).length));
  return Buffer.from(toBinary(LookupIpResponseSchema, message)).toString("latin1");
}

function varied<M extends DescMethod>(
  name: string,
  title: string,
  protocol: BenchProtocol,
  method: M,
  messages: readonly MessageInitShape<M["input"]>[],
  peers: readonly Contestant[],
  count = messages.length,
): BenchCase {
  return {
    name,
    title,
    contestants: [DEFAULT, ...peers],
    ...requestsOf(method, messages, protocol),
    count,
    contentOf: protocol === "grpc" ? grpcContent : jsonContent,
  };
}

const { lookupIp, batchLookupIps } = GeoIpService.method;
const LOOK_UPS = ADDRESSES.map((ipAddress) => ({ ipAddress }));
const BATCHES = Array.from({ length: ADDRESS_COUNT / BATCH_SIZE }, (_, index) => ({
  ipAddresses: ADDRESSES.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
}));

/** A case with {@link ADDRESS_COUNT} addresses. */
const lookUps = (name: string, title: string, protocol: BenchProtocol, ...peers: readonly Contestant[]) =>
  varied(name, `${title}, 50,000 addresses in turn`, protocol, lookupIp, LOOK_UPS, peers, ADDRESS_COUNT);

const GRPC = lookUps(
  "grpc",
  "gRPC `LookupIp`",
  "grpc",
  nodePeer("grpc-js", "grpc-js"),
  nodePeer("node:http2", "bare-http2"),
  nodePeer("connect-node", "connect-http2"),
);
const VARIED: readonly BenchCase[] = [
  lookUps(
    "geoIp",
    "REST `GET /v1/geoIp` over HTTP/1.1",
    "rest",
    nodePeer("Fastify", "fastify"),
    nodePeer("node:http", "bare-http"),
    nodePeer("uWebSockets.js", "uwebsockets"),
  ),
  lookUps(
    "geoIpH2",
    "REST `GET /v1/geoIp` over HTTP/2",
    "restH2",
    nodePeer("Fastify", "fastify-http2"),
    nodePeer("node:http2", "bare-http2"),
  ),
  GRPC,
  lookUps(
    "connect",
    "Connect JSON `LookupIp` over HTTP/1.1",
    "connect",
    nodePeer("connect-node", "connect-http1"),
  ),
  lookUps(
    "connectH2",
    "Connect JSON `LookupIp` over HTTP/2",
    "connectH2",
    nodePeer("connect-node", "connect-http2"),
  ),
  varied(
    "otp",
    "REST `POST /v1/otp` (verify) over HTTP/1.1, 1,000 secrets in turn",
    "rest",
    OtpService.method.verifyOtp,
    SECRETS.map((secret) => ({ secret })),
    [nodePeer("Fastify", "fastify"), nodePeer("node:http", "bare-http")],
  ),
  {
    ...varied(
      "geoIpBatch",
      `REST \`POST /v1/geoIp:batch\` over HTTP/1.1, 50 × ${BATCH_SIZE} addresses in turn, one connection`,
      "rest",
      batchLookupIps,
      BATCHES,
      [nodePeer("Fastify", "fastify"), nodePeer("node:http", "bare-http")],
    ),
    concurrency: { connections: 1, streams: 1 },
  },
];

const throughTls = (benchCase: BenchCase): BenchCase => ({
  ...benchCase,
  name: `${benchCase.name}Tls`,
  title: `${benchCase.title}, TLS`,
  hasTls: true,
});

/** The messages of each stream, and the number of different streams. */
const MESSAGES = 1000;
const STREAMS = 100;

const { typeName, method: streamMethod } = loadStreamSchema().service;
const prefixes = Array.from({ length: STREAMS }, (_, index) => `stream-${10_000 + index * 7919}`);
const framed = <M extends DescMessage>(desc: M, fields: MessageInitShape<M>) =>
  grpcFrame(toBinary(desc, create(desc, fields)));
const lists = prefixes.map((prefix) => framed(streamMethod.list.input, { text: prefix, number: MESSAGES }));
const itemStreams = prefixes.map((prefix) => {
  const frameAt = (_: unknown, index: number) => framed(streamMethod.collect.input, itemAt(prefix, index));
  return Buffer.concat(Array.from({ length: MESSAGES }, frameAt));
});

/** A case whose requests are streams. The service has none, so the engine serves them on its own server. */
function streams(name: string, title: string, path: string, bodies: Buffer[]): BenchCase {
  const grpcJs = nodePeer("grpc-js", "grpc-js-streams");
  return {
    name,
    title: `${title}, ${MESSAGES} messages of about 32 bytes`,
    contestants: [nodePeer("ours", "engine-streams"), grpcJs],
    candidates: grpcCalls(bodies.map((body) => ({ path: `/${typeName}/${path}`, body }))),
    count: STREAMS,
    concurrency: { connections: 2, streams: 4 },
    contentOf: (body) => body.toString("latin1"),
  };
}

export const CASES: readonly BenchCase[] = [
  ...VARIED,
  ...VARIED.map(throughTls),
  streams("serverStream", "gRPC server stream", "List", lists),
  streams("clientStream", "gRPC client stream", "Collect", itemStreams),
  streams("echoStream", "gRPC echo in both directions", "Echo", itemStreams),
];
