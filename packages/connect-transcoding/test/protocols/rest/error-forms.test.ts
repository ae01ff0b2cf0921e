import { request as sendRequest } from "node:http";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { TranscodingOptions } from "../../../src/call/options.js";
import { createError } from "../../../src/errors/errors.js";
import { createServer } from "../../../src/hosts/server.js";
import { grpcGatewayErrors, problemDetails } from "../../../src/protocols/rest/error-forms.js";
import { documentOf, expectValid } from "../../openapi/describe.js";
import { useOnePort } from "../../support/servers.js";
import { TRANSPORTS } from "../../support/transports.js";

const BOOKS = "/v1/shelves/1/books";
const onError = vi.fn();
afterEach(() => onError.mockClear());

/** Sends a GET and returns the response. */
async function get(transcoding: TranscodingOptions, path: string) {
  const server = createServer({ routes: shelfRoutes(), transcoding: { onError, ...transcoding } });
  const { port } = await server.listen("127.0.0.1", 0);
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      headers: response.headers,
      text: await response.text(),
    };
  } finally {
    await server.close(0);
  }
}

describe("problem details", () => {
  const { encodeError } = problemDetails;

  test.each([
    [
      "missing",
      404,
      {
        type: "about:blank",
        title: "Not Found",
        status: 404,
        detail: "there is no such book: “x”",
        instance: `${BOOKS}/missing`,
        code: "NOT_FOUND",
        reason: "NO_BOOK",
        domain: "books.example",
        metadata: { shelf: "1" },
        details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.500s" }],
      },
    ],
    [
      "invalid",
      400,
      {
        type: "about:blank",
        title: "Bad Request",
        status: 400,
        detail: "name: is too short",
        instance: `${BOOKS}/invalid`,
        code: "INVALID_ARGUMENT",
        reason: "INVALID_PARAMETERS",
        domain: "books.example",
        errors: [{ field: "name", reason: "TOO_SHORT", description: "is too short" }],
      },
    ],
    [
      "plain",
      503,
      {
        type: "about:blank",
        title: "Service Unavailable",
        status: 503,
        detail: "closed",
        instance: `${BOOKS}/plain`,
        code: "UNAVAILABLE",
      },
    ],
  ])("of an error: %s", async (name, status, expected) => {
    const response = await get({ encodeError, errorDomain: "books.example" }, `${BOOKS}/${name}`);
    expect([response.status, response.type, JSON.parse(response.text)]).toEqual([
      status,
      "application/problem+json",
      expected,
    ]);
  });

  test("of a path without a route", async () => {
    const response = await get({ encodeError }, "/nothing");
    expect([response.status, response.type, JSON.parse(response.text)]).toEqual([
      404,
      "application/problem+json",
      expect.objectContaining({ title: "Not Found", reason: "ROUTE_NOT_FOUND", instance: "/nothing" }),
    ]);
  });

  test("of a request that the server rejects", async () => {
    const server = createServer({ routes: shelfRoutes(), transcoding: { encodeError } });
    const { port } = await server.listen("127.0.0.1", 0);
    const body = await new Promise<string>((resolve, reject) => {
      const request = sendRequest({ port, path: BOOKS, headers: { host: "a b" } }, (response) => {
        response.setEncoding("utf8").on("data", resolve);
      });
      request.on("error", reject).end();
    });
    await server.close(0);
    expect(JSON.parse(body)).toMatchObject({ status: 400, title: "Bad Request" });
  });

  test("in a stream that fails", async () => {
    const response = await get({ encodeError }, `${BOOKS}/missing:watch`);
    expect(response.status).toBe(200);
    expect(JSON.parse(response.text).at(-1)).toMatchObject({
      error: { title: "Not Found", reason: "NO_BOOK" },
    });
  });

  test("in the OpenAPI document", async () => {
    const document = documentOf(ShelfService, {}, { errorForm: problemDetails });
    await expectValid(document);
    const response = Object.values(document.paths)[0]?.get?.responses[400];
    expect(Object.keys((response as { content: object }).content)).toEqual(["application/problem+json"]);
    expect(document.components.schemas.Error?.required).toEqual(["type", "title", "status"]);
  });
});

test("errors as grpc-gateway sends them", async () => {
  const response = await get({ encodeError: grpcGatewayErrors.encodeError }, `${BOOKS}/missing`);
  expect([response.status, response.type, JSON.parse(response.text)]).toEqual([
    404,
    "application/json; charset=utf-8",
    {
      code: 5,
      message: "there is no such book: “x”",
      details: [
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.500s" },
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "NO_BOOK", metadata: { shelf: "1" } },
      ],
    },
  ]);
});

