import { createRegistry, type JsonValue, toJson } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import {
  file_library_v1_library,
  LibraryService,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { createRouteTable } from "../../../src/routes/route-table.js";
import { type Failure, failureOf, findRoute } from "../requests.js";

const registry = createRegistry(file_library_v1_library, DurationSchema);

const service = defineService([
  { name: "Find", input: "Specimen", rule: ruleOf("GET /v1/specimens") },
  { name: "Add", input: "Specimen", rule: { ...ruleOf("POST /v1/specimens"), body: "*" } },
  { name: "Look", input: "StoreSpecimenRequest", rule: ruleOf("GET /v1/stores/{name}") },
  {
    name: "Store",
    input: "StoreSpecimenRequest",
    rule: { ...ruleOf("PUT /v1/stores/{name}"), body: "specimen" },
  },
  {
    name: "Amend",
    input: "StoreSpecimenRequest",
    rule: { ...ruleOf("PATCH /v1/stores/{name}/{specimen.int64_value}"), body: "*" },
  },
  {
    name: "Lend",
    input: "StoreSpecimenRequest",
    rule: { ...ruleOf("PUT /v1/stores/{name}/lenders"), body: "lenders" },
  },
  {
    name: "Try",
    input: "StoreSpecimenRequest",
    rule: { ...ruleOf("PUT /v1/stores/{name}/dry_run"), body: "dry_run" },
  },
  { name: "List", input: "Specimen", rule: ruleOf("GET /v1/lists/{int64s}/{strings=**}") },
  { name: "Box", input: "Specimen", rule: ruleOf("GET /v1/boxes/{string_box}/{timestamp}") },
  {
    name: "Open",
    input: "StoreSpecimenRequest",
    rule: { ...ruleOf("PATCH /v1/boxes/{specimen.int64_box.value}"), body: "*" },
  },
  {
    name: "Split",
    input: "StoreSpecimenRequest",
    rule: ruleOf("GET /v1/split/{name=*/{specimen.string_value}}"),
  },
  { name: "Upload", input: "UploadRequest", rule: { ...ruleOf("PUT /v1/files/{name}"), body: "file" } },
  { name: "Describe", input: "UploadRequest", rule: { ...ruleOf("POST /v1/files/{name}"), body: "*" } },
  { name: "Dump", input: "google.api.HttpBody", rule: { ...ruleOf("POST /v1/dump"), body: "*" } },
  {
    name: "Point",
    input: "Specimen",
    rule: ruleOf(
      "GET /v1/{genre}/{uint32_value}/{bytes_value}/{double_value}/{chosen_flag}/{nested.sint64_value}",
    ),
  },
]);
const methods = [...LibraryService.methods, ...service.methods];
const strict = createRouteTable(methods, { unknownParameters: "reject", registry });
export const lenient = createRouteTable(methods, { unknownParameters: "ignore", registry });
export const withMaps = createRouteTable(methods, {
  unknownParameters: "reject",
  registry,
  mapParameters: true,
});

/** A body and its content type; undefined without a body. */
export type Content = { readonly type: string | undefined; readonly body: string | Uint8Array } | undefined;

/** A JSON body: a string is the body, any other value is encoded. */
export const json = (value: unknown): Content => ({
  type: "application/json",
  body: typeof value === "string" ? value : JSON.stringify(value),
});

function send(line: string, content: Content, routes = strict) {
  const { type, body = new Uint8Array() } = content ?? {};
  return findRoute(routes, line).bind({
    contentType: type,
    contentEncoding: undefined,
    body: typeof body === "string" ? new TextEncoder().encode(body) : body,
  });
}

export function bound(line: string, content: Content, routes = strict): JsonValue {
  const { method, message } = send(line, content, routes);
  return toJson(method.input, message, { registry });
}

export function errorOf(line: string, content: Content, routes = strict): Failure {
  return failureOf(() => send(line, content, routes));
}

export const violations = (line: string, content: Content, routes = strict): string[] =>
  errorOf(line, content, routes).violations.map(
    ({ field, reason, description }) => `${field} ${reason} ${description}`,
  );

export const GET = "GET /v1/specimens";
export const POST = "POST /v1/specimens";
export const PUT = "PUT /v1/stores/a";

// The texts of violations.
export const INTEGER = "INVALID_TYPE must be an integer";
export const NUMBER = "INVALID_TYPE must be a number";
export const BOOLEAN = "INVALID_TYPE must be true or false";
export const GENRE = "INVALID_VALUE has an unknown value; allowed: novel, essay";
export const TWICE = "CONFLICTING_VALUES is given more than once, with different values";
export const BASE64 = "INVALID_VALUE is not base64";
const range = (low: string | number, high: string | number) =>
  `OUT_OF_RANGE is out of range; allowed: ${low} to ${high}`;
export const INT32 = range(-2147483648, 2147483647);
export const UINT32 = range(0, 4294967295);
export const INT64 = range("-9223372036854775808", "9223372036854775807");
export const UINT64 = range(0, "18446744073709551615");
export const FLOAT = range("-3.4028234663852886e+38", "3.4028234663852886e+38");
export const DOUBLE = range("-1.7976931348623157e+308", "1.7976931348623157e+308");
export const notForm = (name: string) => `INVALID_VALUE is not the ProtoJSON form of google.protobuf.${name}`;
export const notText = (name: string) => `INVALID_TYPE is a ${name}, which cannot be written as text`;
export const MAP = "INVALID_TYPE is a map, which cannot be a parameter";
export const STRING = "INVALID_TYPE must be a string";
export const ARRAY = "INVALID_TYPE must be an array";
export const OBJECT = "INVALID_TYPE must be an object";
export const NOT_NULL = "INVALID_TYPE must not be null";
export const SURROGATE = "INVALID_VALUE contains half of a surrogate pair";
export const isNoField = (type: string) => `UNKNOWN_PARAMETER is not a field of library.v1.${type}`;
