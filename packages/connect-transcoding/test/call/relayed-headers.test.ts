import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test, vi } from "vitest";
import { STACKS, send } from "../support/http-clients.js";
import { useHttp2, useOnePort } from "../support/servers.js";
import { TRANSPORTS } from "../support/transports.js";

/** The headers of the protocols in a response of another server, as connect-go, grpc-go and RFC 9113 8.2.2 have them. */
const OF_PROTOCOLS = [
  ...[
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "expect",
  ],
  ...["host", "http2-settings", "keep-alive", "proxy-authenticate", "proxy-authentication-info"],
  ...[
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
  ],
  ...["grpc-accept-encoding", "grpc-encoding", "grpc-message", "grpc-message-type", "grpc-status"],
  ...["grpc-status-details-bin", "grpc-timeout", "connect-accept-encoding", "connect-content-encoding"],
  ...["connect-protocol-version", "connect-timeout-ms"],
];

/** Headers that a response has once, also if the server sends them itself. */
const ONCE = { "cache-control": "no-cache", etag: '"relayed"', "x-content-type-options": "nosniff" };

const KEPT = {
  ...ONCE,
  "content-disposition": "inline",
  "grpc-retry-pushback-ms": "7",
  "x-reason": "holiday",
};

const RELAYED = { ...Object.fromEntries(OF_PROTOCOLS.map((name) => [name, "relayed"])), ...KEPT };

const onError = vi.fn();

const options = {
  routes: shelfRoutes({
    getBook: ({ name }, { responseHeader, responseTrailer }) => {
      relay(responseHeader, responseTrailer);
      return name.endsWith("fails") ? fail() : { name };
    },
    async *watchBook({ name }, { responseHeader, responseTrailer }) {
      relay(responseHeader, responseTrailer);
      yield { name };
      fail();
    },
  }),
  transcoding: { onError },
};

function relay(...targets: Headers[]): void {
  for (const headers of targets) {
    for (const [name, value] of Object.entries(RELAYED)) {
      headers.set(name, value);
    }
  }
}

/** Throws an error whose metadata also has a value that HTTP does not allow. */
function fail(): never {
  throw new ConnectError("closed", Code.NotFound, { ...RELAYED, "x-bad": "a\u0001" });
}

const ports = { createServer: useOnePort(options), "node:http2": useHttp2(options) };

/** Checks that headers have what is kept, and nothing else that was relayed. Clients join the headers and the trailers of an error. */
function expectKept(headers: Headers, times = 1): void {
  const relayed = [...headers].filter(([name, value]) => name in RELAYED && value.includes("relayed"));
  expect(relayed.map(([name]) => name)).toEqual(["etag"]);
  for (const [name, value] of Object.entries(KEPT)) {
    expect([name, headers.get(name)]).toEqual([name, Array(times).fill(value).join(", ")]);
  }
  expect(headers.has("x-bad")).toBe(false);
}

describe.each(Object.entries(ports))("headers of another response on %s", (host, server) => {
  const overHttp2 = /^(?:gRPC|gRPC with JSON|Connect with GET|.*over HTTP\/2)$/;
  const transports = TRANSPORTS.filter(([name]) => host === "createServer" || overHttp2.test(name));

  describe.each(transports)("with %s", (_name, transportTo) => {
    const client = () => createClient(ShelfService, transportTo(server.url));

    test("are relayed with a message, without those of the protocols", async () => {
      const [header, trailer] = [vi.fn(), vi.fn()];
      await client().getBook({ name: "a" }, { onHeader: header, onTrailer: trailer });
      expectKept(header.mock.calls[0]?.[0]);
      expectKept(trailer.mock.calls[0]?.[0]);
      expect(onError).not.toHaveBeenCalled();
    });

    test("are relayed with an error", async () => {
      const error = await client().getBook({ name: "fails" }).catch(ConnectError.from);
      expect(error).toMatchObject({ code: Code.NotFound, rawMessage: "closed" });
      expectKept(ConnectError.from(error).metadata, 2);
    });

    test("are relayed at the end of a stream that fails", async () => {
      const read = async () => {
        for await (const _book of client().watchBook({ name: "a" }));
      };
      const error = ConnectError.from(await read().catch((thrown: unknown) => thrown));
      expect(error).toMatchObject({ code: Code.NotFound, rawMessage: "closed" });
      expectKept(error.metadata, 2);
    });
  });
});

describe.each(STACKS)("headers of another response over REST on %s", (_name, use, begin) => {
  const server = use(options);
  const headersOf = (headers: Readonly<Record<string, unknown>>) =>
    new Headers(
      Object.entries(headers).flatMap(([name, value]) => (name.startsWith(":") ? [] : [[name, `${value}`]])),
    );

  test.each([
    ["/v1/shelves/1/books/2", 200, { name: "shelves/1/books/2" }],
    ["/v1/shelves/1/books/fails", 404, { error: { status: "NOT_FOUND", message: "closed" } }],
    ["/v1/shelves/1/books/2:watch", 200, [{ name: "shelves/1/books/2" }, { error: { status: "NOT_FOUND" } }]],
  ])("are relayed, without those of the protocols: %s", async (path, status, body) => {
    const response = await send(begin, server.url, `GET ${path}`);
    expect([response.status, response.isWhole, JSON.parse(response.text)]).toMatchObject([
      status,
      true,
      body,
    ]);
    expectKept(headersOf(response.headers));
  });
});
