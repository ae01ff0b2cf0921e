import { createRegistry } from "@bufbuild/protobuf";
import { defineService, type MethodDefinition, ruleOf } from "connect-transcoding-testing/define-service.js";
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

/** A method without its name. */
type Unnamed = Omit<MethodDefinition, "name">;

/** A method with a rule such as `GET /v1/a`. */
const on = (line: string, more: Unnamed = {}): Unnamed => ({
  ...more,
  rule: Object.assign(ruleOf(line), more.rule),
});
const body = (field: string): Unnamed => ({ rule: { body: field } });
const select = (...conditions: NonNullable<NonNullable<MethodDefinition["options"]>["select"]>): Unnamed => ({
  options: { select: conditions },
});
const format = (...choices: { readonly value: string; readonly textField?: string }[]): Unnamed => ({
  options: { representation: { parameter: "format", choices } },
});
const input = (name: string): Unnamed => ({ input: name });

/** Why routes of the methods A and B are rejected, with short names. */
function problemOf(methods: readonly Unnamed[]): string | undefined {
  try {
    start(methods.map((each, index) => ({ ...each, name: "AB".charAt(index) })));
    return undefined;
  } catch (error) {
    return (error as Error).message.replaceAll("test.Service.", "");
  }
}

const STREAM = { clientStreaming: true } as const;
const AMBIGUOUS = "one request could select both A (GET /v1/a) and B (GET /v1/a)";
const CHOICES = "A: a representation needs choices and a parameter that is not a field";
const ON_OWN_PATH = (httpMethod: string) =>
  `A: no request can reach ${httpMethod} /test.Service/A, the path of A in gRPC and Connect`;

