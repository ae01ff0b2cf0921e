import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type ServiceImpl, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { createError } from "connect-transcoding";
import { ErrorInfoSchema, HelpSchema } from "connect-transcoding/gen/google/rpc/error_details_pb.js";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test } from "vitest";
import { createBook, gatewayTo, startUpstream } from "./support/upstream.js";

const TRANSPORTS: readonly [name: string, (baseUrl: string) => Transport][] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" })],
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })],
];

const SHELF: Partial<ServiceImpl<typeof ShelfService>> = {
  getBook: ({ name }, { requestHeader, responseHeader, responseTrailer }) => {
    responseHeader.set("x-header", requestHeader.get("x-reader") ?? "");
    responseTrailer.set("x-trailer", requestHeader.get("x-reader") ?? "");
    return { name, title: [...requestHeader.keys()].sort().join(" ") };
  },
  createBook: ({ parent, book }) => ({ title: book?.title ?? "", name: `${parent}/books/new` }),
  async *watchBook({ name }, { responseHeader, responseTrailer }) {
    responseHeader.set("x-header", "watched");
    responseTrailer.set("x-trailer", "end");
    for (const pages of [1, 2, 3]) {
      yield { name, pages };
    }
  },
  collectBooks: async (requests) => {
    const books = [];
    for await (const { name } of requests) {
      books.push({ name });
    }
    return { books };
  },
};

async function* names(...all: string[]) {
  for (const name of all) {
    yield { name };
  }
}

describe.each(TRANSPORTS)("%s", (_name, transportTo) => {
  test("proxies methods of every kind with their metadata", async () => {
    const { url } = await gatewayTo(await startUpstream(SHELF));
    const client = createClient(ShelfService, transportTo(url));
    const metadata: Record<string, string | null> = {};
    const options = {
      headers: { "x-reader": "Ada" },
      onHeader: (header: Headers) => {
        metadata.header = header.get("x-header");
      },
      onTrailer: (trailer: Headers) => {
        metadata.trailer = trailer.get("x-trailer");
      },
    };
    const book = await client.getBook({ name: "shelves/1/books/2" }, options);
    expect(book.name).toBe("shelves/1/books/2");
    expect(metadata).toEqual({ header: "Ada", trailer: "Ada" });
    const pages = [];
    for await (const each of client.watchBook({ name: "a" }, options)) {
      pages.push(each.pages);
    }
    expect(pages).toEqual([1, 2, 3]);
    expect(metadata).toEqual({ header: "watched", trailer: "end" });
    const { books } = await client.collectBooks(names("a", "b"));
    expect(books.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("passes on errors with details and metadata", async () => {
    const { url } = await gatewayTo(
      await startUpstream({
        getBook: () => {
          const error = createError({ code: Code.NotFound, reason: "NO_BOOK", message: "no “book”" });
          error.metadata.set("x-reason", "lost");
          throw error;
        },
      }),
    );
    const client = createClient(ShelfService, transportTo(url));
    const error = ConnectError.from(await client.getBook({ name: "x" }).catch((thrown: unknown) => thrown));
    expect([error.code, error.rawMessage, error.metadata.get("x-reason")]).toEqual([
      Code.NotFound,
      "no “book”",
      "lost",
    ]);
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([{ reason: "NO_BOOK" }]);
  });
});

describe("REST", () => {
  test("serves the bindings of unary methods and streams", async () => {
    const { url } = await gatewayTo(await startUpstream(SHELF));
    const response = await fetch(`${url}/v1/shelves/1/books/2`, { headers: { "x-reader": "Ada" } });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-header")).toBe("Ada");
    expect(await response.json()).toMatchObject({ name: "shelves/1/books/2" });
    const created = await createBook(url, '{"title":"T"}');
    expect(await created.json()).toMatchObject({ name: "shelves/1/books/new", title: "T" });
    const stream = await fetch(`${url}/v1/shelves/1/books/2:watch`, {
      headers: { accept: "application/x-ndjson" },
    });
    const lines = (await stream.text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).pages ?? JSON.parse(line).result?.pages)).toEqual([1, 2, 3]);
  });

  test("passes on metadata without headers of a protocol or a connection, and adds the address", async () => {
    const { url } = await gatewayTo(await startUpstream(SHELF));
    const response = await fetch(`${url}/v1/shelves/1/books/2`, {
      headers: {
        authorization: "Bearer x",
        "if-none-match": '"a"',
        "x-forwarded-for": "192.0.2.1",
        accept: "*/*",
      },
    });
    const { title } = (await response.json()) as { title: string };
    const seen = title.split(" ");
    expect(seen).toEqual(expect.arrayContaining(["authorization", "user-agent", "x-forwarded-for"]));
    expect(seen).not.toEqual(expect.arrayContaining(["if-none-match"]));
    expect(seen).not.toEqual(expect.arrayContaining(["accept"]));
    expect(seen).not.toEqual(expect.arrayContaining(["host"]));
    expect([...response.headers.keys()].filter((name) => name.startsWith("grpc-"))).toEqual([]);
  });

  test("rejects binary metadata that is not base64, as the upstream would", async () => {
    const { url } = await gatewayTo(await startUpstream(SHELF));
    const response = await fetch(`${url}/v1/shelves/1/books/2`, { headers: { "x-data-bin": "%%%" } });
    const { error } = (await response.json()) as { error: { status: string; message: string } };
    expect([response.status, error.status, error.message]).toEqual([
      400,
      "INVALID_ARGUMENT",
      "the header x-data-bin is not base64, which -bin requires",
    ]);
  });

  test("writes details of errors of every known type as JSON", async () => {
    const { url } = await gatewayTo(
      await startUpstream({
        getBook: () => {
          throw new ConnectError("no", Code.FailedPrecondition, undefined, [
            { desc: HelpSchema, value: create(HelpSchema, { links: [{ url: "https://example.com/" }] }) },
          ]);
        },
      }),
    );
    const response = await fetch(`${url}/v1/shelves/1/books/2`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        code: 400,
        status: "FAILED_PRECONDITION",
        message: "no",
        details: [
          { "@type": "type.googleapis.com/google.rpc.Help", links: [{ url: "https://example.com/" }] },
        ],
      },
    });
  });
});

