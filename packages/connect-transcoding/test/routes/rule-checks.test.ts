import { createRegistry } from "@bufbuild/protobuf";
import { defineService, type MethodDefinition } from "connect-transcoding-testing/define-service.js";
import { file_library_v1_library } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { createRouteTable } from "../../src/routes/route-table.js";
import { failureOf, findRoute } from "../support/requests.js";

const registry = createRegistry(file_library_v1_library);

function start(methods: readonly MethodDefinition[]) {
  return createRouteTable(defineService(methods).methods, { unknownParameters: "reject", registry });
}

const get = (path: string) => ({ pattern: { case: "get", value: path } }) as const;
const post = (path: string, body: string) => ({ pattern: { case: "post", value: path }, body }) as const;
const custom = (kind: string, path: string) =>
  ({ pattern: { case: "custom", value: { kind, path } } }) as const;
const equals = (parameter: string, value: string) =>
  ({ parameter, condition: { case: "equals", value } }) as const;
const present = (parameter: string, value: boolean) =>
  ({ parameter, condition: { case: "present", value } }) as const;

test.each<[string, MethodDefinition[], string]>([
  [
    "a rule without a path",
    [{ name: "A", rule: {} }],
    "test.Service.A: the google.api.http rule has no path",
  ],
  [
    "a template that does not parse",
    [{ name: "A", rule: get("/v1/{name") }],
    "test.Service.A: path template \"/v1/{name\", column 10: expected '.', '=' or '}', found the end",
  ],
  [
    "a variable that is not a field",
    [{ name: "A", rule: get("/v1/{nope}") }],
    "test.Service.A: the path binds 'nope', which is not a field of library.v1.GetBookRequest",
  ],
  [
    "a variable that is a message",
    [{ name: "A", input: "UpdateBookRequest", rule: get("/v1/{book}") }],
    "test.Service.A: the path binds 'book', which has no text form",
  ],
  [
    "a variable that is a list of messages",
    [{ name: "A", input: "StoreSpecimenRequest", rule: get("/v1/{lenders}") }],
    "test.Service.A: the path binds 'lenders', which has no text form",
  ],
  [
    "a variable that is a map",
    [{ name: "A", input: "Specimen", rule: get("/v1/{text_by_text}") }],
    "test.Service.A: the path binds 'text_by_text', which has no text form",
  ],
  [
    "a body on a get rule",
    [{ name: "A", rule: { ...get("/v1/a"), body: "*" } }],
    "test.Service.A: a get rule cannot have a body",
  ],
  [
    "a body that is not a field",
    [{ name: "A", rule: post("/v1/a", "nope") }],
    "test.Service.A: body names 'nope', which is not a field of the message",
  ],
  [
    "a response_body that is not a field",
    [{ name: "A", rule: { ...get("/v1/a"), responseBody: "nope" } }],
    "test.Service.A: response_body names 'nope', which is not a field of the message",
  ],
  [
    "one field under two names in a path",
    [{ name: "A", input: "Specimen", rule: get("/v1/{string_box}/{string_box.value}") }],
    "test.Service.A: the path binds 'string_box' twice",
  ],
  [
    "one field under both names in a path",
    [{ name: "A", input: "ListBooksRequest", rule: get("/v1/{page_size}/{pageSize}") }],
    "test.Service.A: the path binds 'page_size' twice",
  ],
  // Connect serves all requests at the path of a method.
  [
    "a rule at the path of another method",
    [{ name: "A", rule: get("/test.Service/B") }, { name: "B" }],
    "test.Service.A: no request can reach GET /test.Service/B, the path of test.Service.B in gRPC and Connect",
  ],
  ...[get("/test.Service/A"), post("/test.Service/A", ""), post("/test.Service/A", "name")].map(
    (rule): [string, MethodDefinition[], string] => [
      `a rule at the path of its own method: ${JSON.stringify(rule)}`,
      [{ name: "A", rule }],
      `test.Service.A: no request can reach ${rule.pattern.case.toUpperCase()} /test.Service/A, the path of test.Service.A in gRPC and Connect`,
    ],
  ),
  [
    "a rule at the path of its own method that streams",
    [{ name: "A", rule: post("/test.Service/A", "*"), serverStreaming: true }],
    "test.Service.A: no request can reach POST /test.Service/A, the path of test.Service.A in gRPC and Connect",
  ],
  [
    "two fields of one oneof in a path",
    [{ name: "A", input: "UpdateBookRequest", rule: get("/v1/{book.room}/{book.floor}") }],
    "test.Service.A: the path binds 'book.room' and 'book.floor', which belong to the same oneof",
  ],
  [
    "a field in both path and body",
    [{ name: "A", rule: post("/v1/{name}", "name") }],
    "test.Service.A: the path binds 'name', which the body fills",
  ],
  [
    "a variable in a raw body",
    [{ name: "A", input: "UploadRequest", rule: post("/v1/{file.content_type}", "file") }],
    "test.Service.A: the path binds 'file.content_type', which the body fills",
  ],
  [
    "a variable in a request that is a raw body",
    [{ name: "A", input: "google.api.HttpBody", rule: post("/v1/{content_type}", "*") }],
    "test.Service.A: the path binds 'content_type', which the body fills",
  ],
  [
    "a variable in a request that is a well-known type",
    [{ name: "A", input: "google.protobuf.StringValue", rule: post("/v1/{value}", "*") }],
    "test.Service.A: the path binds 'value', which the body fills",
  ],
  [
    "a method without a name",
    [{ name: "A", rule: custom("", "/v1/a") }],
    "test.Service.A: '' is not an HTTP method",
  ],
  [
    "a method of two words",
    [{ name: "A", rule: custom("A B", "/v1/a") }],
    "test.Service.A: 'A B' is not an HTTP method",
  ],
  [
    "a body for HEAD",
    [{ name: "A", rule: { ...custom("HEAD", "/v1/a"), body: "*" } }],
    "test.Service.A: a head rule cannot have a body",
  ],
  [
    "streams in both directions without a body",
    [{ name: "A", clientStreaming: true, serverStreaming: true, rule: get("/v1/a") }],
    "test.Service.A: a method that takes a stream needs a body",
  ],
  [
    "a request stream without a body",
    [{ name: "A", clientStreaming: true, rule: custom("HEAD", "/v1/a") }],
    "test.Service.A: a method that takes a stream needs a body",
  ],
  [
    "a request stream with selectors",
    [
      {
        name: "A",
        clientStreaming: true,
        rule: post("/v1/a", "*"),
        options: { select: [equals("view", "1")] },
      },
    ],
    "test.Service.A: a method that takes a stream cannot have select, representation or parameters_anywhere",
  ],
  [
    "a request stream that shares its path",
    [
      { name: "A", clientStreaming: true, rule: post("/v1/a", "*") },
      { name: "B", rule: post("/v1/a", "*"), options: { select: [equals("view", "1")] } },
    ],
    "one request could select both test.Service.A (POST /v1/a) and test.Service.B (POST /v1/a)",
  ],
  [
    "a stream with a representation",
    [
      {
        name: "A",
        serverStreaming: true,
        rule: get("/v1/a"),
        options: {
          representation: { parameter: "format", choices: [{ value: "text", textField: "title" }] },
        },
      },
    ],
    "test.Service.A: a method that responds with a stream cannot have a representation",
  ],
  [
    "selectors that no request could satisfy",
    [{ name: "A", rule: get("/v1/a"), options: { select: [equals("x", "1"), present("x", false)] } }],
    "test.Service.A (GET /v1/a): no request could satisfy its selectors on 'x'",
  ],
  [
    "nested additional bindings",
    [
      {
        name: "A",
        rule: {
          ...get("/v1/a"),
          additionalBindings: [{ ...get("/v1/b"), additionalBindings: [get("/v1/c")] }],
        },
      },
    ],
    "test.Service.A: additional_bindings cannot be nested",
  ],
  [
    "two methods on one path",
    [
      { name: "A", rule: get("/v1/a") },
      { name: "B", rule: get("/v1/a") },
    ],
    "one request could select both test.Service.A (GET /v1/a) and test.Service.B (GET /v1/a)",
  ],
  [
    "two methods on paths that differ in the variable only",
    [
      { name: "A", rule: get("/v1/{name}") },
      { name: "B", rule: get("/v1/{view=*}") },
    ],
    "one request could select both test.Service.A (GET /v1/{name}) and test.Service.B (GET /v1/{view=*})",
  ],
  [
    "selectors on different parameters",
    [
      { name: "A", rule: get("/v1/a"), options: { select: [equals("x", "1")] } },
      { name: "B", rule: get("/v1/a"), options: { select: [equals("y", "1")] } },
    ],
    "one request could select both test.Service.A (GET /v1/a) and test.Service.B (GET /v1/a)",
  ],
  [
    "a value and its presence",
    [
      { name: "A", rule: get("/v1/a"), options: { select: [equals("x", "1")] } },
      { name: "B", rule: get("/v1/a"), options: { select: [present("x", true)] } },
    ],
    "one request could select both test.Service.A (GET /v1/a) and test.Service.B (GET /v1/a)",
  ],
  [
    "a selector without a condition",
    [{ name: "A", rule: get("/v1/a"), options: { select: [{ parameter: "x" }] } }],
    "test.Service.A (GET /v1/a): a selector needs a parameter and a condition",
  ],
  [
    "methods on one path with different bodies",
    [
      {
        name: "A",
        input: "UpdateBookRequest",
        rule: post("/v1/a", "*"),
        options: { select: [equals("x", "1")] },
      },
      {
        name: "B",
        input: "UpdateBookRequest",
        rule: post("/v1/a", "book"),
        options: { select: [equals("x", "2")] },
      },
    ],
    "test.Service.A and test.Service.B share a path and must have the same body and parameters_anywhere",
  ],
  [
    "parameters anywhere without a body",
    [{ name: "A", rule: get("/v1/a"), options: { parametersAnywhere: true } }],
    'test.Service.A: parameters_anywhere needs body: "*"',
  ],
  [
    "a representation that is chosen by a field",
    [
      {
        name: "A",
        rule: get("/v1/a"),
        options: { representation: { parameter: "view", choices: [{ value: "x" }] } },
      },
    ],
    "test.Service.A: a representation needs choices and a parameter that is not a field",
  ],
  [
    "a representation without choices",
    [{ name: "A", rule: get("/v1/a"), options: { representation: { parameter: "format" } } }],
    "test.Service.A: a representation needs choices and a parameter that is not a field",
  ],
  [
    "a text_field that is not a field",
    [
      {
        name: "A",
        rule: get("/v1/a"),
        options: { representation: { parameter: "format", choices: [{ value: "x", textField: "nope" }] } },
      },
    ],
    "test.Service.A: text_field names 'nope', which is not a field of the message",
  ],
  [
    "a text_field that is not a string",
    [
      {
        name: "A",
        rule: get("/v1/a"),
        options: { representation: { parameter: "format", choices: [{ value: "x", textField: "year" }] } },
      },
    ],
    "test.Service.A: text_field names 'year', which is not a string",
  ],
])("rejects %s", (_name, methods, message) => {
  expect(() => start(methods)).toThrow(expect.objectContaining({ message }));
});

