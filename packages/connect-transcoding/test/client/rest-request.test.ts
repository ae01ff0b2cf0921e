import { create, type DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { expect, test } from "vitest";
import { type HttpRule, HttpRuleSchema } from "../../gen/google/api/http_pb.js";
import { createRestTransport, type RestTransportOptions } from "../../src/client/index.js";
import { type HttpBinding, readHttpBindings } from "../../src/routes/rules/http-rule.js";
import { queryParameters } from "../../src/routes/rules/parameter-texts.js";
import { useOnePort } from "../support/servers.js";

type Requests = Record<string, (request: object) => Promise<object>>;

/** Sends a request of type `input` by the given rules. Returns its HTTP method, path and body, or its error: a message about a query, or a code. */
async function sent(
  input: string,
  rules: readonly [string, ...string[]],
  request: object,
  options: Partial<RestTransportOptions> = {},
): Promise<string | Code> {
  const [rule = create(HttpRuleSchema), ...others] = rules.map((line) => {
    const [kind, path, body = ""] = line.split(" ");
    return create(HttpRuleSchema, { pattern: ruleOf(`${kind} ${path}`).pattern, body } as HttpRule);
  });
  rule.additionalBindings = others;
  let line = "nothing";
  const transport = createRestTransport({
    ...options,
    baseUrl: "http://localhost",
    fetch: async (url, init) => {
      // As `fetch` reads it.
      const { pathname, search } = new URL(String(url));
      line = [init?.method, pathname + search, init?.body].filter(Boolean).join(" ");
      return new Response("{}");
    },
  });
  const client = createClient(defineService([{ name: "Send", input, rule }]), transport);
  try {
    await (client as unknown as Requests).send?.(request);
    return line;
  } catch (thrown) {
    expect(line).toBe("nothing");
    const { code, rawMessage } = ConnectError.from(thrown);
    return rawMessage.includes("query") ? `${code} ${rawMessage}` : code;
  }
}

const INVALID = Code.InvalidArgument;

test.each<[rule: string, name: string, target: string | Code]>([
  // WHATWG URL 4.1: these segments are removed, in each of their forms.
  ["GET /n/{name}", "..", INVALID],
  ["GET /n/{name}", ".", INVALID],
  ["GET /n/{name}:act", "..", INVALID],
  ["GET /n/{name}/x", "..", INVALID],
  ["GET /{name=**}", "a/../b", INVALID],
  ["GET /{name=**}", "a/.", INVALID],
  ["GET /{name=bing/*}", "bing/..", INVALID],
  ["GET /{name=bing/**}/x", "bing/a/..", INVALID],
  // Encoded dots are no dots after another encoding.
  ["GET /n/{name}", "%2e%2E", "GET /n/%252e%252E"],
  ["GET /{name=**}", "a/.%2e/b", "GET /a/.%252e/b"],
  ["GET /n/{name}", "...", "GET /n/..."],
  ["GET /n/{name}", "../x", "GET /n/..%2Fx"],
  // Go's ServeMux and nginx merge slashes; before a path without a host, `//` names one.
  ["GET /{name=**}", "/evil.example/x", INVALID],
  ["GET /{name=**}", "a//b", INVALID],
  ["GET /{name=**}", "a/", INVALID],
  ["GET /n/{name=**}", "", INVALID],
  ["GET /n/{name}", "", INVALID],
  // google/api/http.proto: `*` is one segment, `**` any number of them.
  ["GET /v1/{name=shelves/*}", "books/1", INVALID],
  ["GET /v1/{name=shelves/*}", "shelves/1/2", INVALID],
  ["GET /v1/{name=shelves/*}", "shelves", INVALID],
  ["GET /v1/{name=bing}", "bang", INVALID],
  ["GET /v1/{name=bing}", "bing", "GET /v1/bing"],
  ["GET /v1/{name=bing/**}", "bing", "GET /v1/bing"],
  ["GET /v1/{name=bing/**/x}", "bing/x", "GET /v1/bing/x"],
  ["GET /v1/{name=bing/**/x/*}", "bing/1/2/x/3", "GET /v1/bing/1/2/x/3"],
  ["GET /v1/{name=bing/**/x/*}", "bing/1/2/y/3", INVALID],
  // A verb is after a colon that is not encoded.
  ["GET /n/{name}", "a:act", "GET /n/a%3Aact"],
  ["GET /n/{name}:act", "a:b", "GET /n/a%3Ab:act"],
  ["GET /{name=**}", "a/b:act", "GET /a/b%3Aact"],
  ["GET /n/{name}", "a\\..?#%/ä", "GET /n/a%5C..%3F%23%25%2F%C3%A4"],
  // It has no UTF-8.
  ["GET /n/{name}", "\ud800", INVALID],
  ["GET /n", "\ud800", INVALID],
])("the path of %s with %j", async (rule, name, target) => {
  expect(await sent("GetBookRequest", [rule], { name })).toBe(target);
});

test.each<[input: string, rule: string, request: object, target: string | Code]>([
  // Proto3 does not tell the default of a field without presence from an unset one.
  ["Specimen", "GET /n/{int32_value}", {}, "GET /n/0"],
  ["Specimen", "GET /n/{int64_value}", { int64Value: 0n }, "GET /n/0"],
  ["Specimen", "GET /n/{double_value}", {}, "GET /n/0"],
  ["Specimen", "GET /n/{bool_value}", { boolValue: false }, "GET /n/false"],
  ["Book", "GET /n/{genre}", {}, "GET /n/GENRE_UNSPECIFIED"],
  ["Book", "GET /n/{genre}", { genre: 1 }, "GET /n/novel"],
  ["UpdateBookRequest", "GET /n/{book.pages}", { book: {} }, "GET /n/0"],
  // With presence, it does.
  ["UpdateBookRequest", "GET /n/{book.pages}", {}, INVALID],
  ["LoanRequest", "GET /n/{days}", {}, INVALID],
  ["LoanRequest", "GET /n/{days}", { days: 0 }, "GET /n/0"],
  ["Specimen", "GET /n/{int64_box}", { int64Box: 5n }, "GET /n/5"],
  ["Specimen", "GET /n/{int64_box.value}", { int64Box: 5n }, "GET /n/5"],
  ["Specimen", "GET /n/{int64_box.value}", {}, INVALID],
])("the path of a %s by %s with %o is %s", async (input, rule, request, target) => {
  expect(await sent(input, [rule], request)).toBe(target);
});

const VALUE = (value: string | null) => ({
  kind: value === null ? { case: "nullValue", value: 0 } : { case: "stringValue", value },
});

const notInQuery = (why: string) => `${INVALID} the field ${why}`;
const NEEDS_OPTION =
  "cannot be in a query: it is a map, which needs the option mapParameters, here and in the server";

// Every kind of field in google/api/http.proto: no repeated messages; and none that has no text in ProtoJSON.
test.each<[request: object, query: string, withMaps?: string]>([
  [{ strings: ["a", "b"] }, "strings=a&strings=b"],
  [{ boxes: [{ value: 5n }, { value: 0n }] }, "boxes=5&boxes=0"],
  [{ genres: [0, 1, 99] }, "genres=GENRE_UNSPECIFIED&genres=novel&genres=99"],
  [{ chunks: [new Uint8Array([0xfb, 0xff]), new Uint8Array()] }, "chunks=%2B%2F8%3D&chunks="],
  [{ optionalInt32: 0, stringBox: "" }, "optionalInt32=0&stringBox="],
  [{ shelfMark: "a" }, "shelf-mark=a"],
  [{ nested: { strings: ["a"] } }, "nested.strings=a"],
  [{ timestamp: { seconds: 0n } }, "timestamp=1970-01-01T00%3A00%3A00Z"],
  [{ fieldMask: { paths: ["a_b", "c"] }, duration: { nanos: 5e8 } }, "duration=0.500s&fieldMask=aB%2Cc"],
  [{ fieldMask: {} }, "fieldMask="],
  [{ choice: { case: "chosenNumber", value: 0n } }, "chosenNumber=0"],
  // A message that is set without a field.
  [{ choice: { case: "chosenPublisher", value: {} } }, "chosenPublisher.name="],
  [{ nested: { nested: {} } }, "nested.nested.doubleValue=0"],
  [{ empty: {} }, notInQuery("empty cannot be in a query: it is an empty message")],
  ...(["textByText", "nested.textByText"] as const).map((name): [object, string, string] => {
    const textByText = { a: "b", "]": "", "c.d[": "%" };
    const request = name === "textByText" ? { textByText } : { nested: { textByText } };
    const entries = new URLSearchParams({ [`${name}[a]`]: "b", [`${name}[]]`]: "", [`${name}[c.d[]`]: "%" });
    return [request, notInQuery(`${name} ${NEEDS_OPTION}`), String(entries)];
  }),
  [
    { genreByInt32: { [-1]: 1 }, timestampBySint64: { 5: {} }, bytesByBool: { true: new Uint8Array(1) } },
    notInQuery(`genreByInt32 ${NEEDS_OPTION}`),
    String(
      new URLSearchParams({
        "genreByInt32[-1]": "novel",
        "bytesByBool[true]": "AA==",
        "timestampBySint64[5]": "1970-01-01T00:00:00Z",
      }),
    ),
  ],
  [
    { publisherByText: { a: { name: "b" } } },
    notInQuery(`publisherByText ${NEEDS_OPTION}`),
    notInQuery(
      "publisherByText cannot be in a query: its elements are library.v1.Publisher, which has no text form",
    ),
  ],
  [
    { publishers: [{ name: "a" }] },
    notInQuery(
      "publishers cannot be in a query: its elements are library.v1.Publisher, which has no text form",
    ),
  ],
  ...[{ a: "b" }, {}].map((struct): [object, string] => [
    { struct },
    notInQuery("struct cannot be in a query: it is a google.protobuf.Struct, which has no text form"),
  ]),
  ...["a", null].map((value): [object, string] => [
    { value: VALUE(value) },
    notInQuery("value cannot be in a query: it is a google.protobuf.Value, which has no text form"),
  ]),
  [
    { listValue: { values: [VALUE("a")] } },
    notInQuery("listValue cannot be in a query: it is a google.protobuf.ListValue, which has no text form"),
  ],
  [{ any: {} }, notInQuery("any cannot be in a query: it is a google.protobuf.Any, which has no text form")],
])("the query of %o", async (request, query, withMaps = query) => {
  const expected = (text: string) => (text.startsWith(String(INVALID)) ? text : `GET /s?${text}`);
  expect(await sent("Specimen", ["GET /s"], request)).toBe(expected(query));
  expect(await sent("Specimen", ["GET /s"], request, { mapParameters: true })).toBe(expected(withMaps));
});

test("an extension cannot be in a query", () => {
  const [binding] = readHttpBindings(echo.method.find as DescMethod);
  expect(() => queryParameters(binding as HttpBinding, { nested: { "[library.v1.color]": "red" } })).toThrow(
    "the field [library.v1.color] cannot be in a query: it is an extension",
  );
});

test.each<[what: string, input: string, rules: [string, string], request: object, target: string]>([
  ["a map", "Book", ["GET /b", "POST /b *"], { labels: { a: "b" } }, 'POST /b {"labels":{"a":"b"}}'],
  [
    "messages in a list",
    "ListBooksResponse",
    ["GET /b", "POST /b *"],
    { books: [{ title: "a" }] },
    'POST /b {"books":[{"title":"a"}]}',
  ],
  ["a Struct", "Specimen", ["GET /b", "POST /b *"], { struct: { a: "b" } }, 'POST /b {"struct":{"a":"b"}}'],
  ["a name", "GetBookRequest", ["GET /{name=a/*}", "GET /{name=b/*}"], { name: "b/1" }, "GET /b/1"],
  ["dots", "GetBookRequest", ["GET /n/{name}", "POST /n *"], { name: ".." }, 'POST /n {"name":".."}'],
])("%s is sent by the binding that has a place for it", async (_what, input, rules, request, target) => {
  expect(await sent(input, rules, request)).toBe(target);
});

/** google/api/http.proto has no word on a body of an unset field: `null` is an error in grpc-gateway, and `{}` sets the field. */
test.each<[field: string, request: object, body: string]>([
  ["author_names", {}, "[]"],
  ["labels", {}, "{}"],
  ["title", {}, '""'],
  ["in_print", {}, "false"],
  ["isbn", { isbn: 5n }, '"5"'],
  ["publisher", { publisher: {} }, "{}"],
  ["note", { note: "" }, '""'],
  ["year", { year: 0 }, "0"],
  ["publisher", {}, ""],
  ["note", {}, ""],
  ["year", {}, ""],
  ["room", {}, ""],
  ["acquired", {}, ""],
])("a body of the field %s in %o is %s", async (field, request, body) => {
  expect(await sent("Book", [`POST /b ${field}`], request)).toBe(`POST /b ${body}`.trim());
});

const SPECIMEN = { input: "Specimen", output: "Specimen" };
const echo = defineService([
  { name: "Get", ...SPECIMEN, rule: ruleOf("GET /n/{string_value}/{int32_value}") },
  { name: "Find", ...SPECIMEN, rule: ruleOf("GET /s") },
  { name: "Act", ...SPECIMEN, rule: ruleOf("GET /n/{string_value}/{int32_value}:act") },
  {
    name: "Add",
    input: "StoreSpecimenRequest",
    output: "StoreSpecimenRequest",
    rule: { ...ruleOf("POST /n"), body: "specimen" },
  },
]);
const server = useOnePort({
  routes: (router) =>
    router.service(echo, {
      get: (request: object) => request,
      find: (request: object) => request,
      act: (request: object) => ({ ...request, shelfMark: "act" }),
      add: (request: object) => request,
    } as never),
  transcoding: { mapParameters: true },
});

test.each<[method: string, request: Record<string, unknown>]>([
  ["get", { stringValue: "a:act" }],
  ["get", { stringValue: "a/b ?#%2F+é", int32Value: -1 }],
  ["get", { stringValue: "a", boxes: [{ value: 9007199254740993n }], int64Box: 0n, boolBox: false }],
  ["get", { stringValue: "a", nested: { int64s: [1n, -1n], genres: [0, 1, 5], optionalBool: false } }],
  ["get", { stringValue: "a", choice: { case: "chosenNumber", value: 0n }, doubles: [Number.NaN, 0.5] }],
  ["find", { nested: { nested: {} }, choice: { case: "chosenPublisher", value: {} } }],
  ["find", { textByText: { "": "", "a][b": "=&", c: "+" }, genreByInt32: { [-1]: 2 } }],
  ["find", { nested: { bytesByBool: { true: new Uint8Array([255]) } }, fieldMask: { paths: ["a_b"] } }],
  ["act", { stringValue: "a:act", shelfMark: "act" }],
  ["add", { name: "a" }],
  ["add", { name: "a", specimen: {} }],
  ["add", { specimen: { value: { kind: { case: "nullValue", value: 0 } } }, dryRun: true }],
])("our server reads what is sent: %s %o", async (method, request) => {
  const client = createClient(
    echo,
    createRestTransport({ baseUrl: server.url, mapParameters: true }),
  ) as unknown as Requests;
  const desc = echo.method[method]?.input;
  expect(await client[method]?.(request)).toEqual(desc && create(desc, request));
});
