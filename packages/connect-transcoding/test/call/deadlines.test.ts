import { Code, createClient, type HandlerContext } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import { useOnePort } from "../support/servers.js";
import { TRANSPORTS } from "../support/transports.js";

const onError = vi.fn();
const contexts: HandlerContext[] = [];
const forever = new Promise<never>(() => {});

/** Waits as long as the name asks for, and ignores the signal. */
async function ignoreDeadline(name: string): Promise<{ name: string }> {
  if (name === "forever") {
    await forever;
  }
  if (name === "busy") {
    const end = performance.now() + 30;
    while (performance.now() < end) {
      // Keeps the timer of the deadline from running.
    }
  }
  if (name === "rejects later") {
    await new Promise((resolve) => setTimeout(resolve, 200));
    throw new TypeError("x is undefined");
  }
  if (name === "slow") {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { name };
}

const server = useOnePort({
  routes: shelfRoutes({
    getBook: ({ name }, context) => {
      contexts.push(context);
      return ignoreDeadline(name.slice(name.lastIndexOf("/") + 1));
    },
    collectBooks: async (requests) => {
      for await (const { name } of requests) {
        await ignoreDeadline(name);
      }
      return {};
    },
    async *watchBook({ name }, { signal }) {
      yield { name };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new TypeError("aborted");
    },
  }),
  transcoding: { onError },
});
afterEach(() => {
  onError.mockClear();
  contexts.length = 0;
});

/** Sends the timeout without a timer of the client. */
const timeout = (milliseconds: number) => ({
  headers: { "grpc-timeout": `${milliseconds}m`, "connect-timeout-ms": String(milliseconds) },
});

const EXPIRED = { code: Code.DeadlineExceeded, rawMessage: "the deadline of the call has expired" };

/** Calls the method with all protocols at the same time. Returns their names and errors. */
function callAll(name: string, milliseconds: number) {
  return Promise.all(
    TRANSPORTS.map(async ([protocol, transportTo]) => {
      const client = createClient(ShelfService, transportTo(server.url));
      return [
        protocol,
        await client.getBook({ name }, timeout(milliseconds)).catch((error: unknown) => error),
      ];
    }),
  );
}

describe("a unary call, with each protocol", () => {
  const expired = TRANSPORTS.map(([protocol]) => [protocol, EXPIRED]);

  test("ends when its deadline expires, even if the implementation ignores it", async () => {
    expect(await callAll("forever", 1_000)).toMatchObject(expired);
    expect(contexts).toHaveLength(TRANSPORTS.length);
    for (const context of contexts) {
      expect(context.signal.reason).toMatchObject({ code: Code.DeadlineExceeded });
      expect(context.timeoutMs()).toBeLessThanOrEqual(1);
    }
  });

  test("does not report what the implementation throws after the deadline", async () => {
    expect(await callAll("rejects later", 50)).toMatchObject(expired);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(onError).not.toHaveBeenCalled();
  });
});

describe.each(TRANSPORTS)("a unary call with %s", (_name, transportTo) => {
  const client = () => createClient(ShelfService, transportTo(server.url));

  test("succeeds within its deadline, and knows how much time is left", async () => {
    expect(await client().getBook({ name: "slow" }, timeout(20_000))).toMatchObject({ name: "slow" });
    const left = contexts[0]?.timeoutMs() ?? 0;
    expect(left).toBeGreaterThan(10_000);
    expect(left).toBeLessThan(20_000);
  });

  test("without a deadline waits for the implementation", async () => {
    expect(await client().getBook({ name: "slow" })).toMatchObject({ name: "slow" });
    expect(contexts[0]?.timeoutMs()).toBeUndefined();
  });

  test("has no deadline if the timeout is longer than a timer can wait", async () => {
    // The longest values of grpc-timeout and connect-timeout-ms.
    const headers = { "grpc-timeout": "99999999H", "connect-timeout-ms": "9999999999" };
    expect(await client().getBook({ name: "slow" }, { headers })).toMatchObject({ name: "slow" });
  });

  test("is rejected if the timeout is malformed", async () => {
    const headers = { "grpc-timeout": "1", "connect-timeout-ms": "1m" };
    await expect(client().getBook({ name: "a" }, { headers })).rejects.toMatchObject({
      code: Code.InvalidArgument,
    });
    expect(contexts).toEqual([]);
  });
});

test.each([
  ["gRPC", createGrpcTransport],
  ["Connect", createConnectTransport],
])(
  "a unary call with %s fails if its implementation returns after the deadline",
  async (_name, transportTo) => {
    const client = createClient(ShelfService, transportTo({ baseUrl: server.url, httpVersion: "2" }));
    await expect(client.getBook({ name: "busy" }, timeout(10))).rejects.toMatchObject(EXPIRED);
  },
);

describe("a stream", () => {
  const client = () => createClient(ShelfService, createGrpcTransport({ baseUrl: server.url }));

  test("of requests ends when its deadline expires, even if the implementation ignores it", async () => {
    const requests = (async function* () {
      yield { name: "forever" };
    })();
    await expect(client().collectBooks(requests, timeout(100))).rejects.toMatchObject(EXPIRED);
  });

  test("of responses ends by its signal, whose exceptions are not reported", async () => {
    const names: string[] = [];
    const read = async () => {
      for await (const { name } of client().watchBook({ name: "a" }, timeout(3_000))) {
        names.push(name);
      }
    };
    await expect(read()).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    expect([names, onError.mock.calls]).toEqual([["a"], []]);
  });
});

describe("a call over REST with grpc-timeout", () => {
  const get = async (name: string, value: string) => {
    const response = await fetch(`${server.url}/v1/shelves/1/books/${name}`, {
      headers: { "grpc-timeout": value },
    });
    return { status: response.status, body: (await response.json()) as { error?: { status?: string } } };
  };

  test("ends when its deadline expires", async () => {
    const { status, body } = await get("forever", "500m");
    expect([status, body.error?.status]).toEqual([504, "DEADLINE_EXCEEDED"]);
    expect(contexts[0]?.signal.reason).toMatchObject({ code: Code.DeadlineExceeded });
  });

  test("succeeds within its deadline, and knows how much time is left", async () => {
    expect((await get("slow", "20S")).status).toBe(200);
    expect(contexts[0]?.timeoutMs()).toBeGreaterThan(10_000);
  });

  test("is rejected with an invalid value", async () => {
    const { status, body } = await get("slow", "INVALID");
    expect([status, body.error?.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(contexts).toEqual([]);
  });
});
