import { request } from "node:http";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { RequestRecord } from "../../src/call/http/request-record.js";
import { useOnePort } from "../support/servers.js";
import { TRANSPORTS } from "../support/transports.js";

const EXCEPTION = new TypeError("x is not a function");
const onError = vi.fn();
const records: RequestRecord[] = [];
let waitingCalls = 0;

/** Throws; once the client has disconnected if the name is `wait`. */
async function fail(name: string, signal: AbortSignal): Promise<never> {
  if (name.endsWith("wait")) {
    waitingCalls += 1;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }
  throw EXCEPTION;
}

const server = useOnePort({
  routes: shelfRoutes({
    getBook: ({ name }, { signal }) => {
      if (name.endsWith("sync")) {
        throw EXCEPTION;
      }
      return fail(name, signal);
    },
    async *watchBook({ name }, { signal }) {
      yield { name };
      await fail(name, signal);
    },
    collectBooks: async (requests, { signal }) => {
      for await (const { name } of requests) {
        await fail(name, signal);
      }
      return {};
    },
    async *exchangeBooks(requests, { signal }) {
      for await (const { name } of requests) {
        yield { name };
        await fail(name, signal);
      }
    },
  }),
  transcoding: {
    onError,
    observers: [
      {
        onEnd: (record) => {
          records.push(record);
        },
      },
    ],
  },
});
afterEach(() => {
  onError.mockClear();
  records.length = 0;
  waitingCalls = 0;
});

const { method } = ShelfService;

/** Calls a method, and returns its error. */
async function errorOf(run: () => Promise<unknown> | AsyncIterable<unknown>): Promise<ConnectError> {
  try {
    const response = run();
    if (Symbol.asyncIterator in response) {
      for await (const _message of response);
    } else {
      await response;
    }
  } catch (thrown) {
    return ConnectError.from(thrown);
  }
  throw new Error("the call has succeeded");
}

function untilWaiting(calls: number): Promise<unknown> {
  return vi.waitUntil(() => waitingCalls === calls, { timeout: 30_000, interval: 5 });
}

/** Over HTTP/1.1, a server cannot tell at once whether a client has disconnected or only closed its half. */
function untilEnded(requests: number): Promise<unknown> {
  return vi.waitUntil(() => records.length === requests, { timeout: 30_000 });
}

async function* requestFor(name: string) {
  yield { name };
}

/** Calls the methods of all kinds that a transport can call. */
function callsTo(
  transportName: string,
  baseUrl: string,
  transportTo: (typeof TRANSPORTS)[number][1],
  name: string,
  signal?: AbortSignal,
) {
  const client = createClient(ShelfService, transportTo(baseUrl));
  const options = signal === undefined ? {} : { signal };
  const calls: [string, () => Promise<unknown> | AsyncIterable<unknown>][] = [
    ["GetBook", () => client.getBook({ name }, options)],
    ["WatchBook", () => client.watchBook({ name }, options)],
    ["CollectBooks", () => client.collectBooks(requestFor(name), options)],
  ];
  // HTTP/1.1 has no bidirectional streams.
  return transportName.startsWith("gRPC") && !transportName.startsWith("gRPC-Web")
    ? [...calls, ["ExchangeBooks", () => client.exchangeBooks(requestFor(name), options)] as const]
    : calls;
}

describe.each(TRANSPORTS)("an unexpected exception with %s", (transportName, transportTo) => {
  test("becomes INTERNAL without its text, and is reported once with its method", async () => {
    for (const [methodName, call] of callsTo(transportName, server.url, transportTo, "a")) {
      expect([methodName, await errorOf(call)]).toMatchObject([
        methodName,
        { code: Code.Internal, rawMessage: "internal error" },
      ]);
      expect(onError.mock.calls).toMatchObject([[EXCEPTION, { name: methodName }]]);
      onError.mockClear();
    }
  });

  test("may be thrown synchronously", async () => {
    const client = createClient(ShelfService, transportTo(server.url));
    const error = await errorOf(() => client.getBook({ name: "sync" }));
    expect(error).toMatchObject({ code: Code.Internal, rawMessage: "internal error" });
    expect(onError.mock.calls).toEqual([[EXCEPTION, method.getBook]]);
  });
});

describe("an unexpected exception over REST", () => {
  test("becomes INTERNAL without its text, and is reported once with its method", async () => {
    for (const last of ["a", "sync"]) {
      const response = await fetch(`${server.url}/v1/shelves/1/books/${last}`);
      expect([response.status, await response.json()]).toMatchObject([
        500,
        { error: { status: "INTERNAL", message: "internal error", details: [{ reason: "INTERNAL" }] } },
      ]);
    }
    expect(onError.mock.calls).toEqual([
      [EXCEPTION, method.getBook],
      [EXCEPTION, method.getBook],
    ]);
  });
});

test("an exception is not reported if the client has cancelled the call or disconnected", async () => {
  const controllers = TRANSPORTS.map(() => new AbortController());
  const calls = TRANSPORTS.flatMap(([transportName, transportTo], index) =>
    callsTo(transportName, server.url, transportTo, "wait", controllers[index]?.signal),
  );
  const errors = Promise.all(calls.map(([, call]) => errorOf(call)));
  const paths = ["/v1/shelves/1/books/wait", "/v1/shelves/1/books/wait:watch"];
  const disconnecting = paths.map((path) => request(`${server.url}${path}`).on("error", () => {}));
  for (const each of disconnecting) {
    each.end();
  }
  const names = [...calls.map(([name]) => name), "GetBook", "WatchBook"];
  await untilWaiting(names.length);
  for (const controller of controllers) {
    controller.abort();
  }
  for (const each of disconnecting) {
    each.destroy();
  }
  expect((await errors).map(({ code }) => code)).toEqual(calls.map(() => Code.Canceled));
  await untilEnded(names.length);
  const canceled = names.map((name) => [name, Code.Canceled]);
  expect(records.map(({ method, code }) => [method?.name, code]).toSorted()).toEqual(canceled.toSorted());
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(onError).not.toHaveBeenCalled();
});
