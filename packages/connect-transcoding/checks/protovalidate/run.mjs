// `npm run check -- protovalidate`: compares the schema of a field in the OpenAPI document with what a server with protovalidate accepts.
import { createFileRegistry, createRegistry, fromJson } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { createValidator } from "@bufbuild/protovalidate";
import { field as fieldOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { requestLimit } from "connect-transcoding";
import { createTranscodingHandler } from "connect-transcoding/fetch";
import { http } from "connect-transcoding/gen/google/api/annotations_pb.js";
import { openApiDocument } from "connect-transcoding/openapi";
import { createValidationInterceptor } from "connect-transcoding/protovalidate";
import { readHttpBindings } from "connect-transcoding/rules";
import { check, conclude } from "connect-transcoding-testing/checks.mjs";

const TEXTS = ["", "a", "abc", "abcd", "é".repeat(4), "x".repeat(12)];
const NUMBERS = [-6, -5, -1, 0, 1, 4, 5, 6];
const ITEMS = { minItems: 1, maxItems: 2, unique: true, items: { string: { minLen: 2 } } };
const LISTS = [[], ["ab"], ["ab", "cd"], ["ab", "ab"], ["a"], ["ab", "cd", "ef"]];
const PAIRS = { minPairs: 1, maxPairs: 2, values: { string: { minLen: 2 } } };
const MAPS = [{}, { a: "ab" }, { a: "a" }, { a: "ab", b: "ab", c: "ab" }];

/** Each rule: the type of the field, the rule, and values. */
const CASES = [
  ["required", "STRING", { required: true }, TEXTS],
  ["min_len", "STRING", { string: { minLen: 3 } }, TEXTS],
  ["max_len", "STRING", { string: { maxLen: 3 } }, TEXTS],
  ["len", "STRING", { string: { len: 4 } }, TEXTS],
  ["pattern", "STRING", { string: { pattern: "^a[b-d]*$" } }, TEXTS],
  ["prefix", "STRING", { string: { prefix: "a.b" } }, ["", "a.b", "a.bc", "axb"]],
  ["suffix", "STRING", { string: { suffix: "(x)" } }, ["", "(x)", "a(x)", "x"]],
  ["contains", "STRING", { string: { contains: "+" } }, ["", "+", "a+b", "a"]],
  ["in", "STRING", { string: { in: ["a", "abc"] } }, TEXTS],
  ["const", "STRING", { string: { const: "abc" } }, TEXTS],
  ["email", "STRING", { string: { email: true } }, ["", "a@b.example", "a"]],
  ["uuid", "STRING", { string: { uuid: true } }, ["", "a", "2f1c1e0e-9a1b-4c3d-8e5f-0123456789ab"]],
  ["uri", "STRING", { string: { uri: true } }, ["", "https://a.example/b", "a b"]],
  ["ip", "STRING", { string: { ip: true } }, ["", "192.0.2.1", "::1", "1.2.3"]],
  ["gte and lte", "INT32", { int32: { gte: -5, lte: 5 } }, NUMBERS],
  ["gt and lt", "SINT32", { sint32: { gt: 0, lt: 5 } }, NUMBERS],
  ["in of numbers", "INT32", { int32: { in: [-1, 5] } }, NUMBERS],
  ["in with 0", "UINT32", { uint32: { in: [0, 5] } }, [0, 1, 5]],
  ["gt of double", "DOUBLE", { double: { gt: 0.5 } }, [0, 0.5, 0.75]],
  ["finite", "FLOAT", { float: { finite: true } }, [0, 1.5, "NaN", "Infinity"]],
  ["in of 64-bit integers", "INT64", { int64: { in: ["7", "8"] } }, ["7", "9"]],
  ["const of bool", "BOOL", { bool: { const: true } }, [true, false]],
  ["items", "STRING", { repeated: ITEMS }, LISTS, "list"],
  ["a required list", "STRING", { required: true }, [[], ["a"]], "list"],
  ["values of a map", "STRING", { map: PAIRS }, MAPS, "map"],
  ...["IGNORE_UNSPECIFIED", "IGNORE_IF_ZERO_VALUE", "IGNORE_ALWAYS"].map((ignore) => [
    ...[ignore, "STRING", { string: { minLen: 3 }, ignore }, ["abc"]],
  ]),
];

/** A service with one field: of a type, a list or a map of it. */
function serviceWith(type, rules, kind) {
  const rule = { post: "/v1/things", body: "*" };
  const method = { name: "Make", inputType: ".test.Thing", outputType: ".test.Thing" };
  const field = (name, number, fieldType, more) => {
    return { name, number, type: `TYPE_${fieldType}`, label: "LABEL_OPTIONAL", ...more };
  };
  const entry = {
    name: "TheFieldEntry",
    options: { mapEntry: true },
    field: [field("key", 1, "STRING"), field("value", 2, type)],
  };
  const theField = field("the_field", 1, kind === "map" ? "MESSAGE" : type, {
    jsonName: "theField",
    ...(kind === "map" && { typeName: ".test.Thing.TheFieldEntry" }),
    ...(kind !== undefined && { label: "LABEL_REPEATED" }),
    options: { "[buf.validate.field]": rules },
  });
  const file = {
    name: "test/thing.proto",
    package: "test",
    syntax: "proto3",
    messageType: [{ name: "Thing", nestedType: kind === "map" ? [entry] : [], field: [theField] }],
    service: [{ name: "Things", method: [{ ...method, options: { "[google.api.http]": rule } }] }],
  };
  const registry = createRegistry(fieldOption, http);
  const desc = fromJson(FileDescriptorProtoSchema, file, { registry });
  return createFileRegistry(desc, () => undefined).getService("test.Things");
}

async function compare(name, type, rules, values, kind) {
  const service = serviceWith(type, rules, kind);
  const handler = createTranscodingHandler({
    routes: (router) => router.service(service, { make: (thing) => thing }),
    interceptors: [createValidationInterceptor(createValidator())],
  });
  const bindings = service.methods.flatMap((method) => readHttpBindings(method));
  const { components } = openApiDocument(
    bindings,
    { info: { title: "Things", version: "1", description: "" }, comments: {} },
    { baseUrl: undefined, requestLimit: requestLimit() },
  );
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(components.schemas.ThingInput);
  // Also a request without the field.
  for (const value of [undefined, ...values]) {
    const body = value === undefined ? {} : { theField: value };
    const response = await handler(
      new Request("http://localhost/v1/things", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
    const answer = await response.json();
    const isValid = validate(body);
    const expected = isValid ? 200 : 400;
    check(
      `${name}: ${JSON.stringify(body)} is ${isValid ? "valid" : "invalid"}`,
      response.status === expected,
      answer,
    );
    if (!isValid && response.status === 400) {
      const { field } = answer.error.details[0].fieldViolations[0];
      check(`${name}: the violation names the field`, /^theField(?:\[\w+\])?$/.test(field), field);
    }
  }
}

for (const each of CASES) {
  await compare(...each);
}
conclude();