test.each<[problem: string, ...methods: Unnamed[]]>([
  ["A: the google.api.http rule has no path", { rule: {} }],
  ["A: path template \"/v1/{name\", column 10: expected '.', '=' or '}', found the end", on("GET /v1/{name")],
  ["A: the path binds 'nope', which is not a field of library.v1.GetBookRequest", on("GET /v1/{nope}")],
  ["A: the path binds 'book', which has no text form", on("GET /v1/{book}", input("UpdateBookRequest"))],
  [
    "A: the path binds 'lenders', which has no text form",
    on("GET /v1/{lenders}", input("StoreSpecimenRequest")),
  ],
  [
    "A: the path binds 'text_by_text', which has no text form",
    on("GET /v1/{text_by_text}", input("Specimen")),
  ],
  ["A: a get rule cannot have a body", on("GET /v1/a", body("*"))],
  ["A: body names 'nope', which is not a field of the message", on("POST /v1/a", body("nope"))],
  [
    "A: response_body names 'nope', which is not a field of the message",
    on("GET /v1/a", { rule: { responseBody: "nope" } }),
  ],
  // One field under two names.
  ["A: the path binds 'string_box' twice", on("GET /v1/{string_box}/{string_box.value}", input("Specimen"))],
  ["A: the path binds 'page_size' twice", on("GET /v1/{page_size}/{pageSize}", input("ListBooksRequest"))],
  // Connect serves all requests at the path of a method.
  [
    "A: no request can reach GET /test.Service/B, the path of B in gRPC and Connect",
    on("GET /test.Service/B"),
    {},
  ],
  [ON_OWN_PATH("GET"), on("GET /test.Service/A")],
  [ON_OWN_PATH("POST"), on("POST /test.Service/A")],
  [ON_OWN_PATH("POST"), on("POST /test.Service/A", body("name"))],
  [ON_OWN_PATH("POST"), on("POST /test.Service/A", { ...body("*"), serverStreaming: true })],
  [
    "A: the path binds 'book.room' and 'book.floor', which belong to the same oneof",
    on("GET /v1/{book.room}/{book.floor}", input("UpdateBookRequest")),
  ],
  ["A: the path binds 'name', which the body fills", on("POST /v1/{name}", body("name"))],
  [
    "A: the path binds 'file.content_type', which the body fills",
    on("POST /v1/{file.content_type}", { ...body("file"), input: "UploadRequest" }),
  ],
  [
    "A: the path binds 'content_type', which the body fills",
    on("POST /v1/{content_type}", { ...body("*"), input: "google.api.HttpBody" }),
  ],
  [
    "A: the path binds 'value', which the body fills",
    on("POST /v1/{value}", { ...body("*"), input: "google.protobuf.StringValue" }),
  ],
  ["A: '' is not an HTTP method", on(" /v1/a")],
  ["A: 'A B' is not an HTTP method", { rule: custom("A B", "/v1/a") }],
  ["A: a head rule cannot have a body", on("HEAD /v1/a", body("*"))],
  ["A: a method that takes a stream needs a body", on("GET /v1/a", { ...STREAM, serverStreaming: true })],
  ["A: a method that takes a stream needs a body", on("HEAD /v1/a", STREAM)],
  [
    "A: a method that takes a stream cannot have select, representation or parameters_anywhere",
    on("POST /v1/a", { ...STREAM, ...body("*"), ...select(equals("view", "1")) }),
  ],
  [
    AMBIGUOUS.replaceAll("GET", "POST"),
    on("POST /v1/a", { ...STREAM, ...body("*") }),
    on("POST /v1/a", { ...body("*"), ...select(equals("view", "1")) }),
  ],
  [
    "A: a method that responds with a stream cannot have a representation",
    on("GET /v1/a", { serverStreaming: true, ...format({ value: "text", textField: "title" }) }),
  ],
  [
    "A (GET /v1/a): no request could satisfy its selectors on 'x'",
    on("GET /v1/a", select(equals("x", "1"), present("x", false))),
  ],
  [
    "A: additional_bindings cannot be nested",
    on("GET /v1/a", { rule: { additionalBindings: [ruleOf("GET /v1/b", ["GET /v1/c"])] } }),
  ],
  [AMBIGUOUS, on("GET /v1/a"), on("GET /v1/a")],
  // The variables differ only.
  [
    "one request could select both A (GET /v1/{name}) and B (GET /v1/{view=*})",
    on("GET /v1/{name}"),
    on("GET /v1/{view=*}"),
  ],
  [AMBIGUOUS, on("GET /v1/a", select(equals("x", "1"))), on("GET /v1/a", select(equals("y", "1")))],
  [AMBIGUOUS, on("GET /v1/a", select(equals("x", "1"))), on("GET /v1/a", select(present("x", true)))],
  [
    "A (GET /v1/a): a selector needs a parameter and a condition",
    on("GET /v1/a", select({ parameter: "x" })),
  ],
  [
    "A and B share a path and must have the same body and parameters_anywhere",
    on("POST /v1/a", { input: "UpdateBookRequest", ...body("*"), ...select(equals("x", "1")) }),
    on("POST /v1/a", { input: "UpdateBookRequest", ...body("book"), ...select(equals("x", "2")) }),
  ],
  ['A: parameters_anywhere needs body: "*"', on("GET /v1/a", { options: { parametersAnywhere: true } })],
  [
    CHOICES,
    on("GET /v1/a", { options: { representation: { parameter: "view", choices: [{ value: "x" }] } } }),
  ],
  [CHOICES, on("GET /v1/a", format())],
  [
    "A: text_field names 'nope', which is not a field of the message",
    on("GET /v1/a", format({ value: "x", textField: "nope" })),
  ],
  [
    "A: text_field names 'year', which is not a string",
    on("GET /v1/a", format({ value: "x", textField: "year" })),
  ],
])("%s: %j %j", (problem, ...methods) => {
  expect(problemOf(methods)).toBe(problem);
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
    const routes = createRouteTable(methods, { unknownParameters: "reject", registry, unsupported: "skip" });
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
