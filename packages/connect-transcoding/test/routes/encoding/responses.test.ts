import { create, createRegistry, type MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import {
  BookSchema,
  CoverSchema,
  file_library_v1_library,
  Genre,
  LibraryService,
  ListBooksResponseSchema,
  LoanSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { httpStatusOf } from "../../../src/errors/codes.js";
import { createError, invalidArgument, violationsOf, withDomain } from "../../../src/errors/errors.js";
import { bodyTooLarge, methodNotAllowed } from "../../../src/errors/http-error.js";
import { encodeError } from "../../../src/protocols/rest/error.js";
import { createRouteTable } from "../../../src/routes/route-table.js";
import { failureOf, findRoute } from "../../support/requests.js";

const registry = createRegistry(file_library_v1_library);
const routes = createRouteTable(LibraryService.methods, { unknownParameters: "reject", registry });

function bind(
  line: string,
  body: Uint8Array = new Uint8Array(),
  contentType?: string,
  contentEncoding?: string,
) {
  return findRoute(routes, line).bind({ body, contentType, contentEncoding });
}

const book = (init: MessageInitShape<typeof BookSchema>) => create(BookSchema, init);
const JSON_TYPE = "application/json; charset=utf-8";

describe("responses", () => {
  test("a message is JSON with its defaults, and cached as its method says", () => {
    const response = bind("GET /v1/books/a").encode(book({ name: "a", isbn: 2n ** 53n, genre: Genre.NOVEL }));
    expect(response.status).toBe(200);
    expect(response.headers).toEqual({ "content-type": JSON_TYPE, "cache-control": "max-age=60" });
    expect(JSON.parse(String(response.body))).toEqual({
      name: "a",
      title: "",
      genre: "novel",
      authorNames: [],
      isbn: "9007199254740992",
      pages: 0,
      copies: "0",
      rating: 0,
      price: 0,
      inPrint: false,
      fingerprint: "",
      labels: {},
      moreGenres: [],
      volumes: [],
    });
  });

  test("a response_body is the bare field", () => {
    const { encode } = bind("GET /v1/search");
    expect(encode(create(ListBooksResponseSchema)).body).toBe("[]");
    const response = encode(create(ListBooksResponseSchema, { books: [{ name: "a" }, { name: "b" }] }));
    expect(JSON.parse(String(response.body))).toMatchObject([{ name: "a" }, { name: "b" }]);
    expect(response.headers).toEqual({ "content-type": JSON_TYPE });
  });

  test("a plain object is encoded like the message", () => {
    const init = { name: "a", publisher: { name: "P" }, genre: Genre.NOVEL };
    for (const line of ["GET /v1/books/a", "POST /v1/shelves/1/books"]) {
      const { encode } = line.startsWith("POST")
        ? bind(line, new TextEncoder().encode("{}"), "application/json")
        : bind(line);
      expect(encode(init)).toEqual(encode(book(init)));
    }
    const search = bind("GET /v1/search").encode;
    expect(search({ books: [init] })).toEqual(search(create(ListBooksResponseSchema, { books: [init] })));
    const cover = bind("GET /v1/shelves/1/books/2/cover").encode;
    expect(cover({ image: { contentType: "image/png" } })).toEqual(
      cover(create(CoverSchema, { image: { contentType: "image/png" } })),
    );
    expect(cover({}).body).toEqual(new Uint8Array());
    const text = bind("POST /v1/loans?action=borrow&format=text").encode;
    expect(text({ title: "T" }).body).toBe("T");
    expect(text({}).body).toBe("");
  });

  test("an absent response_body is null", () => {
    const { methods } = defineService([
      { name: "Show", output: "Book", rule: { ...ruleOf("GET /v1/show"), responseBody: "publisher" } },
    ]);
    const { encode } = createRouteTable(methods, { unknownParameters: "reject", registry })
      .find("GET", "/v1/show", "")
      .bind({ body: new Uint8Array(), contentType: undefined, contentEncoding: undefined });
    expect(encode({}).body).toBe("null");
    expect(encode({ publisher: {} }).body).toBe('{"name":"","cityName":""}');
  });

  test("a field of a google.api.HttpBody is JSON", () => {
    const rule = { ...ruleOf("GET /v1/show"), responseBody: "content_type" };
    const { methods } = defineService([{ name: "Show", output: "google.api.HttpBody", rule }]);
    const { encode } = createRouteTable(methods, { unknownParameters: "reject", registry })
      .find("GET", "/v1/show", "")
      .bind({ body: new Uint8Array(), contentType: undefined, contentEncoding: undefined });
    expect(encode({ contentType: "image/png" })).toEqual({
      status: 200,
      headers: { "content-type": JSON_TYPE },
      body: '"image/png"',
    });
  });

  test("the headers are one object that nobody can change, for every response of an encoder", () => {
    const { headers } = bind("GET /v1/books/a").encode({});
    expect(bind("GET /v1/books/b").encode({ name: "b" }).headers).toBe(headers);
    expect(Object.isFrozen(headers)).toBe(true);
  });

  test("a google.api.HttpBody is sent as its bytes and its content type", () => {
    const data = new Uint8Array([0, 255, 1]);
    const response = bind("GET /v1/shelves/1/books/2/cover").encode(
      create(CoverSchema, { image: { contentType: "image/png", data } }),
    );
    expect(response).toEqual({ status: 200, headers: { "content-type": "image/png" }, body: data });
  });

  test.each([
    ["", undefined, JSON_TYPE, '{"title":"T","days":0}'],
    ["&format=json", "text/plain", JSON_TYPE, '{"title":"T","days":0}'],
    ["&format=text", "application/json", "text/plain; charset=utf-8", "T"],
    // RFC 9110, section 12.5.1: the most specific range counts, and without a preference the first format.
    ["", "text/plain", "text/plain; charset=utf-8", "T"],
    ["", "text/*, application/json;q=0.9", "text/plain; charset=utf-8", "T"],
    ["", "text/plain;q=0.5, */*;q=0.1", "text/plain; charset=utf-8", "T"],
    ["", "*/*", JSON_TYPE, '{"title":"T","days":0}'],
    ["", "text/plain, application/json", JSON_TYPE, '{"title":"T","days":0}'],
    ["", "image/png", JSON_TYPE, '{"title":"T","days":0}'],
    ["", "text/plain;q=0", JSON_TYPE, '{"title":"T","days":0}'],
  ])("the representation of %j with Accept: %s is %s", (query, accept, contentType, body) => {
    const content = { body: new Uint8Array(), contentType: undefined, contentEncoding: undefined, accept };
    const { encode } = findRoute(routes, `POST /v1/loans?action=borrow${query}`).bind(content);
    expect(encode(create(LoanSchema, { title: "T" }))).toEqual({
      status: 200,
      headers: { "content-type": contentType },
      body,
    });
  });
});

describe("errors", () => {
  test("have the shape of AIP-193", () => {
    const violation = { field: "days", reason: "OUT_OF_RANGE", description: "is too long" } as const;
    const response = encodeError(withDomain(invalidArgument([violation]), "utilitytools"), {
      "cache-control": "no-store",
    });
    expect(response.status).toBe(400);
    expect(response.headers).toEqual({ "content-type": JSON_TYPE, "cache-control": "no-store" });
    expect(JSON.parse(String(response.body))).toEqual({
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "days: is too long",
        details: [
          { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [violation] },
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "INVALID_PARAMETERS",
            domain: "utilitytools",
          },
        ],
      },
    });
  });

  test("contain the metadata of the reason", () => {
    const error = createError({
      code: Code.NotFound,
      reason: "NO_BOOK",
      message: "m",
      metadata: { name: "a" },
    });
    expect(JSON.parse(String(encodeError(error).body)).error.details).toEqual([
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "NO_BOOK", metadata: { name: "a" } },
    ]);
  });

  test("that exist only in HTTP have their own status and headers", () => {
    expect(encodeError(methodNotAllowed(["GET", "HEAD"]))).toMatchObject({
      status: 405,
      headers: { allow: "GET, HEAD" },
    });
    expect(encodeError(bodyTooLarge(10))).toMatchObject({ status: 413 });
  });

  test("every canonical code has the status of google.rpc.Code", () => {
    const statuses = Object.values(Code)
      .filter((code) => typeof code === "number")
      .map((code) => [Code[code], httpStatusOf(code)]);
    expect(Object.fromEntries(statuses)).toEqual({
      Canceled: 499,
      Unknown: 500,
      InvalidArgument: 400,
      DeadlineExceeded: 504,
      NotFound: 404,
      AlreadyExists: 409,
      PermissionDenied: 403,
      ResourceExhausted: 429,
      FailedPrecondition: 400,
      Aborted: 409,
      OutOfRange: 400,
      Unimplemented: 501,
      Internal: 500,
      Unavailable: 503,
      DataLoss: 500,
      Unauthenticated: 401,
    });
  });

  test("of a handler have the field names that the client used", () => {
    const violation = (field: string) => ({ field, reason: "TOO_LONG" as const, description: "is too long" });
    const fields = (query: string, ...names: string[]) =>
      violationsOf(
        bind(`POST /v1/loans?action=borrow${query}`).rename(invalidArgument(names.map(violation))),
      ).map(({ field }) => field);
    expect(fields("&reader_name=x", "reader_name", "title")).toEqual(["reader_name", "title"]);
    expect(fields("&readerName=x", "reader_name")).toEqual(["readerName"]);
    expect(fields("", "reader_name", "not_a_field")).toEqual(["readerName", "not_a_field"]);
    const other = createError({ code: Code.NotFound, reason: "NO_BOOK", message: "m" });
    expect(bind("POST /v1/loans?action=borrow").rename(other)).toBe(other);
  });
});

