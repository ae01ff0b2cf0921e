import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import {
  type Book,
  BookSchema,
  type GetBookRequest,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { afterEach, describe, expect, test } from "vitest";
import { createInvoker } from "../../src/call/invoke.js";
import { createTranscodingAdapter } from "../../src/hosts/node.js";
import { useHttp1, useOnePort } from "../support/servers.js";
import { TRANSPORTS } from "../support/transports.js";

const events: string[] = [];
afterEach(() => {
  events.length = 0;
});

const logging =
  (name: string): Interceptor =>
  (next) =>
  async (request) => {
    events.push(`${name} before ${request.method.name}`);
    const response = await next(request);
    events.push(`${name} after ${request.method.name}`);
    return response;
  };

/** Rejects requests with the header `x-forbidden`, before or after the call. */
const rejecting: Interceptor = (next) => async (request) => {
  const when = request.header.get("x-forbidden");
  if (when === "before") {
    throw new ConnectError("not allowed", Code.PermissionDenied, { "x-rule": "1" });
  }
  const response = await next(request);
  if (when === "after") {
    throw new ConnectError("not allowed", Code.PermissionDenied);
  }
  return response;
};

/** Changes what a request with the header `x-change` and its response have. */
const changing: Interceptor = (next) => async (request) => {
  if (!request.header.has("x-change")) {
    return next(request);
  }
  request.header.set("x-reader", "the interceptor");
  if (request.stream) {
    const response = await next({ ...request, message: mapped(request.message, prefixName) });
    response.header.set("x-changed", "yes");
    if (!response.stream) {
      return { ...response, message: prefixTitle(response.message as Book) };
    }
    return { ...response, message: mapped(response.message, prefixTitle) };
  }
  const response = await next({ ...request, message: prefixName(request.message as GetBookRequest) });
  const header = new Headers(response.header);
  header.set("x-changed", "yes");
  return response.stream ? response : { ...response, header, message: prefixTitle(response.message as Book) };
};

const prefixName = <T extends { name: string }>(message: T): T => ({
  ...message,
  name: `changed ${message.name}`,
});
const prefixTitle = (book: Book) => create(BookSchema, { ...book, title: `changed ${book.title}` });

async function* mapped(messages: AsyncIterable<unknown>, change: (message: never) => unknown) {
  for await (const message of messages) {
    yield change(message as never) as never;
  }
}

const server = useOnePort({
  routes: shelfRoutes({
    getBook: ({ name }, context) => {
      events.push("GetBook");
      context.responseHeader.set("x-shelf", "1");
      context.responseTrailer.set("x-returned", "1");
      return { name, title: `read by ${context.requestHeader.get("x-reader")}` };
    },
    async *watchBook({ name }, context) {
      events.push("WatchBook");
      context.responseHeader.set("x-shelf", "1");
      yield { name, title: `read by ${context.requestHeader.get("x-reader")}` };
    },
  }),
  interceptors: [logging("first"), logging("second"), changing, rejecting],
});

const ORDER = (method: string) => [
  `first before ${method}`,
  `second before ${method}`,
  method,
  `second after ${method}`,
  `first after ${method}`,
];

describe.each(TRANSPORTS)("interceptors with %s", (_name, transportTo) => {
  const client = () => createClient(ShelfService, transportTo(server.url));

  test("are called in their order, the first outermost", async () => {
    await client().getBook({ name: "a" });
    expect(events.splice(0)).toEqual(ORDER("GetBook"));
    for await (const _book of client().watchBook({ name: "a" }));
    expect(events.toSorted()).toEqual(ORDER("WatchBook").toSorted());
    expect(events.slice(0, 2)).toEqual(ORDER("WatchBook").slice(0, 2));
  });

  test("change headers and messages", async () => {
    let header: Headers | undefined;
    let trailer: Headers | undefined;
    const options = {
      headers: { "x-change": "1" },
      onHeader: (headers: Headers) => {
        header = headers;
      },
      onTrailer: (trailers: Headers) => {
        trailer = trailers;
      },
    };
    const expected = { name: "changed a", title: "changed read by the interceptor" };
    expect(await client().getBook({ name: "a" }, options)).toMatchObject(expected);
    expect([header?.get("x-shelf"), header?.get("x-changed"), trailer?.get("x-returned")]).toEqual([
      "1",
      "yes",
      "1",
    ]);
    const books: Book[] = [];
    for await (const book of client().watchBook({ name: "a" }, options)) {
      books.push(book);
    }
    expect(books).toMatchObject([expected]);
    expect(header?.get("x-changed")).toBe("yes");
  });

  test.each(["before", "after"])("throw ConnectErrors %s the call", async (when) => {
    const headers = { "x-forbidden": when };
    const thrown: unknown = await client()
      .getBook({ name: "a" }, { headers })
      .catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: Code.PermissionDenied, rawMessage: "not allowed" });
    expect(ConnectError.from(thrown).metadata.get("x-rule")).toBe(when === "before" ? "1" : null);
    expect(events.includes("GetBook")).toBe(when === "after");
    const read = async () => {
      for await (const _book of client().watchBook({ name: "a" }, { headers }));
    };
    await expect(read()).rejects.toMatchObject({ code: Code.PermissionDenied });
  });
});

