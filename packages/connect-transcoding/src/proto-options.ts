import {
  create,
  type DescEnumValue,
  type DescField,
  type DescFile,
  type DescMethod,
  type DescOneof,
  getOption,
  hasOption,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import {
  type FieldDocs,
  FieldDocsSchema,
  file_connecttranscoding_v1_options,
  type HttpOptions,
  HttpOptionsSchema,
  http,
  http_field,
  http_oneof_required,
  http_value,
  max_request_bytes,
  type ToolOptions,
  tool,
} from "../gen/connecttranscoding/v1/options_pb.js";

// Every access to the options of connecttranscoding/v1/options.proto. Extension numbers from 50000 up are shared by all
// projects, so that an option is read only where the file that declares it imports ours: elsewhere, the same number is
// another project's extension.

/** Overrides the options of a method; undefined keeps those of its proto file. */
export type MethodOptions = (method: DescMethod) => MessageInitShape<typeof HttpOptionsSchema> | undefined;

/** The HTTP options of a method, as `methodOptions` or its proto file has them; empty by default. */
export function httpOptionsOf(method: DescMethod, methodOptions?: MethodOptions): HttpOptions {
  const init = methodOptions?.(method);
  if (init !== undefined) {
    return create(HttpOptionsSchema, init);
  }
  return importsOptions(method.parent.file) && hasOption(method, http)
    ? getOption(method, http)
    : create(HttpOptionsSchema);
}

// protobuf-es decodes an option at every access, and an API document reads those of a field several times.
const fieldDocs = new WeakMap<DescField, FieldDocs>();

/** The documentation of a field; empty by default. All callers share it, so none may change it. */
export function fieldDocsOf(field: DescField): FieldDocs {
  let docs = fieldDocs.get(field);
  if (docs === undefined) {
    docs =
      importsOptions(field.parent.file) && hasOption(field, http_field)
        ? getOption(field, http_field)
        : create(FieldDocsSchema);
    fieldDocs.set(field, docs);
  }
  return docs;
}

/** Whether one field of a oneof is documented as always set. */
export function isRequiredOneof(oneof: DescOneof): boolean {
  return importsOptions(oneof.parent.file) && getOption(oneof, http_oneof_required);
}

/** The name of an enum value over REST; undefined without one. */
export function enumValueName(value: DescEnumValue): string | undefined {
  return importsOptions(value.parent.file) && hasOption(value, http_value)
    ? getOption(value, http_value)
    : undefined;
}

/** The `max_request_bytes` of a method; 0 without any. */
export function maxRequestBytesOf(method: DescMethod): number {
  return importsOptions(method.parent.file) ? getOption(method, max_request_bytes) : 0;
}

/** The `tool` of a method; undefined without any. */
export function toolOptionsOf(method: DescMethod): ToolOptions | undefined {
  return importsOptions(method.parent.file) && hasOption(method, tool) ? getOption(method, tool) : undefined;
}

const importsOurs = new WeakMap<DescFile, boolean>();

/** Whether a file imports the option file, itself or through a file that imports it publicly. */
function importsOptions(file: DescFile): boolean {
  const known = importsOurs.get(file);
  if (known !== undefined) {
    return known;
  }
  const { name } = file_connecttranscoding_v1_options.proto;
  const isOurs = (each: DescFile): boolean => each.proto.name === name || publicImports(each).some(isOurs);
  const found =
    file.proto.dependency.includes(name) ||
    // Of edition 2024; older versions of protobuf-es do not know it.
    file.proto.optionDependency?.includes(name) ||
    file.dependencies.some(isOurs);
  importsOurs.set(file, found);
  return found;
}

function publicImports({ proto, dependencies }: DescFile): DescFile[] {
  const names = new Set(proto.publicDependency.map((index) => proto.dependency[index]));
  return dependencies.filter((each) => names.has(each.proto.name));
}
