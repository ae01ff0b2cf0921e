import { Code } from "@connectrpc/connect";
import { codeName, createError, type IncomingRequest, type RequestRecord } from "connect-transcoding";
import { methodName } from "connect-transcoding/rules";
import { beforeEach, describe, expect, test } from "vitest";
import { PROTOCOL_CASES } from "../support/every-protocol.js";
import { useServer } from "../support/serve.js";

// The hook that rejects requests and the records of requests, in every protocol.

const checked: string[] = [];
const records: RequestRecord[] = [];
let started = 0;

/** A check that does what the headers of the request say. */
function check(name: string, request: IncomingRequest): void | Promise<void> {
  checked.push(name);
  request.addHeader(`x-${name}`, [request.clientAddress, request.header("x-test-header") ?? "-"].join(" "));
  if (request.header("x-crash") === name) {
    throw new Error("a bug in a check");
  }
  const isSlow = request.header("x-slow")?.includes(name) === true;
  if (request.header("x-reject") === name) {
    const message = "no, and that is 100 %";
    const error = createError({ code: Code.PermissionDenied, reason: "NOT_TODAY", message });
    if (isSlow) {
      return Promise.reject(error);
    }
    throw error;
  }
  return isSlow ? Promise.resolve() : undefined;
}

const server = useServer({
  onRequest: (request) => {
    const pending = check("first", request);
    return pending === undefined ? check("second", request) : pending.then(() => check("second", request));
  },
  observers: [
    {
      onStart: () => {
        started += 1;
      },
      onEnd: (record) => records.push(record),
    },
  ],
  corsOrigins: ["https://page.example"],
  trustedProxies: ["127.0.0.0/8", "10.0.0.0/8"],
});

beforeEach(() => {
  checked.length = 0;
  records.length = 0;
  started = 0;
});

/** Waits for the record of the only request. The client may have the response before the record exists. */
async function recorded(): Promise<RequestRecord> {
  await expect.poll(() => records.length).toBe(1);
  expect(started).toBe(1);
  const [record] = records;
  if (record === undefined) {
    throw new Error("there is no record");
  }
  return record;
}

const seen = (record: RequestRecord) => ({
  protocol: record.protocol,
  method: record.method === undefined ? undefined : methodName(record.method),
  code: record.code === undefined ? "OK" : codeName(record.code),
});

describe.each(PROTOCOL_CASES)("$name", ({ ask, protocol, method }) => {
  const isConnectError = protocol === "connect" && method?.startsWith("utilitytools") === true;
  const statusOf = (status: number) =>
    protocol === "rest" || protocol === "page" || protocol === "mcp" || isConnectError ? status : 200;
  // In MCP, the body names the method.
  const methodOfHead = protocol === "mcp" ? undefined : method;

  test("accepts a request, with the headers that the hook adds", async () => {
    const { code, header } = await ask(server.url, { "x-test-header": "a" });
    expect([code, header("x-first"), header("x-second")]).toEqual(["OK", "127.0.0.1 a", "127.0.0.1 a"]);
    expect(checked).toEqual(["first", "second"]);
    const record = await recorded();
    expect(seen(record)).toEqual({ protocol, method, code: "OK" });
    expect(record.status).toBe(200);
    expect(record.duration).toBeGreaterThan(0);
    expect(Math.abs(Date.now() - record.startedAt)).toBeLessThan(10_000);
  });

  test.each(["", "first", "second", "first, second"])(
    "accepts a request after asynchronous checks: %j",
    async (slow) => {
      expect((await ask(server.url, { "x-slow": slow })).code).toBe("OK");
      expect(checked).toEqual(["first", "second"]);
      expect(seen(await recorded())).toEqual({ protocol, method, code: "OK" });
    },
  );

  test.each([
    ["first", ["first"]],
    ["second", ["first", "second"]],
  ])("rejects a request in the %s check, synchronously or not", async (name, checks) => {
    for (const slow of ["none", name]) {
      checked.length = 0;
      records.length = 0;
      started = 0;
      const { code, reason, header } = await ask(server.url, { "x-reject": name, "x-slow": slow });
      expect({ code, reason }).toEqual({ code: "PERMISSION_DENIED", reason: "NOT_TODAY" });
      expect(header("x-first")).toBe("127.0.0.1 -");
      expect(checked).toEqual(checks);
      const record = await recorded();
      expect(seen(record)).toEqual({ protocol, method: methodOfHead, code: "PERMISSION_DENIED" });
      expect(record.status).toBe(statusOf(403));
    }
  });

  test("reports a bug in the hook and sends INTERNAL without details", async () => {
    const { code } = await ask(server.url, { "x-crash": "second" });
    expect(code).toBe("INTERNAL");
    expect(server.bugs.splice(0)).toEqual([new Error("a bug in a check")]);
    expect(seen(await recorded()).code).toBe("INTERNAL");
  });

  test("uses a valid request ID of the client", async () => {
    const { header } = await ask(server.url, { "x-request-id": "order-66" });
    expect(header("x-request-id")).toBe("order-66");
    expect((await recorded()).requestId).toBe("order-66");
    const without = await ask(server.url, { "x-request-id": "a b" });
    expect(without.header("x-request-id")).toBeNull();
    await expect.poll(() => records.length).toBe(2);
    expect(records[1]?.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("adds CORS headers for an allowed origin, and Vary", async () => {
    const { header } = await ask(server.url, { origin: "https://page.example" });
    expect(header("access-control-allow-origin")).toBe("https://page.example");
    expect(header("access-control-expose-headers")).toContain("grpc-status-details-bin");
    expect(header("vary")?.toLowerCase()).toContain("origin");
    const other = await ask(server.url, { origin: "https://evil.example" });
    expect(other.header("access-control-allow-origin")).toBeNull();
    expect(other.header("vary")?.toLowerCase()).toContain("origin");
  });

  test("takes the client address from trusted proxies", async () => {
    const forwarded = "192.0.2.66, 198.51.100.7, 10.1.2.3";
    const { header } = await ask(server.url, { "x-forwarded-for": forwarded });
    expect(header("x-first")).toBe("198.51.100.7 -");
    expect((await recorded()).clientAddress).toBe("198.51.100.7");
  });
});
