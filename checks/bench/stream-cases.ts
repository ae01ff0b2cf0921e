import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { BenchCase } from "./cases.js";
import { type Contestant, goPeer, nodePeer } from "./contestants.js";
import type { Concurrency, Workload } from "./load.js";
import { grpcFrame, HOST } from "./requests.js";
import { itemAt, loadStreamSchema } from "./stream-schema.js";

/** The messages of each stream. */
const MESSAGES = 1000;
/** The number of different streams. */
const STREAMS = 100;

const CONCURRENCY: Concurrency = { connections: 2, streams: 4 };

/** The service has no streams, so the engine serves them on its own server. */
const OURS: Contestant = { ...nodePeer("ours", "engine-streams"), kind: "ours" };

const { service } = loadStreamSchema();
const prefixes = Array.from({ length: STREAMS }, (_, index) => `stream-${10_000 + index * 7919}`);

function encode<M extends DescMessage>(desc: M, fields: MessageInitShape<M>): Buffer {
  return grpcFrame(toBinary(desc, create(desc, fields)));
}

const listRequests = prefixes.map((prefix) => encode(service.method.list.input, { prefix, count: MESSAGES }));
const itemStreams = prefixes.map((prefix) =>
  Buffer.concat(
    Array.from({ length: MESSAGES }, (_, index) =>
      encode(service.method.collect.input, itemAt(prefix, index)),
    ),
  ),
);

function calls(method: string, bodies: readonly Buffer[]): Workload {
  const path = `/${service.typeName}/${method}`;
  const headers = [
    ["content-type", "application/grpc"],
    ["te", "trailers"],
  ] as const;
  const requests = bodies.map((body) => ({ path, body }));
  return { http: 2, grpc: true, method: "POST", authority: HOST, headers, requests };
}

function streamCase(name: string, title: string, ratio: number, candidates: Workload): BenchCase {
  return {
    name,
    title: `${title}, ${MESSAGES} messages of about 32 bytes`,
    group: "streams",
    contestants: [
      OURS,
      goPeer("grpc-go", 1),
      nodePeer("grpc-js", "grpc-js-streams", { ratio, by: "processor time" }),
    ],
    candidates,
    count: STREAMS,
    concurrency: CONCURRENCY,
    contentOf: (body) => body.toString("latin1"),
  };
}

/** Streams over gRPC. A request of a case is a stream. */
export const STREAM_CASES: readonly BenchCase[] = [
  streamCase("serverStream", "gRPC server stream", 5, calls("List", listRequests)),
  streamCase("clientStream", "gRPC client stream", 2.5, calls("Collect", itemStreams)),
  streamCase("echoStream", "gRPC echo in both directions", 4, calls("Echo", itemStreams)),
];