test.each([
  ["reject", 400],
  ["ignore", 200],
] as const)(
  "`unknownParameters: %s` is for parameters, members and the document",
  async (unknownParameters, status) => {
    const { url } = await gatewayTo(await startUpstream(SHELF), { unknownParameters });
    expect((await fetch(`${url}/v1/shelves/1/books/2?utm=1`)).status).toBe(status);
    const response = await createBook(url, '{"unknown":1}');
    expect(response.status).toBe(status);
    const document = await (await fetch(`${url}/openapi.json`)).text();
    expect(document.includes('"additionalProperties":false')).toBe(unknownParameters === "reject");
  },
);

test("pages of other origins may read the metadata of responses", async () => {
  const { url } = await gatewayTo(await startUpstream(SHELF), { corsOrigins: ["https://a.example"] });
  const exposedTo = async (origin: string) => {
    const response = await fetch(`${url}/v1/shelves/1/books/2`, { headers: { origin } });
    return response.headers.get("access-control-expose-headers")?.split(", ");
  };
  expect(await exposedTo("https://a.example")).toContain("*");
  expect(await exposedTo("https://b.example")).toBeUndefined();
});

describe("deadlines and cancellation", () => {
  /** An upstream whose calls wait until they are cancelled. */
  async function waiting() {
    const calls: { remaining: number | undefined; ended: Promise<void> }[] = [];
    const upstream = await startUpstream({
      getBook: (_request, { signal, timeoutMs }) => {
        const ended = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        calls.push({ remaining: timeoutMs(), ended });
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    return { upstream, calls };
  }

  // On a busy machine, a short deadline can expire before the call reaches the upstream.
  const DEADLINES = [300, 3_000, 30_000];

  test("`timeout` is the deadline of calls that have none", async () => {
    const { upstream, calls } = await waiting();
    for (const timeout of DEADLINES) {
      const { url } = await gatewayTo(upstream, { timeout });
      const response = await fetch(`${url}/v1/shelves/1/books/2`);
      expect(response.status).toBe(504);
      expect(await response.json()).toMatchObject({ error: { status: "DEADLINE_EXCEEDED" } });
      if (calls.length > 0) {
        break;
      }
    }
    expect(calls).toHaveLength(1);
    expect(calls[0]?.remaining).toBeLessThanOrEqual(30_000);
  });

  test("a client that disconnects cancels its call", async () => {
    const { upstream, calls } = await waiting();
    const { url } = await gatewayTo(upstream);
    const controller = new AbortController();
    const response = fetch(`${url}/v1/shelves/1/books/2`, { signal: controller.signal });
    await expect.poll(() => calls.length).toBe(1);
    controller.abort();
    await expect(response).rejects.toThrow();
    await calls[0]?.ended;
  });
});

describe("upstreams that restart", () => {
  test("repeats a call whose connection breaks, and reports others as unavailable", async () => {
    let calls = 0;
    const hanging = () => {
      calls += 1;
      return new Promise<never>(() => {});
    };
    const first = await startUpstream({ getBook: hanging, createBook: hanging });
    const { url } = await gatewayTo(first);
    const get = fetch(`${url}/v1/shelves/1/books/2`);
    const post = createBook(url);
    await expect.poll(() => calls).toBe(2);
    await first.kill();
    await startUpstream(SHELF, { port: first.port });
    expect((await get).status).toBe(200);
    expect((await post).status).toBe(503);
    expect(await (await post).json()).toMatchObject({ error: { status: "UNAVAILABLE" } });
  });

  test("ends streams in progress as unavailable", async () => {
    const never = new Promise<never>(() => {});
    let received = 0;
    const upstream = await startUpstream({
      async *watchBook({ name }) {
        yield { name, pages: 1 };
        await never;
      },
      collectBooks: async (requests) => {
        for await (const _ of requests) {
          received += 1;
        }
        return { books: [] };
      },
    });
    const { url } = await gatewayTo(upstream);
    const client = createClient(ShelfService, createGrpcTransport({ baseUrl: url }));
    const collected = client
      .collectBooks(
        (async function* () {
          yield { name: "a" };
          await never;
        })(),
      )
      .catch(ConnectError.from);
    await expect.poll(() => received).toBe(1);
    const pages: number[] = [];
    const watched = (async () => {
      for await (const book of client.watchBook({ name: "a" })) {
        pages.push(book.pages);
        await upstream.kill();
      }
    })().catch(ConnectError.from);
    expect(await watched).toMatchObject({ code: Code.Unavailable });
    expect(await collected).toMatchObject({ code: Code.Unavailable });
    expect(pages).toEqual([1]);
  });

  test("gives up after three tries, and does not wait beyond the deadline", async () => {
    let calls = 0;
    const upstream = await startUpstream({
      getBook: () => {
        calls += 1;
        throw new ConnectError("busy", Code.Unavailable);
      },
    });
    for (const [timeout, tries] of [
      [undefined, 3],
      [100, 1],
    ] as const) {
      calls = 0;
      const { url } = await gatewayTo(upstream, { timeout });
      const response = await fetch(`${url}/v1/shelves/1/books/2`);
      expect(await response.json()).toMatchObject({ error: { code: 503, message: "busy" } });
      expect(calls).toBe(tries);
    }
  });
});
