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
import {
  CommandSchema,
  command as commandOption,
} from "@utility-tools/protos/utilitytools/command/v1/command_pb.js";
import {
  HttpOptionsSchema,
  http as httpSurface,
} from "connect-transcoding/gen/connecttranscoding/v1/options_pb.js";
import { http as httpRule } from "connect-transcoding/gen/google/api/annotations_pb.js";
import {
  CustomHttpPatternSchema,
  type HttpRule,
  HttpRuleSchema,
} from "connect-transcoding/gen/google/api/http_pb.js";
import { file_library_v1_library } from "../gen/library/v1/library_pb.js";

/**
 * A method of a service that a test makes up; its messages are those of library.v1 by their short names, or any that
 * library.v1 knows by their full ones (`google.api.HttpBody`).
 */
export interface MethodDefinition {
  readonly name: string;
  readonly input?: string;
  readonly output?: string;
  readonly rule?: MessageInitShape<typeof HttpRuleSchema>;
  readonly surface?: MessageInitShape<typeof HttpOptionsSchema>;
  readonly command?: MessageInitShape<typeof CommandSchema>;
  readonly clientStreaming?: boolean;
  readonly serverStreaming?: boolean;
}

/** Makes the descriptor of a service `test.Service` with the given methods. */
export function defineService(methods: readonly MethodDefinition[]): DescService {
  const known = new Map(allFiles(file_library_v1_library).map((each) => [each.proto.name, each]));
  const file = create(FileDescriptorProtoSchema, {
    name: "test/service.proto",
    package: "test",
    syntax: "proto3",
    dependency: [...known.keys()],
    service: [{ name: "Service", method: methods.map(defineMethod) }],
  });
  const registry = createFileRegistry(file, (name) => known.get(name));
  const service = createRegistry(registry).getService("test.Service");
  if (service === undefined) {
    throw new Error("the service is in the file");
  }
  return service;
}

/**
 * The rule that a line such as `GET /v1/{name=shelves/*}` says, and the lines of its additional bindings. A method
 * that `google.api.http` has no word for becomes a custom one.
 */
export function ruleOf(
  line: string,
  additional: readonly string[] = [],
): MessageInitShape<typeof HttpRuleSchema> {
  return { pattern: patternOf(line), additionalBindings: additional.map((each) => ruleOf(each)) };
}

function patternOf(line: string): HttpRule["pattern"] {
  const space = line.indexOf(" ");
  const kind = line.slice(0, space);
  const value = line.slice(space + 1);
  switch (kind) {
    case "GET":
      return { case: "get", value };
    case "PUT":
      return { case: "put", value };
    case "POST":
      return { case: "post", value };
    case "DELETE":
      return { case: "delete", value };
    case "PATCH":
      return { case: "patch", value };
    default:
      return { case: "custom", value: create(CustomHttpPatternSchema, { kind, path: value }) };
  }
}

function defineMethod({
  name,
  input,
  output,
  rule,
  surface,
  command,
  clientStreaming,
  serverStreaming,
}: MethodDefinition): MethodDescriptorProto {
  const options = create(MethodOptionsSchema);
  if (rule !== undefined) {
    setExtension(options, httpRule, create(HttpRuleSchema, rule));
  }
  if (surface !== undefined) {
    setExtension(options, httpSurface, create(HttpOptionsSchema, surface));
  }
  if (command !== undefined) {
    setExtension(options, commandOption, create(CommandSchema, command));
  }
  return create(MethodDescriptorProtoSchema, {
    name,
    inputType: typeName(input ?? "GetBookRequest"),
    outputType: typeName(output ?? "Book"),
    clientStreaming: clientStreaming ?? false,
    serverStreaming: serverStreaming ?? false,
    options,
  });
}

function typeName(name: string): string {
  return name.includes(".") ? `.${name}` : `.library.v1.${name}`;
}

function allFiles(file: DescFile): DescFile[] {
  return [file, ...file.dependencies.flatMap(allFiles)];
}
