import type { DescMethod, DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, createContextKey } from "@connectrpc/connect";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test } from "vitest";
import type { CallerOptions } from "../../src/call/caller.js";
import { clientAddressKey } from "../../src/call/context-keys.js";
import { violationsOf } from "../../src/errors/errors.js";
import { createCaller } from "../../src/hosts/caller.js";

const { getBook, createBook, watchBook, collectBooks } = ShelfService.method;
const NAME = "shelves/1/books/2";

/** Calls a method. Returns the type and the text of the response. */
async function call(
  method: DescMethod,
  message: JsonObject,
  options?: CallerOptions,
  routes = shelfRoutes(),
) {
  const { contentType, body, isCut } = await createCaller({ routes }).call(method, message, options);
  return [contentType, Buffer.from(body).toString(), ...(isCut ? ["cut"] : [])];
}

/** The error of a call. */
async function failure(...args: Parameters<typeof call>) {
  const error = await call(...args).catch(ConnectError.from);
  return error instanceof ConnectError ? [error.code, error.rawMessage, ...violationsOf(error)] : error;
}

describe("a unary method", () => {
  test("is called with the whole message, whatever its rule", async () => {
    const [type, text = ""] = await call(getBook, { name: NAME }, { headers: [["X-Reader", "Ada"]] });
    expect([type, JSON.parse(text)]).toMatchObject([
      "application/json; charset=utf-8",
      { name: NAME, title: "read by Ada", isbn: "9007199254740993" },
    ]);
  });

  test("sees the address of the client, the base URL and the signal", async () => {
    const seen: unknown[] = [];
    const routes = shelfRoutes({
      getBook: (_, context) => {
        seen.push(context.values.get(clientAddressKey), context.url, context.signal.aborted);
        return {};
      },
    });
    await call(
      getBook,
      { name: NAME },
      { clientAddress: "192.0.2.1", baseUrl: "https://library.example" },
      routes,
    );
    expect(seen).toEqual(["192.0.2.1", "https://library.example/test.Service.GetBook", false]);
  });

  test("ignores forwarding headers", async () => {
    const seen: string[] = [];
    const routes = shelfRoutes({
      getBook: (_, { values }) => {
        seen.push(values.get(clientAddressKey));
        return {};
      },
    });
    const caller = createCaller({ routes, transcoding: { trustedProxies: ["192.0.2.1"] } });
    const headers = [["x-forwarded-for", "192.0.2.9"]] as const;
    await caller.call(getBook, { name: NAME }, { clientAddress: "192.0.2.1", headers });
    expect(seen).toEqual(["192.0.2.1"]);
  });

  test("rejects with errors that name members of the message", async () => {
    expect(await failure(getBook, { name: 1, titel: "" })).toEqual([
      Code.InvalidArgument,
      "titel: is not a parameter here; allowed: name, view; name: must be a string",
      expect.objectContaining({ field: "titel", reason: "UNKNOWN_PARAMETER" }),
      expect.objectContaining({ field: "name", reason: "INVALID_TYPE" }),
    ]);
    expect(await failure(getBook, { name: "shelves/1/books/missing" })).toEqual([
      Code.NotFound,
      "there is no such book: “x”",
    ]);
  });

  test("rejects a message above the limit of the method", async () => {
    const caller = createCaller({ routes: shelfRoutes(), readMaxBytes: 20 });
    const error = await caller.call(getBook, { name: NAME }).catch(ConnectError.from);
    expect(error).toMatchObject({ code: Code.ResourceExhausted });
  });
});

describe("a call ends", () => {
  const routes = shelfRoutes({
    getBook: (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });

  test("when its signal is aborted, also before", async () => {
    const controller = new AbortController();
    const pending = failure(getBook, { name: NAME }, { signal: controller.signal }, routes);
    controller.abort();
    expect(await pending).toMatchObject([Code.Canceled, expect.any(String)]);
    expect(await failure(getBook, { name: NAME }, { signal: controller.signal }, routes)).toMatchObject([
      Code.Canceled,
      expect.any(String),
    ]);
  });

  test("at its deadline", async () => {
    expect(
      await failure(getBook, { name: NAME }, { headers: [["grpc-timeout", "1m"]] }, routes),
    ).toMatchObject([Code.DeadlineExceeded, expect.any(String)]);
  });
});

describe("a stream of responses", () => {
  test("has a line for each message, up to a number of them", async () => {
    const [type, text = "", ...rest] = await call(watchBook, { name: NAME });
    const pages = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).pages);
    expect([type, pages, rest]).toEqual(["application/x-ndjson", [1, 2, 3], []]);
    const [, cut = "", isCut] = await call(watchBook, { name: NAME }, { maxMessages: 2 });
    expect([cut.trim().split("\n").length, isCut]).toEqual([2, "cut"]);
  });

  test("rejects if it fails after its first message", async () => {
    expect(await failure(watchBook, { name: "shelves/1/books/missing" })).toMatchObject([
      Code.NotFound,
      "there is no such book: “x”",
    ]);
  });
});

test("methods with a stream of requests cannot be called", async () => {
  expect(createCaller({ routes: shelfRoutes() }).methods).toEqual([getBook, createBook, watchBook]);
  await expect(call(collectBooks, {})).rejects.toThrow(
    new TypeError("test.Service.CollectBooks cannot be called within the process"),
  );
});

test("bytes that a rule returns as the body keep their type", async () => {
  const rule = { ...ruleOf("GET /v1/{name=books/*}"), responseBody: "image" };
  const { method } = defineService([{ name: "GetCover", output: "Cover", rule }]);
  const { getCover } = method as Record<string, DescMethodUnary>;
  const image = { contentType: "image/png", data: new Uint8Array([1, 2, 3]) };
  const routes = (router: ConnectRouter) => router.rpc(getCover as DescMethodUnary, () => ({ image }));
  expect(await createCaller({ routes }).call(getCover as DescMethodUnary, { name: "books/1" })).toEqual({
    contentType: "image/png",
    body: Buffer.from([1, 2, 3]),
    isCut: false,
  });
});

test("interceptors and context values apply", async () => {
  const key = createContextKey("");
  const seen: string[] = [];
  const caller = createCaller({
    routes: shelfRoutes({
      getBook: (_, { values }) => {
        seen.push(values.get(key));
        return {};
      },
    }),
    interceptors: [
      (next) => (request) => {
        request.contextValues.set(key, "intercepted");
        return next(request);
      },
    ],
  });
  await caller.call(getBook, { name: NAME });
  expect(seen).toEqual(["intercepted"]);
});
