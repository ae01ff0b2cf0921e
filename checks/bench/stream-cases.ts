import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { grpcFrame } from "../lib/load/workload.js";
import { type BenchCase, type Contestant, goPeer, grpcCalls, nodePeer } from "./cases.js";
import { itemAt, loadStreamSchema } from "./stream-schema.js";

/** The messages of each stream. */
const MESSAGES = 1000;
/** The number of different streams. */
const STREAMS = 100;

const CONCURRENCY = { connections: 2, streams: 4 };

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

function streamCase(
  name: string,
  title: string,
  method: string,
  ratio: number,
  bodies: readonly Buffer[],
): BenchCase {
  return {
    name,
    title: `${title}, ${MESSAGES} messages of about 32 bytes`,
    group: "streams",
    contestants: [
      OURS,
      goPeer("grpc-go", 1),
      nodePeer("grpc-js", "grpc-js-streams", ratio, "processor time"),
    ],
    candidates: grpcCalls(`/${service.typeName}/${method}`, bodies),
    count: STREAMS,
    concurrency: CONCURRENCY,
    contentOf: (body) => body.toString("latin1"),
  };
}

/** Streams over gRPC. A request of a case is a stream. */
export const STREAM_CASES: readonly BenchCase[] = [
  streamCase("serverStream", "gRPC server stream", "List", 5, listRequests),
  streamCase("clientStream", "gRPC client stream", "Collect", 2.5, itemStreams),
  streamCase("echoStream", "gRPC echo in both directions", "Echo", 4, itemStreams),
];
