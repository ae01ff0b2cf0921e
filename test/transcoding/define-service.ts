import {
  create,
  createFileRegistry,
  createRegistry,
  type DescFile,
  type DescService,
  type MessageInitShape,
  setExtension,
} from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  type MethodDescriptorProto,
  MethodDescriptorProtoSchema,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { http as httpRule } from "../../gen/google/api/annotations_pb.js";
import { HttpRuleSchema } from "../../gen/google/api/http_pb.js";
import {
  HttpSurfaceSchema,
  http as httpSurface,
} from "../../gen/utilitytools/transcoding/v1/transcoding_pb.js";
import { file_library_v1_library } from "../gen/library/v1/library_pb.js";

/** A method of a service that a test makes up; its messages are those of library.v1, by their short names. */
export interface MethodDefinition {
  readonly name: string;
  readonly input?: string;
  readonly output?: string;
  readonly rule?: MessageInitShape<typeof HttpRuleSchema>;
  readonly surface?: MessageInitShape<typeof HttpSurfaceSchema>;
  readonly serverStreaming?: boolean;
}

/** Makes the descriptor of a service `test.Service` with the given methods. */
export function defineService(methods: readonly MethodDefinition[]): DescService {
  const file = create(FileDescriptorProtoSchema, {
    name: "test/service.proto",
    package: "test",
    syntax: "proto3",
    dependency: ["library/v1/library.proto"],
    service: [{ name: "Service", method: methods.map(defineMethod) }],
  });
  const known = new Map(allFiles(file_library_v1_library).map((each) => [each.proto.name, each]));
  const registry = createFileRegistry(file, (name) => known.get(name));
  const service = createRegistry(registry).getService("test.Service");
  if (service === undefined) {
    throw new Error("the service is in the file");
  }
  return service;
}

function defineMethod({
  name,
  input,
  output,
  rule,
  surface,
  serverStreaming,
}: MethodDefinition): MethodDescriptorProto {
  const options = create(MethodOptionsSchema);
  if (rule !== undefined) {
    setExtension(options, httpRule, create(HttpRuleSchema, rule));
  }
  if (surface !== undefined) {
    setExtension(options, httpSurface, create(HttpSurfaceSchema, surface));
  }
  return create(MethodDescriptorProtoSchema, {
    name,
    inputType: `.library.v1.${input ?? "GetBookRequest"}`,
    outputType: `.library.v1.${output ?? "Book"}`,
    serverStreaming: serverStreaming ?? false,
    options,
  });
}

function allFiles(file: DescFile): DescFile[] {
  return [file, ...file.dependencies.flatMap(allFiles)];
}
