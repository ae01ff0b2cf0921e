// `npm run check -- protovalidate`: compares the schema of a field in the OpenAPI document with what a server with protovalidate accepts.
import { create, createFileRegistry, setExtension } from "@bufbuild/protobuf";
import {
  FieldDescriptorProtoSchema,
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  MessageOptionsSchema,
  MethodOptionsSchema,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { createValidator } from "@bufbuild/protovalidate";
import {
  FieldRulesSchema,
  field as fieldOption,
  Ignore,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { requestLimit } from "connect-transcoding";
import { createTranscodingHandler } from "connect-transcoding/fetch";
import { http } from "connect-transcoding/gen/google/api/annotations_pb.js";
import { HttpRuleSchema } from "connect-transcoding/gen/google/api/http_pb.js";
import { openApiDocument } from "connect-transcoding/openapi";
import { createValidationInterceptor } from "connect-transcoding/protovalidate";
import { readHttpBindings } from "connect-transcoding/rules";
import { check, conclude } from "../lib/checks.mjs";

const rulesOf = (kind, value, others = {}) => ({ type: { case: kind, value }, ...others });

const TEXTS = ["", "a", "abc", "abcd", "é".repeat(4), "x".repeat(12)];
const NUMBERS = [-6, -5, -1, 0, 1, 4, 5, 6];

/** Each rule: the field, the rule, and values; undefined stands for a request without the field. */
const CASES = [
  ["required", Type.STRING, { required: true }, TEXTS],
  ["min_len", Type.STRING, rulesOf("string", { minLen: 3n }), TEXTS],
  ["max_len", Type.STRING, rulesOf("string", { maxLen: 3n }), TEXTS],
  ["len", Type.STRING, rulesOf("string", { len: 4n }), TEXTS],
  ["pattern", Type.STRING, rulesOf("string", { pattern: "^a[b-d]*$" }), TEXTS],
  ["prefix", Type.STRING, rulesOf("string", { prefix: "a.b" }), ["", "a.b", "a.bc", "axb"]],
  ["suffix", Type.STRING, rulesOf("string", { suffix: "(x)" }), ["", "(x)", "a(x)", "x"]],
  ["contains", Type.STRING, rulesOf("string", { contains: "+" }), ["", "+", "a+b", "a"]],
  ["in", Type.STRING, rulesOf("string", { in: ["a", "abc"] }), TEXTS],
  ["const", Type.STRING, rulesOf("string", { const: "abc" }), TEXTS],
  [
    "email",
    Type.STRING,
    rulesOf("string", { wellKnown: { case: "email", value: true } }),
    ["", "a@b.example", "a"],
  ],
  [
    "uuid",
    Type.STRING,
    rulesOf("string", { wellKnown: { case: "uuid", value: true } }),
    ["", "a", "2f1c1e0e-9a1b-4c3d-8e5f-0123456789ab"],
  ],
  [
    "uri",
    Type.STRING,
    rulesOf("string", { wellKnown: { case: "uri", value: true } }),
    ["", "https://a.example/b", "a b"],
  ],
  [
    "ip",
    Type.STRING,
    rulesOf("string", { wellKnown: { case: "ip", value: true } }),
    ["", "192.0.2.1", "::1", "1.2.3"],
  ],
  [
    "gte and lte",
    Type.INT32,
    rulesOf("int32", { greaterThan: { case: "gte", value: -5 }, lessThan: { case: "lte", value: 5 } }),
    NUMBERS,
  ],
  [
    "gt and lt",
    Type.SINT32,
    rulesOf("sint32", { greaterThan: { case: "gt", value: 0 }, lessThan: { case: "lt", value: 5 } }),
    NUMBERS,
  ],
  ["in of numbers", Type.INT32, rulesOf("int32", { in: [-1, 5] }), NUMBERS],
  ["in with 0", Type.UINT32, rulesOf("uint32", { in: [0, 5] }), [0, 1, 5]],
  [
    "gt of double",
    Type.DOUBLE,
    rulesOf("double", { greaterThan: { case: "gt", value: 0.5 } }),
    [0, 0.5, 0.75],
  ],
  ["finite", Type.FLOAT, rulesOf("float", { finite: true }), [0, 1.5, "NaN", "Infinity"]],
  ["in of 64-bit integers", Type.INT64, rulesOf("int64", { in: [7n, 8n] }), ["7", "9"]],
  ["const of bool", Type.BOOL, rulesOf("bool", { const: true }), [true, false]],
  [
    "items",
    Type.STRING,
    rulesOf("repeated", {
      minItems: 1n,
      maxItems: 2n,
      unique: true,
      items: rulesOf("string", { minLen: 2n }),
    }),
    [[], ["ab"], ["ab", "cd"], ["ab", "ab"], ["a"], ["ab", "cd", "ef"]],
    "list",
  ],
  ["a required list", Type.STRING, { required: true }, [[], ["a"]], "list"],
  [
    "values of a map",
    Type.STRING,
    rulesOf("map", { minPairs: 1n, maxPairs: 2n, values: rulesOf("string", { minLen: 2n }) }),
    [{}, { a: "ab" }, { a: "a" }, { a: "ab", b: "ab", c: "ab" }],
    "map",
  ],
];

/** A service with one field: of a type, a list or a map of it. */
function serviceWith(type, rules, kind) {
  const options = create(FieldOptionsSchema);
  setExtension(options, fieldOption, create(FieldRulesSchema, rules));
  const methodOptions = create(MethodOptionsSchema);
  setExtension(
    methodOptions,
    http,
    create(HttpRuleSchema, { pattern: { case: "post", value: "/v1/things" }, body: "*" }),
  );
  const label = kind === undefined ? Label.OPTIONAL : Label.REPEATED;
  const entry = {
    name: "TheFieldEntry",
    options: create(MessageOptionsSchema, { mapEntry: true }),
    field: [
      { name: "key", number: 1, type: Type.STRING, label: Label.OPTIONAL },
      { name: "value", number: 2, type, label: Label.OPTIONAL },
    ],
  };
  const isMap = kind === "map";
  const file = create(FileDescriptorProtoSchema, {
    name: "test/thing.proto",
    package: "test",
    syntax: "proto3",
    messageType: [
      {
        name: "Thing",
        nestedType: isMap ? [entry] : [],
        field: [
          create(FieldDescriptorProtoSchema, {
            name: "the_field",
            jsonName: "theField",
            number: 1,
            type: isMap ? Type.MESSAGE : type,
            ...(isMap ? { typeName: ".test.Thing.TheFieldEntry" } : {}),
            label,
            options,
          }),
        ],
      },
    ],
    service: [
      {
        name: "Things",
        method: [
          { name: "Make", inputType: ".test.Thing", outputType: ".test.Thing", options: methodOptions },
        ],
      },
    ],
  });
  return createFileRegistry(file, () => undefined).getService("test.Things");
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
      const [
        {
          fieldViolations: [violation],
        },
      ] = answer.error.details;
      check(
        `${name}: the violation names the field`,
        /^theField(?:\[\w+\])?$/.test(violation.field),
        violation,
      );
    }
  }
}

for (const each of CASES) {
  await compare(...each);
}
for (const ignore of [Ignore.UNSPECIFIED, Ignore.IF_ZERO_VALUE, Ignore.ALWAYS]) {
  const rules = rulesOf("string", { minLen: 3n }, { ignore });
  await compare(`ignore: ${Ignore[ignore]}`, Type.STRING, rules, ["abc"]);
}
conclude();