test("a rule that says what Connect does at the path of a method is accepted", () => {
  expect(start([{ name: "A", rule: post("/test.Service/A", "*") }]).bindings).toHaveLength(1);
});

test("all problems are one error", () => {
  const methods = [
    { name: "A", rule: get("/v1/{nope}") },
    { name: "B", clientStreaming: true, rule: { ...post("/v1/b", "*"), additionalBindings: [get("/v1/b")] } },
    { name: "C", rule: get("/v1/c") },
    { name: "D", rule: get("/v1/c") },
  ];
  expect(() => start(methods)).toThrow(
    expect.objectContaining({
      message: [
        "test.Service.A: the path binds 'nope', which is not a field of library.v1.GetBookRequest",
        "test.Service.B: a method that takes a stream needs a body",
        "one request could select both test.Service.C (GET /v1/c) and test.Service.D (GET /v1/c)",
      ].join("\n"),
    }),
  );
});

test.each<[string, MethodDefinition[], string[]]>([
  ["a method without a rule", [{ name: "A" }], []],
  ["a method without selectors", [{ name: "A", rule: get("/v1/a") }], ["GET /v1/a"]],
  [
    "one path with two HTTP methods",
    [
      { name: "A", rule: get("/v1/a") },
      { name: "B", rule: post("/v1/a", "*") },
    ],
    ["GET /v1/a", "POST /v1/a"],
  ],
  [
    "a custom HTTP method, in upper case",
    [{ name: "A", rule: { pattern: { case: "custom", value: { kind: "purge", path: "/v1/a" } } } }],
    ["PURGE /v1/a"],
  ],
  [
    "OPTIONS",
    [
      { name: "A", rule: custom("options", "/v1/a") },
      { name: "B", rule: get("/v1/a") },
    ],
    ["OPTIONS /v1/a", "GET /v1/a"],
  ],
  [
    "a body of a well-known type",
    [{ name: "A", input: "google.protobuf.Struct", rule: post("/v1/a", "*") }],
    ["POST /v1/a"],
  ],
  [
    "paths with different precedence",
    [
      { name: "A", rule: get("/v1/{name}") },
      { name: "B", rule: get("/v1/fixed") },
      { name: "C", rule: get("/v1/{name=**}") },
    ],
    ["GET /v1/{name}", "GET /v1/fixed", "GET /v1/{name=**}"],
  ],
  [
    "selectors that exclude each other",
    [
      { name: "A", rule: get("/v1/a"), options: { select: [equals("x", "1"), equals("y", "1")] } },
      { name: "B", rule: get("/v1/a"), options: { select: [equals("x", "1"), equals("y", "2")] } },
      { name: "C", rule: get("/v1/a"), options: { select: [present("x", false)] } },
    ],
    ["GET /v1/a", "GET /v1/a", "GET /v1/a"],
  ],
])("accepts %s", (_name, methods, routes) => {
  expect(
    start(methods).bindings.map(({ httpMethod, template }) => `${httpMethod} ${template.source}`),
  ).toEqual(routes);
});

