import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { text } from "node:stream/consumers";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { IncomingRequest } from "../../src/call/http/request-record.js";
import { createError } from "../../src/errors/errors.js";
import { useOnePort } from "../support/servers.js";

const onError = vi.fn();
const requests: Partial<IncomingRequest>[] = [];
let calls = 0;

function check(header: IncomingRequest["header"]): void {
  if (header("x-key") === "wrong") {
    throw createError({ code: Code.Unauthenticated, reason: "WRONG_KEY", message: "the key is wrong" });
  }
  if (header("x-key") === "broken") {
    throw new TypeError("x is undefined");
  }
}

const server = useOnePort({
  routes: shelfRoutes({
    getBook: ({ name }) => {
      calls += 1;
      return { name };
    },
  }),
  transcoding: {
    errorDomain: "library.example",
    onError,
    pages: new Map([["/page", { status: 200, headers: { "content-type": "text/plain" }, body: "page" }]]),
    onRequest: (request) => {
      const { protocol, httpMethod, path, clientAddress } = request;
      requests.push({ protocol, httpMethod, path, clientAddress });
      request.addHeader("x-added", "yes");
      request.setHeader("x-set", "0");
      request.addHeader("x-added-later", "yes");
      request.setHeader("X-Set", "1");
      const header = request.header.bind(request);
      if (header("x-async") === "yes") {
        return new Promise((resolve) => setTimeout(resolve, 10)).then(() => check(header));
      }
      return check(header);
    },
  },
});
afterEach(() => {
  requests.length = 0;
  calls = 0;
  onError.mockClear();
});

/** Sends headers without the end of the request, and returns the whole response. */
async function respond(headers: Record<string, string>) {
  const session = connect(server.url);
  const stream = session.request({ ":method": "POST", ...headers }, { endStream: false });
  const [response] = (await once(stream, "response")) as [IncomingHttpHeaders];
  const body = await text(stream);
  session.destroy();
  return { headers: response, body };
}

const path = "/test.Service/GetBook";
const grpc = { ":path": path, "content-type": "application/grpc" };
const PROTOCOLS: readonly [string, string, Record<string, string>, (code: Code) => object][] = [
  ["gRPC", "grpc", grpc, (code) => ({ headers: { ":status": 200, "grpc-status": String(code) } })],
  [
    "gRPC-Web",
    "grpc-web",
    { ":path": path, "content-type": "application/grpc-web+proto" },
    (code) => ({ headers: { ":status": 200, "grpc-status": String(code) } }),
  ],
  [
    "Connect",
    "connect",
    { ":path": path, "content-type": "application/json" },
    (code) => ({
      headers: { ":status": code === Code.Internal ? 500 : 401 },
      body: expect.stringMatching(code === Code.Internal ? /"internal"/ : /"unauthenticated".*WRONG_KEY/),
    }),
  ],
  [
    "Connect streams",
    "connect",
    { ":path": "/test.Service/WatchBook", "content-type": "application/connect+json" },
    (code) => ({
      headers: { ":status": 200, "content-type": "application/connect+json" },
      body: expect.stringContaining(code === Code.Internal ? '"internal"' : '"unauthenticated"'),
    }),
  ],
  [
    "REST",
    "rest",
    { ":path": "/v1/shelves/1/books", "content-type": "application/json" },
    (code) => ({
      headers: { ":status": code === Code.Internal ? 500 : 401 },
      body: expect.stringMatching(
        code === Code.Internal ? /"INTERNAL"/ : /"UNAUTHENTICATED".*"WRONG_KEY".*"library.example"/,
      ),
    }),
  ],
  [
    "pages",
    "page",
    { ":path": "/page" },
    (code) => ({ headers: { ":status": code === Code.Internal ? 500 : 401 } }),
  ],
];

describe.each(PROTOCOLS)("onRequest with %s", (_name, protocol, headers, rejection) => {
  test.each([
    ["synchronously", "no"],
    ["asynchronously", "yes"],
  ])("rejects a request %s, before its body is read", async (_how, isAsync) => {
    const response = await respond({ ...headers, "x-key": "wrong", "x-async": isAsync });
    expect(response).toMatchObject(rejection(Code.Unauthenticated));
    expect(response.headers).toMatchObject({ "x-added": "yes", "x-set": "1", "x-added-later": "yes" });
    expect(requests).toEqual([
      { protocol, httpMethod: "POST", path: headers[":path"], clientAddress: "127.0.0.1" },
    ]);
    expect([calls, onError.mock.calls]).toEqual([0, []]);
  });

  test.each(["no", "yes"])("reports an unexpected exception (async: %s)", async (isAsync) => {
    const response = await respond({ ...headers, "x-key": "broken", "x-async": isAsync });
    expect(response).toMatchObject(rejection(Code.Internal));
    expect(onError).toHaveBeenCalledTimes(1);
  });
});

test("a rejection has its details in gRPC", async () => {
  const client = createClient(ShelfService, createGrpcTransport({ baseUrl: server.url }));
  const thrown: unknown = await client
    .getBook({}, { headers: { "x-key": "wrong" } })
    .catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code: Code.Unauthenticated, rawMessage: "the key is wrong" });
  const details = ConnectError.from(thrown).details.map((detail) => "type" in detail && detail.type);
  expect(details).toEqual(["google.rpc.ErrorInfo"]);
});

test.each(["no", "yes"])("a request that is not rejected goes on (async: %s)", async (isAsync) => {
  const response = await fetch(`${server.url}/v1/shelves/1/books/2`, { headers: { "x-async": isAsync } });
  expect([response.status, response.headers.get("x-added"), calls]).toEqual([200, "yes", 1]);
});