describe("bodies that cannot be read", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const JSON_ONLY = "application/json";
  const FORM = "application/x-www-form-urlencoded";
  test.each<[string, string | undefined, string | undefined, Uint8Array, number, string]>([
    ["GET /v1/search", undefined, undefined, bytes("{}"), 400, "BODY_NOT_ALLOWED"],
    ["POST /v1/loans", undefined, undefined, bytes("{}"), 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["POST /v1/loans", "text/plain", undefined, bytes("{}"), 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["POST /v1/loans", "text/plain", undefined, bytes(""), 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["POST /v1/loans", "application/jsonp", undefined, bytes("{}"), 415, "UNSUPPORTED_MEDIA_TYPE"],
    [
      "POST /v1/loans",
      "application/json; charset=latin1",
      undefined,
      bytes("{}"),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    ["POST /v1/loans", JSON_ONLY, "gzip", bytes("{}"), 415, "UNSUPPORTED_CONTENT_ENCODING"],
    ["POST /v1/loans", JSON_ONLY, "identity, gzip", bytes("{}"), 415, "UNSUPPORTED_CONTENT_ENCODING"],
    ["POST /v1/loans", JSON_ONLY, "", bytes("{"), 400, "MALFORMED_BODY"],
    ["POST /v1/loans", JSON_ONLY, " identity,, Identity", bytes("{"), 400, "MALFORMED_BODY"],
    ["POST /v1/loans", JSON_ONLY, undefined, bytes("{"), 400, "MALFORMED_BODY"],
    ["POST /v1/loans", JSON_ONLY, undefined, bytes("{}{}"), 400, "MALFORMED_BODY"],
    ["POST /v1/loans", JSON_ONLY, undefined, bytes("[]"), 400, "MALFORMED_BODY"],
    ["POST /v1/loans", JSON_ONLY, undefined, bytes("null"), 400, "MALFORMED_BODY"],
    ["POST /v1/loans", JSON_ONLY, undefined, bytes('{"title":"a","title":"a"}'), 400, "MALFORMED_BODY"],
    ["POST /v1/loans", JSON_ONLY, undefined, new Uint8Array([0x22, 0xff, 0x22]), 400, "MALFORMED_BODY"],
    ["POST /v1/loans", FORM, undefined, bytes("title=%"), 400, "MALFORMED_BODY"],
    ["POST /v1/loans", FORM, undefined, new Uint8Array([0xff]), 400, "MALFORMED_BODY"],
    ["POST /v1/loans?title=%zz", undefined, undefined, bytes(""), 400, "MALFORMED_QUERY"],
    ["PATCH /v1/shelves/1/books/2", FORM, undefined, bytes("a=b"), 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["POST /v1/shelves/1/books", FORM, undefined, bytes("a=b"), 415, "UNSUPPORTED_MEDIA_TYPE"],
  ])("%s with %s, %s", (line, contentType, contentEncoding, body, status, reason) => {
    const failure = failureOf(() => bind(line, body, contentType, contentEncoding));
    expect(failure).toMatchObject({ status, reason });
  });
});
