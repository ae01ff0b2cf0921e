import { createFileRegistry, fromBinary, type Message } from "@bufbuild/protobuf";
import type { GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

/** The folder of the proto, relative to the folder in which benchmarks run. */
const PROTOS = "checks/bench/proto";
const SERVICE = "bench.v1.StreamService";

/** A request for a stream of items. */
export interface ListRequest extends Message<"bench.v1.ListRequest"> {
  prefix: string;
  count: number;
}

/** One message of a stream. */
export interface Item extends Message<"bench.v1.Item"> {
  text: string;
  number: number;
}

/** What the items of a stream add up to. */
export interface Total extends Message<"bench.v1.Total"> {
  count: number;
  length: number;
  sum: number;
}

/** The fields of a message. */
export type Fields<M extends Message> = Omit<M, keyof Message>;

type ItemDesc = GenMessage<Item>;

/** The service as generated code describes it. */
export type StreamService = GenService<{
  list: { methodKind: "server_streaming"; input: GenMessage<ListRequest>; output: ItemDesc };
  collect: { methodKind: "client_streaming"; input: ItemDesc; output: GenMessage<Total> };
  echo: { methodKind: "bidi_streaming"; input: ItemDesc; output: ItemDesc };
}>;

/** The schema of the service with streams, for grpc-js and for protobuf-es. */
export interface StreamSchema {
  readonly definition: ServiceDefinition;
  readonly service: StreamService;
}

/** Loads the schema from its proto. Throws an Error if that fails. */
export function loadStreamSchema(): StreamSchema {
  const definitions = loadSync("bench/v1/streams.proto", { includeDirs: [PROTOS] });
  // proto-loader distinguishes services from messages only by shape. This name is a service's.
  const definition = definitions[SERVICE] as ServiceDefinition;
  const { fileDescriptorProtos } = definitions["bench.v1.Item"] as { fileDescriptorProtos: Buffer[] };
  const file = fileDescriptorProtos.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  const service = createFileRegistry({
    $typeName: FileDescriptorSetSchema.typeName,
    file,
  }).getService(SERVICE);
  if (service === undefined) {
    throw new Error(`the proto has no ${SERVICE}`);
  }
  return { definition, service: service as StreamService };
}

/** The item of a list at an index: about 32 bytes in protobuf. */
export function itemAt(prefix: string, index: number): Fields<Item> {
  return { text: `${prefix}-${1_000_000_000 + index}`, number: index + 1 };
}

/** Adds an item to a total. */
export function addItem(total: Fields<Total>, { text, number }: Fields<Item>): void {
  total.count++;
  total.length += text.length;
  total.sum += number;
}

/** The total of no items. */
export function noItems(): Fields<Total> {
  return { count: 0, length: 0, sum: 0 };
}