describe("encodeError", () => {
  test("can replace the status and headers", async () => {
    const encodeError = () => ({ status: 410, headers: { "X-Gone": "yes" }, body: ["gone"] });
    const response = await get({ encodeError }, `${BOOKS}/missing`);
    expect([response.status, response.headers.get("x-gone"), response.text]).toEqual([
      410,
      "yes",
      '["gone"]',
    ]);
  });

  test("keeps the default form where it returns undefined", async () => {
    const response = await get({ encodeError: () => undefined }, `${BOOKS}/missing`);
    expect([response.status, JSON.parse(response.text).error.status]).toEqual([404, "NOT_FOUND"]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("a bug");
      },
      "a bug",
    ],
    [
      "returns a status of no error",
      () => ({ status: 200, body: {} }),
      "encodeError returned the status 200; allowed: 400 to 599",
    ],
    ["returns no JSON", () => ({ body: undefined as never }), "encodeError returned a body that is not JSON"],
    [
      "returns a header of the connection",
      () => ({ headers: { "content-length": "1" }, body: {} }),
      "the server sends the header content-length itself",
    ],
  ])(
    "that %s is an unexpected exception, and the form is the default",
    async (_what, encodeError, message) => {
      const response = await get({ encodeError }, `${BOOKS}/missing`);
      expect([response.status, JSON.parse(response.text).error.status]).toEqual([404, "NOT_FOUND"]);
      expect(onError.mock.calls.map(([error]) => error.message)).toEqual([message]);
    },
  );
});

describe("the headers and trailers that a handler has set before it throws", () => {
  const server = useOnePort({
    routes: shelfRoutes({
      getBook: (_request, { responseHeader, responseTrailer }) => {
        responseHeader.set("x-quota", "3");
        responseHeader.set("content-type", "image/png");
        responseTrailer.set("x-cost", "1");
        throw new ConnectError("closed", Code.Unavailable, { "x-reason": "holiday" });
      },
    }),
  });

  test("are in the response over REST", async () => {
    const response = await fetch(`${server.url}${BOOKS}/1`);
    expect(["x-quota", "x-reason", "content-type"].map((name) => response.headers.get(name))).toEqual([
      "3",
      "holiday",
      "application/json; charset=utf-8",
    ]);
  });

  test.each(TRANSPORTS)("are in the error with %s", async (_name, transportTo) => {
    const error = await createClient(ShelfService, transportTo(server.url))
      .getBook({ name: "a" })
      .catch(ConnectError.from);
    expect(error).toBeInstanceOf(ConnectError);
    const { metadata } = error as ConnectError;
    expect(["x-quota", "x-reason", "x-cost"].map((name) => metadata.get(name))).toEqual([
      "3",
      "holiday",
      "1",
    ]);
  });
});

describe("mapError", () => {
  class NotThere extends Error {}

  const mapError: TranscodingOptions["mapError"] = (thrown, method) =>
    thrown instanceof NotThere
      ? createError({
          code: Code.NotFound,
          reason: "NOT_THERE",
          message: `${method?.name}: ${thrown.message}`,
        })
      : undefined;

  async function errorOf(thrown: unknown, map = mapError) {
    const server = createServer({
      routes: shelfRoutes({
        getBook: () => {
          throw thrown;
        },
      }),
      transcoding: { mapError: map, onError },
    });
    const { port } = await server.listen("127.0.0.1", 0);
    try {
      const response = await fetch(`http://127.0.0.1:${port}${BOOKS}/1`);
      return [response.status, JSON.parse(await response.text()).error.message];
    } finally {
      await server.close(0);
    }
  }

  test("converts exceptions that it knows", async () => {
    expect(await errorOf(new NotThere("no row"))).toEqual([404, "GetBook: no row"]);
    expect(onError).not.toHaveBeenCalled();
  });

  test("leaves others INTERNAL without their text", async () => {
    const bug = new Error("a secret");
    expect(await errorOf(bug)).toEqual([500, "internal error"]);
    expect(onError).toHaveBeenCalledWith(bug, ShelfService.method.getBook);
  });

  test("that throws is an unexpected exception too", async () => {
    const [bug, another] = [new Error("a secret"), new Error("another")];
    const failing = () => {
      throw another;
    };
    expect(await errorOf(bug, failing)).toEqual([500, "internal error"]);
    expect(onError.mock.calls.map(([error]) => error)).toEqual([another, bug]);
  });
});
