import {
  create,
  createFileRegistry,
  createRegistry,
  type DescService,
  type MessageInitShape,
  setExtension,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  FieldDescriptorProtoSchema,
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
  FieldDescriptorProto_Label as Label,
  MethodOptionsSchema,
  OneofOptionsSchema,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import {
  FieldDocsSchema,
  file_connecttranscoding_v1_options,
  HttpOptionsSchema,
  http_field,
  http_oneof_required,
  http as httpOptions,
} from "connect-transcoding/gen/connecttranscoding/v1/options_pb.js";
import { http as httpRule } from "connect-transcoding/gen/google/api/annotations_pb.js";
import { HttpRuleSchema } from "connect-transcoding/gen/google/api/http_pb.js";
import { file_google_rpc_code } from "connect-transcoding/gen/google/rpc/code_pb.js";
import { resolverOf, ruleOf } from "connect-transcoding-testing/define-service.js";

/** A field of a test message. */
export interface FieldDefinition {
  readonly type: Type;
  /** The message of the field, without its package; a well-known type with it. */
  readonly message?: string;
  readonly repeated?: boolean;
  readonly oneof?: string;
  readonly docs?: MessageInitShape<typeof FieldDocsSchema>;
  /** The content of the option `buf.validate.field`. */
  readonly rules?: Uint8Array;
  readonly label?: "optional";
  /** The enum of the field, with its package. */
  readonly enumName?: string;
}

/** A message: its fields by name. */
export type MessageDefinition = Readonly<Record<string, FieldDefinition>>;

/** A method. Names of messages are without their package. */
export interface DocumentedMethod {
  readonly input: string;
  readonly output: string;
  /** For example `GET /v1/things`; other HTTP methods than GET have `body: "*"`. */
  readonly rule: string;
  readonly options?: MessageInitShape<typeof HttpOptionsSchema>;
  /** Default: `*`. */
  readonly body?: string;
}

const IMPORTS = [
  file_connecttranscoding_v1_options,
  file_google_rpc_code,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
];

/** A field with a string. */
export function text(docs: FieldDefinition["docs"] = {}): FieldDefinition {
  return { type: Type.STRING, docs };
}

/** Creates the service `test.Things` with these methods and messages. All oneofs are always set. */
export function documentedService(
  messages: Readonly<Record<string, MessageDefinition>>,
  methods: Readonly<Record<string, DocumentedMethod>>,
): DescService {
  const file = create(FileDescriptorProtoSchema, {
    name: "test/thing.proto",
    package: "test",
    syntax: "proto3",
    dependency: IMPORTS.map(({ proto }) => proto.name),
    messageType: Object.entries(messages).map(([name, fields]) => defineMessage(name, fields)),
    service: [
      {
        name: "Things",
        method: Object.entries(methods).map(([name, { input, output, rule, options, body: field = "*" }]) => {
          const methodOptions = create(MethodOptionsSchema);
          const body = rule.startsWith("GET ") ? "" : field;
          setExtension(methodOptions, httpRule, create(HttpRuleSchema, { ...ruleOf(rule), body }));
          setExtension(methodOptions, httpOptions, create(HttpOptionsSchema, options));
          return { name, inputType: `.test.${input}`, outputType: `.test.${output}`, options: methodOptions };
        }),
      },
    ],
  });
  const resolvers = IMPORTS.map(resolverOf);
  const registry = createFileRegistry(file, (name) =>
    resolvers.map((resolve) => resolve(name)).find((each) => each !== undefined),
  );
  const service = createRegistry(registry).getService("test.Things");
  if (service === undefined) {
    throw new Error("the service is in the file");
  }
  return service;
}

/** Returns a valid name for a field with any JSON name: `a/b` is `a_47_b`. */
function protoName(jsonName: string): string {
  return jsonName.replaceAll(/\W/g, (character) => `_${character.charCodeAt(0)}_`);
}

function defineMessage(name: string, fields: MessageDefinition): DescriptorProto {
  const oneofs = [...new Set(Object.values(fields).flatMap(({ oneof }) => oneof ?? []))];
  const optional = Object.entries(fields).flatMap(([field, { label }]) =>
    label === undefined ? [] : [field],
  );
  const options = create(OneofOptionsSchema);
  setExtension(options, http_oneof_required, true);
  return create(DescriptorProtoSchema, {
    name,
    // A field with the label optional is in a oneof of its own, which comes after the others.
    oneofDecl: [
      ...oneofs.map((oneof) => ({ name: oneof, options })),
      ...optional.map((field) => ({ name: `_${protoName(field)}` })),
    ],
    field: Object.entries(fields).map(
      ([field, { type, message, repeated, oneof, docs, rules, label, enumName }], index) => {
        const fieldOptions = create(FieldOptionsSchema);
        setExtension(fieldOptions, http_field, create(FieldDocsSchema, docs));
        if (rules !== undefined) {
          const data = new BinaryWriter().bytes(rules).finish();
          fieldOptions.$unknown = [
            ...(fieldOptions.$unknown ?? []),
            { no: 1159, wireType: WireType.LengthDelimited, data },
          ];
        }
        return create(FieldDescriptorProtoSchema, {
          name: protoName(field),
          jsonName: field,
          number: index + 1,
          type,
          ...(message === undefined
            ? {}
            : { typeName: message.includes(".") ? `.${message}` : `.test.${message}` }),
          ...(enumName === undefined ? {} : { typeName: `.${enumName}` }),
          ...(label === undefined
            ? {}
            : { proto3Optional: true, oneofIndex: oneofs.length + optional.indexOf(field) }),
          label: repeated ? Label.REPEATED : Label.OPTIONAL,
          ...(oneof === undefined ? {} : { oneofIndex: oneofs.indexOf(oneof) }),
          options: fieldOptions,
        });
      },
    ),
  });
}
