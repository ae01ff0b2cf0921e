import { createFileRegistry, fromBinary, type Message } from "@bufbuild/protobuf";
import type { GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

/** The folder of the proto, relative to the folder in which benchmarks run. */
const PROTOS = "checks/bench/proto";
const SERVICE = "bench.v1.StreamService";

/** The fields of the message that all methods have. */
export interface Item {
  text: string;
  number: number;
}

type ItemDesc = GenMessage<Item & Message<"bench.v1.Item">>;

/** The schema of the service with streams, for grpc-js and for protobuf-es. */
interface StreamSchema {
  readonly definition: ServiceDefinition;
  readonly service: GenService<{
    list: { methodKind: "server_streaming"; input: ItemDesc; output: ItemDesc };
    collect: { methodKind: "client_streaming"; input: ItemDesc; output: ItemDesc };
    echo: { methodKind: "bidi_streaming"; input: ItemDesc; output: ItemDesc };
  }>;
}

/** Loads the schema from its proto. Throws an Error if that fails. */
export function loadStreamSchema(): StreamSchema {
  const definitions = loadSync("bench/v1/streams.proto", { includeDirs: [PROTOS] });
  // proto-loader distinguishes services from messages only by shape. This name is a service's.
  const definition = definitions[SERVICE] as ServiceDefinition;
  const { fileDescriptorProtos } = definitions["bench.v1.Item"] as { fileDescriptorProtos: Buffer[] };
  const file = fileDescriptorProtos.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  const registry = createFileRegistry({ $typeName: FileDescriptorSetSchema.typeName, file });
  return { definition, service: registry.getService(SERVICE) as StreamSchema["service"] };
}

/** The item of a list at an index: about 32 bytes in protobuf. */
export function itemAt(prefix: string, index: number): Item {
  return { text: `${prefix}-${1_000_000_000 + index}`, number: index + 1 };
}
