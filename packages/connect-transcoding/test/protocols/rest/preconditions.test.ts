import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { type ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test } from "vitest";
import { createTranscodingHandler } from "../../../src/hosts/fetch.js";
import { NOTES, NOTES_RULES } from "../../support/messages/notes.js";
import { useOnePort } from "../../support/servers.js";

const service = NOTES;
const TAG = '"a1"';
const reached: string[] = [];

/** Rejects another tag with the code in the header `x-code`. */
function check(etag: string, { requestHeader }: HandlerContext) {
  reached.push(etag);
  if (etag !== "" && etag !== TAG) {
    throw new ConnectError("the note has changed", Number(requestHeader.get("x-code") ?? Code.Aborted));
  }
  return { text: "done", etag: TAG };
}

const options = {
  routes: (router: { service: (...args: never[]) => unknown }) =>
    router.service(
      ...([
        service,
        {
          update: ({ note }: { note?: { etag: string } }, context: HandlerContext) =>
            check(note?.etag ?? "", context),
          delete: ({ etag }: { etag: string }, context: HandlerContext) => check(etag, context),
        },
      ] as never[]),
    ),
  transcoding: { rules: NOTES_RULES },
} as never;
const server = useOnePort(options);
const handle = createTranscodingHandler(options);

// RFC 9110, section 13.1.1, and AIP-154. The tag that reaches the handler is undefined if it is not called.
const UPDATE = "PATCH /v1/note";
const DELETE = "DELETE /v1/notes/1";
const cases: [line: string, ifMatch: string | undefined, body: object | undefined, number, tag?: string][] = [
  [UPDATE, undefined, {}, 200, ""],
  [UPDATE, TAG, {}, 200, TAG],
  [UPDATE, ` ${TAG} `, {}, 200, TAG],
  [UPDATE, TAG, undefined, 200, TAG],
  [UPDATE, TAG, { etag: TAG }, 200, TAG],
  [UPDATE, "*", {}, 200, ""],
  [UPDATE, "*", { etag: TAG }, 200, TAG],
  [UPDATE, '"b2"', {}, 412, '"b2"'],
  [UPDATE, 'W/"a1"', {}, 412, 'W/"a1"'],
  [UPDATE, undefined, { etag: '"b2"' }, 409, '"b2"'],
  [UPDATE, TAG, { etag: '"b2"' }, 400],
  [UPDATE, `${TAG}, "b2"`, {}, 400],
  [UPDATE, "a1", {}, 400],
  [UPDATE, "", {}, 400],
  [DELETE, TAG, undefined, 200, TAG],
  [DELETE, '"b2"', undefined, 412, '"b2"'],
  [`${DELETE}?etag=%22b2%22`, undefined, undefined, 409, '"b2"'],
  [`${DELETE}?etag=%22b2%22`, '"b2"', undefined, 412, '"b2"'],
  [`${DELETE}?etag=%22b2%22`, TAG, undefined, 400],
  ["GET /v1/notes/1", '"b2"', undefined, 200, ""],
];

describe.each([
  ["the server", (path: string, init: RequestInit) => fetch(server.url + path, init)],
  ["fetch", (path: string, init: RequestInit) => handle(new Request(`http://localhost${path}`, init))],
])("If-Match sets the entity tag of a method that has one: %s", (_host, call) => {
  test.each(cases)("%s with %s, %j: %i", async (line, ifMatch, body, status, tag) => {
    reached.length = 0;
    const [method = "", path = ""] = line.split(" ");
    const headers = {
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const response = await call(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    expect([response.status, ...reached]).toEqual([status, ...(tag === undefined ? [] : [tag])]);
  });

  test.each([
    [Code.Aborted, 412, "ABORTED"],
    [Code.FailedPrecondition, 412, "FAILED_PRECONDITION"],
    [Code.NotFound, 404, "NOT_FOUND"],
  ])("the code %i has the status %i", async (code, status, name) => {
    const headers = { "if-match": '"b2"', "x-code": String(code) };
    const response = await call("/v1/notes/1", { method: "DELETE", headers });
    expect([response.status, await response.json()]).toMatchObject([
      status,
      { error: { code: status, status: name, message: "the note has changed" } },
    ]);
  });
});

test("an error that an implementation throws again keeps its status without If-Match", async () => {
  const error = new ConnectError("changed", Code.Aborted, { "x-shelf": "1" });
  const call = createTranscodingHandler({
    ...(options as object),
    routes: (router: ConnectRouter) =>
      router.service(
        service as typeof ShelfService,
        {
          delete: () => {
            throw error;
          },
        } as never,
      ),
  } as never);
  const remove = async (headers = {}) => {
    const response = await call(new Request("http://localhost/v1/notes/1", { method: "DELETE", headers }));
    return [response.status, response.headers.get("x-shelf")];
  };
  expect(await remove({ "if-match": TAG })).toEqual([412, "1"]);
  expect(await remove()).toEqual([409, "1"]);
});

describe("a response with an entity tag", () => {
  const BOOK = "/v1/shelves/1/books/2";
  const own = useOnePort({ routes: shelfRoutes() });
  const given = useOnePort({
    routes: shelfRoutes({
      getBook: (_request, { responseHeader }) => {
        responseHeader.set("etag", TAG);
        return { name: "a" };
      },
    }),
  });
  const get = async (url: string, headers: HeadersInit, method = "GET") => {
    const response = await fetch(url + BOOK, { method, headers });
    return response.status;
  };

  test("that is weak matches no tag but *, by strong comparison", async () => {
    const tag = (await fetch(own.url + BOOK)).headers.get("etag") ?? "";
    expect(tag).toMatch(/^W\//);
    expect(await get(own.url, { "if-match": "*", "if-none-match": tag })).toBe(304);
    expect(await get(own.url, { "if-match": tag, "if-none-match": tag })).toBe(412);
    expect(await get(own.url, { "if-match": tag.slice(2) })).toBe(412);
    const response = await fetch(own.url + BOOK, { headers: { "if-match": '"x"' } });
    expect(await response.json()).toMatchObject({
      error: { code: 412, status: "FAILED_PRECONDITION", details: [{ reason: "PRECONDITION_FAILED" }] },
    });
  });

  test.each([
    [{}, 200],
    [{ "if-match": TAG }, 200],
    [{ "if-match": `"x", ${TAG}` }, 200],
    [{ "if-match": '"x"' }, 412],
    [{ "if-match": `W/${TAG}` }, 412],
    [{ "if-none-match": TAG }, 304],
    [{ "if-none-match": `W/${TAG}` }, 304],
    [{ "if-none-match": '"x"' }, 200],
  ])("that the handler sets: %j has %i", async (headers, status) => {
    expect(await get(given.url, headers)).toBe(status);
    expect(await get(given.url, headers, "HEAD")).toBe(status);
  });

  test("that the handler sets has it with 304", async () => {
    const response = await fetch(given.url + BOOK, { headers: { "if-none-match": TAG } });
    expect([response.status, response.headers.get("etag"), await response.text()]).toEqual([304, TAG, ""]);
  });
});
