import { brotliCompressSync, gzipSync } from "node:zlib";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { describe, expect, test } from "vitest";
import { createTranscodingHandler } from "../../../src/hosts/fetch.js";
import { STACKS, send } from "../../support/http-clients.js";

const service = defineService([
  {
    name: "CreateBook",
    input: "CreateBookRequest",
    rule: { ...ruleOf("POST /v1/{parent=shelves/*}/books"), body: "book" },
  },
  { name: "Scan", input: "google.api.HttpBody", rule: { ...ruleOf("POST /v1/books:scan"), body: "*" } },
  { name: "GetBook", rule: ruleOf("GET /v1/{name=books/*}") },
  {
    name: "Collect",
    output: "ListBooksResponse",
    rule: { ...ruleOf("POST /v1/books:collect"), body: "*" },
    clientStreaming: true,
  },
]);
const options = {
  routes: (router: { service: (...args: never[]) => unknown }) =>
    router.service(
      ...([
        service,
        {
          createBook: ({ book }: { book?: object }) => book ?? {},
          scan: ({ data }: { data: Uint8Array }) => ({ title: Buffer.from(data).toString() }),
          getBook: () => ({ title: "got" }),
          collect: () => ({ books: [] }),
        },
      ] as never[]),
    ),
  readMaxBytes: 200_000,
} as never;
const ignoring = { ...(options as object), transcoding: { unexpectedBodies: "ignore" } } as never;

const CREATE = "POST /v1/shelves/1/books";
const json = (title: string) => JSON.stringify({ title });
const LONG = "x".repeat(100_000);
// Incompressible, so that it is inflated asynchronously.
const NOISE = Array.from({ length: 90_000 }, (_, index) => Math.trunc(1e9 * Math.sin(index)) % 10).join("");
/** 100 MB in 100 kB. */
const BOMB = gzipSync(Buffer.alloc(100_000_000, " "));

type Case = [
  what: string,
  line: string,
  coding: string,
  body: Uint8Array | string,
  status: number,
  outcome: string,
];
const cases: Case[] = [
  ["a short body", CREATE, "gzip", gzipSync(json("a")), 200, "a"],
  ["upper case", CREATE, "GZip", gzipSync(json("a")), 200, "a"],
  ["the older name", CREATE, "x-gzip", gzipSync(json("a")), 200, "a"],
  ["identity and empty elements", CREATE, "identity, ,gzip", gzipSync(json("a")), 200, "a"],
  ["several members", CREATE, "gzip", Buffer.concat([gzipSync('{"title"'), gzipSync(':"a"}')]), 200, "a"],
  ["a long body", CREATE, "gzip", gzipSync(json(LONG)), 200, LONG],
  ["a body that stays long", CREATE, "gzip", gzipSync(json(NOISE), { level: 0 }), 200, NOISE],
  ["no bytes", CREATE, "gzip", "", 200, ""],
  ["bytes", "POST /v1/books:scan", "gzip", gzipSync("pixels"), 200, "pixels"],
  ["200,001 bytes", CREATE, "gzip", gzipSync(`${json("a")}${" ".repeat(199_989)}`), 413, "BODY_TOO_LARGE"],
  ["100 MB", CREATE, "gzip", BOMB, 413, "BODY_TOO_LARGE"],
  ["other data", CREATE, "gzip", "{}", 400, "MALFORMED_BODY"],
  ["a part", CREATE, "gzip", gzipSync(json(LONG)).subarray(0, 40), 400, "MALFORMED_BODY"],
  ["malformed JSON", CREATE, "gzip", gzipSync("{"), 400, "MALFORMED_BODY"],
  ["brotli", CREATE, "br", brotliCompressSync(json("a")), 415, "UNSUPPORTED_CONTENT_ENCODING"],
  ["gzip twice", CREATE, "gzip, gzip", gzipSync(gzipSync(json("a"))), 415, "UNSUPPORTED_CONTENT_ENCODING"],
  ["a stream", "POST /v1/books:collect", "gzip", gzipSync("[]"), 415, "UNSUPPORTED_CONTENT_ENCODING"],
  ["no body in the rule", "GET /v1/books/1", "gzip", "{}", 400, "BODY_NOT_ALLOWED"],
];

/** The title of the book in a response, or the reason of the error. */
function outcomeOf(text: string): string {
  const { title, error } = JSON.parse(text);
  const [info] = error?.details ?? [];
  return error === undefined ? title : info.reason;
}

const headersOf = (coding: string) => ({ "content-type": "application/json", "content-encoding": coding });

describe.each(STACKS)("%s", (_name, useServer, begin) => {
  const server = useServer(options);
  test.each(cases)("%s: %s with %s", async (_what, line, coding, body, status, outcome) => {
    const response = await send(begin, server.url, line, headersOf(coding), ...(body === "" ? [] : [body]));
    expect([response.status, outcomeOf(response.text)]).toEqual([status, outcome]);
    const isUnsupported = response.status === 415;
    const accepted = line.endsWith("collect") ? "identity" : "gzip";
    expect(response.headers["accept-encoding"]).toBe(isUnsupported ? accepted : undefined);
  });
});

describe("fetch", () => {
  const handle = createTranscodingHandler(options);
  test.each(cases.filter(([, line]) => !line.startsWith("GET")))(
    "%s: %s with %s",
    async (_what, line, coding, body, status, outcome) => {
      const [method = "", path = ""] = line.split(" ");
      const init = { method, headers: headersOf(coding), body: Buffer.from(body) };
      const response = await handle(new Request(`http://localhost${path}`, init));
      expect([response.status, outcomeOf(await response.text())]).toEqual([status, outcome]);
    },
  );
});

describe("a body that is ignored", () => {
  const [, useServer, begin] = STACKS[2];
  const server = useServer(ignoring);
  test.each(["gzip", "br"])("is not read: %s", async (coding) => {
    const { status, text } = await send(begin, server.url, "GET /v1/books/1", headersOf(coding), "{}");
    expect([status, outcomeOf(text)]).toEqual([200, "got"]);
  });
});