describe.each([
  ["GetBook", "/v1/shelves/1/books/2"],
  ["WatchBook", "/v1/shelves/1/books/2:watch"],
])("interceptors over REST with %s", (method, path) => {
  const get = async (headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}${path}`, { headers });
    const json = await response.json();
    return { response, json: Array.isArray(json) ? json[0] : json };
  };

  test("are called in their order, the first outermost", async () => {
    expect((await get()).json).toMatchObject({ name: "shelves/1/books/2", title: "read by null" });
    expect(events.toSorted()).toEqual(ORDER(method).toSorted());
    expect(events.slice(0, 2)).toEqual(ORDER(method).slice(0, 2));
  });

  test("change headers and messages", async () => {
    const { response, json } = await get({ "x-change": "1" });
    expect(json).toMatchObject({
      name: "changed shelves/1/books/2",
      title: "changed read by the interceptor",
    });
    expect(["x-shelf", "x-changed"].map((name) => response.headers.get(name))).toEqual(["1", "yes"]);
  });

  test.each(["before", "after"])("throw ConnectErrors %s the call", async (when) => {
    const { response, json } = await get({ "x-forbidden": when });
    expect([response.status, json]).toMatchObject([
      403,
      { error: { status: "PERMISSION_DENIED", message: "not allowed" } },
    ]);
    expect(response.headers.get("x-rule")).toBe(when === "before" ? "1" : null);
  });
});

describe("an interceptor that replaces the headers and trailers of a response", () => {
  const replacing: Interceptor = (next) => async (request) => {
    const response = await next(request);
    const header = new Headers({ "x-replaced": "1" });
    return { ...response, header, trailer: new Headers({ "x-replaced-trailer": "1" }) };
  };
  const replaced = useOnePort({
    routes: shelfRoutes({
      async *watchBook({ name }, context) {
        // Runs after the interceptor.
        context.responseHeader.set("x-shelf", "1");
        context.responseTrailer.set("x-returned", "1");
        yield { name };
        if (name === "missing") {
          throw new ConnectError("none", Code.NotFound);
        }
      },
    }),
    interceptors: [replacing],
  });
  const watch = async (name: string) => {
    let header = new Headers();
    let trailer = new Headers();
    const client = createClient(ShelfService, createGrpcTransport({ baseUrl: replaced.url }));
    const books = client.watchBook(
      { name },
      {
        onHeader: (headers) => {
          header = headers;
        },
        onTrailer: (trailers) => {
          trailer = trailers;
        },
      },
    );
    for await (const _book of books);
    return { header, trailer };
  };

  test("keeps the headers that the handler of a stream still adds", async () => {
    const { header, trailer } = await watch("a");
    expect([header.get("x-replaced"), header.get("x-shelf")]).toEqual(["1", "1"]);
    expect([trailer.get("x-replaced-trailer"), trailer.get("x-returned")]).toEqual(["1", null]);
  });

  test("leaves the trailers of the handler to an error", async () => {
    const error = ConnectError.from(await watch("missing").catch((thrown: unknown) => thrown));
    expect(error.code).toBe(Code.NotFound);
    expect([error.metadata.get("x-replaced-trailer"), error.metadata.get("x-returned")]).toEqual([null, "1"]);
  });
});

describe("without interceptors", () => {
  const adapter = createTranscodingAdapter({ routes: shelfRoutes({ getBook: ({ name }) => ({ name }) }) });
  const wasSent: boolean[] = [];
  const http = useHttp1((request, response) => {
    adapter(request, response);
    wasSent.push(response.writableEnded);
  });

  test("a synchronous implementation is called and its response sent synchronously", async () => {
    const response = await fetch(`${http.url}/v1/shelves/1/books/2`);
    expect(await response.json()).toMatchObject({ name: "shelves/1/books/2" });
    expect(wasSent).toEqual([true]);
  });

  test("an implementation is called directly", () => {
    const impl = () => ({ name: "a" });
    expect(createInvoker({ kind: "unary", method: ShelfService.method.getBook, impl }, [])).toBe(impl);
  });
});
