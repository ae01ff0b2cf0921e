import { createRegistry, toJson } from "@bufbuild/protobuf";
import {
  file_library_v1_library,
  LibraryService,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { createRouteTable } from "../../src/routes/route-table.js";
import { failureOf, findRoute } from "../support/requests.js";

const registry = createRegistry(file_library_v1_library);
const routes = createRouteTable(LibraryService.methods, { unknownParameters: "reject", registry });

/** The content of a request: a JSON object, nothing, or another body. */
type Content = Record<string, unknown> | [TestRequest?];

const TWICE = "CONFLICTING_VALUES is given more than once, with different values";
const NO_ACTION = "action REQUIRED is required; allowed: borrow, return";
const UNKNOWN_ACTION = "action INVALID_VALUE has an unknown value; allowed: borrow, return";
const UNKNOWN_FORMAT = "format INVALID_VALUE has an unknown value; allowed: json, text";
const UNKNOWN = "UNKNOWN_PARAMETER is not a parameter here";

interface TestRequest {
  readonly type?: string;
  readonly encoding?: string;
  readonly body?: string | Uint8Array;
}

function send(line: string, { type, encoding, body }: TestRequest = {}) {
  return findRoute(routes, line).bind({
    contentType: type,
    contentEncoding: encoding,
    body: typeof body === "string" ? new TextEncoder().encode(body) : (body ?? new Uint8Array()),
  });
}

function sendJson(line: string, value: unknown) {
  return send(line, { type: "application/json", body: JSON.stringify(value) });
}

function bound(line: string, request?: TestRequest) {
  const { method, message } = send(line, request);
  return [method.name, toJson(method.input, message, { registry })];
}

function violationsOf(run: () => unknown): string[] {
  return failureOf(run).violations.map(
    ({ field, reason, description }) => `${field} ${reason} ${description}`,
  );
}

describe("paths", () => {
  test.each<[string, string, unknown]>([
    ["GET /v1/shelves/1/books/2", "GetBook", { name: "shelves/1/books/2" }],
    ["HEAD /v1/shelves/1/books/2", "GetBook", { name: "shelves/1/books/2" }],
    ["GET /v1/books/abc", "GetBook", { name: "abc" }],
    ["GET /v1/books/caf%C3%A9", "GetBook", { name: "café" }],
    ["GET /v1/books/a%2Fb", "GetBook", { name: "a/b" }],
    ["GET /v1/bo%6Fks/abc", "GetBook", { name: "abc" }],
    ["GET /v1/shelves/a%2Fb/books/c%20d", "GetBook", { name: "shelves/a%2Fb/books/c d" }],
    ["GET /v1/books/2001:db8::1", "GetBook", { name: "2001:db8::1" }],
    ["GET /v1/books/x:archive", "GetBook", { name: "x:archive" }],
    ["GET /v1/shelves/1/books/2?view=full", "GetBook", { name: "shelves/1/books/2", view: "full" }],
    ["GET /v1/shelves/1/books/2/cover", "GetCover", { name: "shelves/1/books/2" }],
    ["GET /v1/files/a/b/c", "GetFile", { name: "a/b/c" }],
    ["GET /v1/files/a%2Fb/c%20d", "GetFile", { name: "a%2Fb/c d" }],
    ["GET /v1/files", "GetFile", {}],
    ["POST /v1/shelves/1/books/2:archive", "ArchiveBook", { name: "shelves/1/books/2" }],
    ["POST /v1/shelves/1/books/a:b:archive", "ArchiveBook", { name: "shelves/1/books/a:b" }],
  ])("%s calls %s", (line, method, message) => {
    expect(bound(line)).toEqual([method, message]);
  });

  test.each<[string, number, string, string?]>([
    ["GET /", 404, "ROUTE_NOT_FOUND"],
    ["GET /v1", 404, "ROUTE_NOT_FOUND"],
    ["GET /v1/books", 404, "ROUTE_NOT_FOUND"],
    ["GET /v1/books/", 404, "ROUTE_NOT_FOUND"],
    ["GET /v1/books/a/", 404, "ROUTE_NOT_FOUND"],
    ["GET //v1/books/a", 404, "ROUTE_NOT_FOUND"],
    ["GET /V1/books/a", 404, "ROUTE_NOT_FOUND"],
    ["GET *", 404, "ROUTE_NOT_FOUND"],
    ["GET /v1/books/%", 400, "MALFORMED_PATH"],
    ["GET /v1/books/%FF", 400, "MALFORMED_PATH"],
    ["PUT /v1/books/a", 405, "METHOD_NOT_ALLOWED", "GET, HEAD, OPTIONS"],
    ["GET /v1/shelves/1/books/2:archive", 405, "METHOD_NOT_ALLOWED", "POST, OPTIONS"],
    ["DELETE /v1/shelves/1/books/2", 405, "METHOD_NOT_ALLOWED", "GET, PATCH, HEAD, OPTIONS"],
    ["BREW /v1/search", 405, "METHOD_NOT_ALLOWED", "GET, HEAD, OPTIONS"],
  ])("%s fails with %i %s", (line, status, reason, allow) => {
    const failure = failureOf(() => findRoute(routes, line));
    expect(failure).toMatchObject({ status, reason });
    expect(failure.headers.allow).toBe(allow);
  });
});

describe("parameters", () => {
  test.each<[query: string, string, unknown]>([
    ["", "ListBooks", {}],
    ["?page_size=5", "ListBooks", { pageSize: 5 }],
    ["?pageSize=5&pageSize=5&page_size=5", "ListBooks", { pageSize: 5 }],
    ["?like.publisher.cityName=Lyon", "ListBooks", { like: { publisher: { cityName: "Lyon" } } }],
    ["?like.authorNames=A&like.author_names=B+C", "ListBooks", { like: { authorNames: ["A", "B C"] } }],
    ["?like.genre=novel", "ListBooks", { like: { genre: "GENRE_NOVEL" } }],
    ["?like.genre=GENRE_ESSAY", "ListBooks", { like: { genre: "GENRE_ESSAY" } }],
    ["?like.genre=2", "ListBooks", { like: { genre: "GENRE_ESSAY" } }],
    ["?like.isbn=9223372036854775807", "ListBooks", { like: { isbn: "9223372036854775807" } }],
    ["?like.acquired=2026-01-02T03:04:05Z", "ListBooks", { like: { acquired: "2026-01-02T03:04:05Z" } }],
    ["?id=7", "FindBook", { id: "7" }],
    ["?id=", "FindBook", {}],
    ["?id=7&page_size=5", "FindBook", { id: "7" }],
  ])("GET /v1/search%s calls %s", (query, method, message) => {
    expect(bound(`GET /v1/search${query}`)).toEqual([method, message]);
  });

  test.each<[string, Content, string, unknown]>([
    ["POST /v1/loans?action=borrow&title=T", [], "BorrowBook", { title: "T" }],
    ["POST /v1/loans", { action: "borrow", title: "T", days: 3 }, "BorrowBook", { title: "T", days: 3 }],
    ["POST /v1/loans", { action: "borrow", title: "T", days: "3" }, "BorrowBook", { title: "T", days: 3 }],
    ["POST /v1/loans", { action: "borrow", title: "T", days: null }, "BorrowBook", { title: "T" }],
    ["POST /v1/loans?days=0", { action: "borrow", days: 0 }, "BorrowBook", { days: 0 }],
    [
      "POST /v1/loans?action=borrow",
      { title: "T", readerName: "R" },
      "BorrowBook",
      { title: "T", readerName: "R" },
    ],
    ["POST /v1/loans?action=return&title=T&days=3", [], "ReturnBook", { title: "T" }],
    ["POST /v1/loans?action=return&days=x", [], "ReturnBook", {}],
    [
      "POST /v1/loans",
      [{ type: "application/x-www-form-urlencoded", body: "action=borrow&title=a+b%2Bc&days=3" }],
      "BorrowBook",
      { title: "a b+c", days: 3 },
    ],
    [
      "POST /v1/loans",
      [{ type: 'Application/JSON; charset="UTF-8"', body: '\uFEFF{"action":"return"}' }],
      "ReturnBook",
      {},
    ],
    ["POST /v1/loans?action=return", [{ type: "application/json", body: "" }], "ReturnBook", {}],
    [
      "POST /v1/loans?action=return",
      [{ type: "application/json", encoding: "identity", body: "{}" }],
      "ReturnBook",
      {},
    ],
    [
      "PATCH /v1/shelves/1/books/2",
      { book: { title: "T" } },
      "UpdateBook",
      { book: { name: "shelves/1/books/2", title: "T" } },
    ],
    [
      "POST /v1/shelves/1/books?dry_run=true",
      { title: "T", labels: { a: "b" } },
      "CreateBook",
      { parent: "shelves/1", dryRun: true, book: { title: "T", labels: { a: "b" } } },
    ],
    ["POST /v1/shelves/1/books", [], "CreateBook", { parent: "shelves/1" }],
  ])("%s with %j calls %s", (line, content, method, message) => {
    const sent = Array.isArray(content) ? send(line, ...content) : sendJson(line, content);
    expect([sent.method.name, toJson(sent.method.input, sent.message, { registry })]).toEqual([
      method,
      message,
    ]);
  });
});

describe("violations", () => {
  test.each<[query: string, violation: string]>([
    ["?page_size=x", "page_size INVALID_TYPE must be an integer"],
    ["?pageSize=1&page_size=2", `page_size ${TWICE}`],
    ["?page_size=2147483648", "page_size OUT_OF_RANGE is out of range; allowed: -2147483648 to 2147483647"],
    ["?nope=1", `nope ${UNKNOWN}; allowed: id, pageSize, like.*`],
    ["?nope=1&nope=2&id=1", `nope ${UNKNOWN}; allowed: id, pageSize, like.*`],
    ["?id=1&id=2", `id ${TWICE}`],
    ["?like=x", "like INVALID_TYPE is a library.v1.Book, which cannot be written as text"],
    ["?like.labels=x", "like.labels INVALID_TYPE is a map, which cannot be a parameter"],
    ["?like.genre=poem", "like.genre INVALID_VALUE has an unknown value; allowed: novel, essay"],
    ["?like.room=a&like.floor=1", "like.floor CONFLICTING_VALUES cannot be given together with room"],
    ["?like.publisher.nope=1", `like.publisher.nope ${UNKNOWN}; allowed: id, pageSize, like.*`],
  ])("GET /v1/search%s", (query, violation) => {
    expect(violationsOf(() => send(`GET /v1/search${query}`))).toEqual([violation]);
  });

  test.each<[string, Content, string[]]>([
    ["POST /v1/loans", [], [NO_ACTION]],
    ["POST /v1/loans", { action: null }, [NO_ACTION]],
    ["POST /v1/loans?action=steal", [], [UNKNOWN_ACTION]],
    ["POST /v1/loans", { action: ["borrow"] }, [UNKNOWN_ACTION]],
    ["POST /v1/loans?action=borrow", { action: "return" }, [`action ${TWICE}`]],
    ["POST /v1/loans?title=a", { action: "borrow", title: "b" }, [`title ${TWICE}`]],
    ["POST /v1/loans?action=borrow&format=xml", [], [UNKNOWN_FORMAT]],
    [
      "POST /v1/loans",
      { action: "steal", nope: 1, __proto__x: 2 },
      [
        UNKNOWN_ACTION,
        `nope ${UNKNOWN}; allowed: action, format, title, days, readerName`,
        `__proto__x ${UNKNOWN}; allowed: action, format, title, days, readerName`,
      ],
    ],
    [
      "POST /v1/loans",
      { action: "borrow", title: 1, days: "x", reader_name: "\ud800", format: "xml" },
      [
        "title INVALID_TYPE must be a string",
        "days INVALID_TYPE must be an integer",
        "reader_name INVALID_VALUE contains half of a surrogate pair",
        UNKNOWN_FORMAT,
      ],
    ],
    ["PATCH /v1/shelves/1/books/2", { book: { name: "shelves/1/books/3" } }, [`book.name ${TWICE}`]],
    [
      "PATCH /v1/shelves/1/books/2?book.title=T",
      {},
      [
        "book.title UNKNOWN_PARAMETER is not a query parameter; this method takes its parameters from the body",
      ],
    ],
  ])("%s with %j", (line, content, violations) => {
    expect(
      violationsOf(() => (Array.isArray(content) ? send(line, ...content) : sendJson(line, content))),
    ).toEqual(violations);
  });
});

describe("nesting", () => {
  const nested = (depth: number) => `${'{"parent":'.repeat(depth)}{}${"}".repeat(depth)}`;
  const publisher = (json: string): TestRequest => ({
    type: "application/json",
    body: `{"book":{"publisher":${json}}}`,
  });

  test("is limited in JSON", () => {
    const line = "PATCH /v1/shelves/1/books/2";
    expect(bound(line, publisher(nested(90)))[0]).toBe("UpdateBook");
    const [violation, ...others] = violationsOf(() => send(line, publisher(nested(5000))));
    expect(others).toEqual([]);
    expect(violation).toMatch(/\.parent INVALID_VALUE is nested too deeply; allowed: 100 messages$/);
  });

  test("is limited in a query", () => {
    const path = (depth: number) => `like.publisher.${"parent.".repeat(depth)}name`;
    expect(bound(`GET /v1/search?${path(90)}=x`)[0]).toBe("ListBooks");
    expect(violationsOf(() => send(`GET /v1/search?${path(2000)}=x`))).toHaveLength(1);
  });

  test("is harmless in a selector", () => {
    const body = `{"action":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
    expect(violationsOf(() => send("POST /v1/loans", { type: "application/json", body }))).toEqual([
      UNKNOWN_ACTION,
    ]);
  });
});
