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
  type MethodOptions,
  MethodOptions_IdempotencyLevel,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import {
  HttpOptionsSchema,
  http as httpOptions,
} from "connect-transcoding/gen/connecttranscoding/v1/options_pb.js";
import { http as httpRule } from "connect-transcoding/gen/google/api/annotations_pb.js";
import {
  CustomHttpPatternSchema,
  type HttpRule,
  HttpRuleSchema,
} from "connect-transcoding/gen/google/api/http_pb.js";
import { file_library_v1_library } from "../gen/library/v1/library_pb.js";

/**
 * A method of a test service. Messages of library.v1 have their short names; others that library.v1 imports have their
 * full names (`google.api.HttpBody`).
 */
export interface MethodDefinition {
  readonly name: string;
  readonly input?: string;
  readonly output?: string;
  readonly rule?: MessageInitShape<typeof HttpRuleSchema>;
  readonly options?: MessageInitShape<typeof HttpOptionsSchema>;
  /** Sets further options, such as those of another package. */
  readonly extend?: (options: MethodOptions) => void;
  readonly clientStreaming?: boolean;
  readonly serverStreaming?: boolean;
  /** Whether Connect clients may call the method with GET. */
  readonly hasNoSideEffects?: boolean;
}

/** Creates the descriptor of a service `test.Service` with these methods. */
export function defineService(methods: readonly MethodDefinition[]): DescService {
  const file = create(FileDescriptorProtoSchema, {
    name: "test/service.proto",
    package: "test",
    syntax: "proto3",
    dependency: allFiles(file_library_v1_library).map((each) => each.proto.name),
    service: [{ name: "Service", method: methods.map(defineMethod) }],
  });
  const registry = createFileRegistry(file, resolverOf(file_library_v1_library));
  const service = createRegistry(registry).getService("test.Service");
  if (service === undefined) {
    throw new Error("the service is in the file");
  }
  return service;
}

/**
 * Converts a line such as `GET /v1/{name=shelves/*}` to a rule, and further lines to additional bindings. An HTTP method
 * without a field of its own in `google.api.HttpRule` becomes a custom pattern.
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
  options,
  extend,
  clientStreaming,
  serverStreaming,
  hasNoSideEffects,
}: MethodDefinition): MethodDescriptorProto {
  const methodOptions = create(MethodOptionsSchema);
  if (hasNoSideEffects === true) {
    methodOptions.idempotencyLevel = MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  }
  if (rule !== undefined) {
    setExtension(methodOptions, httpRule, create(HttpRuleSchema, rule));
  }
  if (options !== undefined) {
    setExtension(methodOptions, httpOptions, create(HttpOptionsSchema, options));
  }
  extend?.(methodOptions);
  return create(MethodDescriptorProtoSchema, {
    name,
    inputType: typeName(input ?? "GetBookRequest"),
    outputType: typeName(output ?? "Book"),
    clientStreaming: clientStreaming ?? false,
    serverStreaming: serverStreaming ?? false,
    options: methodOptions,
  });
}

function typeName(name: string): string {
  return name.includes(".") ? `.${name}` : `.library.v1.${name}`;
}

/** Finds a file and its dependencies by name, for `createFileRegistry`. */
export function resolverOf(file: DescFile): (name: string) => DescFile | undefined {
  const known = new Map(allFiles(file).map((each) => [each.proto.name, each]));
  return (name) => known.get(name);
}

function allFiles(file: DescFile): DescFile[] {
  return [file, ...file.dependencies.flatMap(allFiles)];
}