test("the order of declaration makes no difference", () => {
  const methods: MethodDefinition[] = [
    { name: "Rest", rule: get("/v1/{name=**}") },
    { name: "Wildcard", rule: get("/v1/{name}") },
    { name: "Literal", rule: get("/v1/fixed") },
    { name: "Deep", rule: get("/v1/{name}/fixed") },
  ];
  const empty = { contentType: undefined, contentEncoding: undefined, body: new Uint8Array() };
  for (const order of [methods, methods.toReversed()]) {
    const routes = start(order);
    const nameAt = (target: string) => findRoute(routes, `GET ${target}`).bind(empty).method.name;
    expect(["/v1/fixed", "/v1/x", "/v1/x/fixed", "/v1/fixed/fixed", "/v1/x/y", "/v1"].map(nameAt)).toEqual([
      "Literal",
      "Wildcard",
      "Deep",
      "Deep",
      "Rest",
      "Rest",
    ]);
  }
});

describe("unsupported: skip", () => {
  function skipping(methods: readonly MethodDefinition[]): unknown[] {
    const skipped: string[] = [];
    const { bindings } = createRouteTable(defineService(methods).methods, {
      unknownParameters: "reject",
      registry,
      unsupported: "skip",
      onUnsupported: (method, { message }) => skipped.push(`${method.name}: ${message}`),
    });
    return [bindings.map(({ method, template }) => `${method.name} ${template.source}`), skipped];
  }

  test("leaves out a method with an invalid rule", () => {
    const methods = [
      { name: "A", rule: get("/v1/{nope}") },
      { name: "B", rule: get("/v1/b") },
    ];
    expect(skipping(methods)).toEqual([
      ["B /v1/b"],
      ["A: test.Service.A: the path binds 'nope', which is not a field of library.v1.GetBookRequest"],
    ]);
  });

  test("leaves out the invalid rules of a method, and keeps the others", () => {
    const additionalBindings = [
      get("/v1/b"),
      get("/v1/{c"),
      { ...get("/v1/d"), additionalBindings: [get("/v1/e")] },
    ];
    const methods = [{ name: "A", rule: { ...get("/v1/{nope}"), additionalBindings } }];
    expect(skipping(methods)).toEqual([
      ["A /v1/b"],
      [
        "A: test.Service.A: the path binds 'nope', which is not a field of library.v1.GetBookRequest",
        "A: test.Service.A: path template \"/v1/{c\", column 7: expected '.', '=' or '}', found the end",
        "A: test.Service.A: additional_bindings cannot be nested",
      ],
    ]);
  });

  test("leaves out a route that conflicts with an earlier one", () => {
    const methods = [
      { name: "A", rule: get("/v1/a") },
      { name: "B", rule: { ...get("/v1/a"), additionalBindings: [get("/v1/b")] } },
    ];
    expect(skipping(methods)).toEqual([
      ["A /v1/a", "B /v1/b"],
      ["B: one request could select both test.Service.A (GET /v1/a) and test.Service.B (GET /v1/a)"],
    ]);
  });

  // As GetDocument and ListDocuments of Firestore.
  test("leaves out a route with '**' that has more wildcards than an earlier one", () => {
    const methods = [
      { name: "A", rule: get("/v1/{name=a/*/**}") },
      {
        name: "B",
        rule: { ...get("/v1/{name=a/*/**}/{view}"), additionalBindings: [get("/v1/{name=a}/{view}")] },
      },
    ];
    expect(skipping(methods)).toEqual([
      ["A /v1/{name=a/*/**}", "B /v1/{name=a}/{view}"],
      [
        "B: one request could select both test.Service.A (GET /v1/{name=a/*/**}) and test.Service.B (GET /v1/{name=a/*/**}/{view})",
      ],
    ]);
  });

  test("leaves no trace of a path without routes", () => {
    const methods = defineService([
      { name: "A", rule: get("/v1/a"), options: { select: [{ parameter: "x" }] } },
    ]).methods;
    const routes = createRouteTable(methods, {
      unknownParameters: "reject",
      registry,
      unsupported: "skip",
    });
    expect(failureOf(() => findRoute(routes, "GET /v1/a")).status).toBe(404);
  });
});

test("options in code replace those of the proto file", () => {
  const { methods } = defineService([
    { name: "A", rule: get("/v1/a") },
    { name: "B", rule: get("/v1/a") },
  ]);
  const routes = createRouteTable(methods, {
    unknownParameters: "reject",
    registry,
    methodOptions: ({ name }) => ({ select: [equals("method", name)], cacheControl: "no-store" }),
  });
  const content = { contentType: undefined, contentEncoding: undefined, body: new Uint8Array() };
  const bound = findRoute(routes, "GET /v1/a?method=B").bind(content);
  expect(bound.method.name).toBe("B");
  expect(bound.encode({}).headers["cache-control"]).toBe("no-store");
});
