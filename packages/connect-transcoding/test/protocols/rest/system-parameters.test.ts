import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { describe, expect, test } from "vitest";
import { useOnePort } from "../../support/servers.js";

const service = defineService([
  { name: "GetBook", rule: ruleOf("GET /v1/{name=books/*}"), hasNoSideEffects: true },
  {
    name: "ListBooks",
    output: "ListBooksResponse",
    rule: { ...ruleOf("GET /v1/books"), responseBody: "books" },
  },
  { name: "CreateBook", input: "CreateBookRequest", rule: { ...ruleOf("POST /v1/books"), body: "*" } },
  { name: "WatchBook", rule: ruleOf("GET /v1/{name=books/*}:watch"), serverStreaming: true },
  { name: "GetCover", output: "google.api.HttpBody", rule: ruleOf("GET /v1/{name=books/*}:cover") },
  { name: "Scan", input: "google.api.HttpBody", rule: { ...ruleOf("POST /v1/books:scan"), body: "*" } },
]);
const book = { name: "a", title: "A", genre: 1, isbn: 5n, authorNames: ["x"] };
const implementation = {
  getBook: () => book,
  listBooks: () => ({ books: [book, { ...book, name: "b" }] }),
  createBook: () => book,
  watchBook: async function* () {
    yield book;
    yield { ...book, name: "b" };
  },
  scan: ({ data }: { data: Uint8Array }) => ({ ...book, title: Buffer.from(data).toString() }),
  getCover: () => ({ contentType: "image/png", data: new Uint8Array([1, 2]) }),
};
const routes = (router: { service: (...args: never[]) => unknown }) =>
  router.service(...([service, implementation] as never[]));
const server = useOnePort({ routes: routes as never, transcoding: { systemParameters: true } });
const plain = useOnePort({ routes: routes as never });
const inForm = useOnePort({
  routes: routes as never,
  transcoding: { json: { fieldNames: "proto", enums: "numbers", defaults: "omit", longs: "numbers" } },
});

async function get(path: string, init?: RequestInit) {
  const response = await fetch(server.url + path, init);
  const text = await response.text();
  return { status: response.status, type: response.headers.get("content-type"), text };
}

describe("system parameters", () => {
  test.each<[string, unknown]>([
    ["/v1/books/1?$alt=json&$fields=name", { name: "a" }],
    ["/v1/books/1?alt=json&fields=name,genre", { name: "a", genre: "novel" }],
    ["/v1/books/1?$alt=json%3Benum-encoding%3Dint&$fields=genre", { genre: 1 }],
    ["/v1/books/1?$.xgafv=2&fields=author_names", { authorNames: ["x"] }],
    ["/v1/books?fields=name", [{ name: "a" }, { name: "b" }]],
  ])("%s", async (path, expected) => {
    const { status, text } = await get(path);
    expect([status, JSON.parse(text)]).toEqual([200, expected]);
  });

  test("of a request with a body are in the query", async () => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect(await get("/v1/books?$fields=name", init)).toMatchObject({ status: 200, text: '{"name":"a"}' });
  });

  test("of a request with any content are in the query", async () => {
    const init = { method: "POST", headers: { "content-type": "image/png" }, body: "pixels" };
    expect(await get("/v1/books:scan?$alt=json&$fields=title", init)).toMatchObject({
      status: 200,
      text: '{"title":"pixels"}',
    });
    expect(await get("/v1/books:scan?color=red", init)).toMatchObject({ status: 400 });
  });

  test("$prettyPrint breaks lines", async () => {
    expect((await get("/v1/books/1?$prettyPrint=true&$fields=name,title")).text).toBe(
      '{\n  "name": "a",\n  "title": "A"\n}',
    );
    expect((await get("/v1/books/1?prettyPrint=false&$fields=name")).text).toBe('{"name":"a"}');
  });

  test("$alt=sse selects server-sent events, with fields in each", async () => {
    const { type, text } = await get("/v1/books/1:watch?$alt=sse&$fields=name&$prettyPrint=true");
    expect([type, text]).toEqual([
      "text/event-stream",
      'data: {"name":"a"}\n\ndata: {"name":"b"}\n\nevent: end\ndata: {}\n\n',
    ]);
  });

  test("do not change bytes", async () => {
    expect((await get("/v1/books/1:cover?$prettyPrint=true")).text).toBe("\u0001\u0002");
  });

  test.each([
    ["$alt=xml", "$alt: has an unknown value; allowed: json, json;enum-encoding=int, sse"],
    ["$prettyPrint=maybe", "$prettyPrint: has an unknown value; allowed: true, false"],
    ["$.xgafv=3", "$.xgafv: has an unknown value; allowed: 1, 2"],
    ["$fields=colour", "$fields: 'colour' is not a field of library.v1.Book"],
    ["$fields=a(", "$fields: 'a' is not a field of library.v1.Book"],
    ["$callback=f", "$callback: is not a parameter here; allowed: name, view"],
  ])("%s is rejected", async (query, message) => {
    const { status, text } = await get(`/v1/books/1?${query}`);
    expect(status).toBe(400);
    expect(JSON.parse(text).error.message).toContain(message.slice(0, message.indexOf("; allowed: name")));
  });

  test("of a response without fields cannot select some", async () => {
    expect(JSON.parse((await get("/v1/books/1:cover?$fields=name")).text).error.message).toBe(
      "$fields: selects no fields here: the response is no message in JSON",
    );
  });

  test("are unknown parameters by default", async () => {
    expect((await fetch(`${plain.url}/v1/books/1?$fields=name`)).status).toBe(400);
  });
});

test("the form of JSON is that of the server", async () => {
  const response = await fetch(`${inForm.url}/v1/books/1`);
  expect(await response.json()).toEqual({ name: "a", title: "A", genre: 1, isbn: 5, author_names: ["x"] });
});
