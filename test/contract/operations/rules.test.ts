import { Code } from "@connectrpc/connect";
import { codeName, createError, type RequestRecord } from "connect-transcoding";
import { methodName } from "connect-transcoding/rules";
import { beforeEach, describe, expect, test } from "vitest";
import { PROTOCOL_CASES } from "../support/every-protocol.js";
import { useServer } from "../support/serve.js";

// The hook that rejects requests and the records of requests, in every protocol.

const records: RequestRecord[] = [];

const server = useServer({
  onRequest: (request) => {
    request.addHeader("x-seen", [request.clientAddress, request.header("x-test-header") ?? "-"].join(" "));
    const error = createError({ code: Code.PermissionDenied, reason: "NOT_TODAY", message: "no" });
    switch (request.header("x-reject")) {
      case "now":
        throw error;
      case "later":
        return Promise.reject(error);
      default:
        return request.header("x-slow") === null ? undefined : Promise.resolve();
    }
  },
  observers: [{ onEnd: (record) => records.push(record) }],
  corsOrigins: ["https://page.example"],
  trustedProxies: ["127.0.0.0/8", "10.0.0.0/8"],
});

beforeEach(() => {
  records.length = 0;
});

/** Waits for the record of the only request. The client may have the response before the record exists. */
async function recorded() {
  await expect.poll(() => records.length).toBe(1);
  const [record] = records.splice(0);
  return {
    protocol: record?.protocol,
    method: record?.method && methodName(record.method),
    code: record?.code === undefined ? "OK" : codeName(record.code),
    status: record?.status,
    client: record?.clientAddress,
  };
}

describe.each(PROTOCOL_CASES)("$name", ({ ask, protocol, method }) => {
  const isConnectError = protocol === "connect" && method?.startsWith("utilitytools") === true;
  const status =
    protocol === "rest" || protocol === "page" || protocol === "mcp" || isConnectError ? 403 : 200;

  test.each<[string, Record<string, string>]>([
    ["synchronous", {}],
    ["asynchronous", { "x-slow": "1" }],
  ])("accepts a request after a check that is %s, with its headers", async (_how, slow) => {
    const forwarded = "192.0.2.66, 198.51.100.7, 10.1.2.3";
    const headers = { ...slow, "x-test-header": "a", "x-forwarded-for": forwarded };
    const { code, header } = await ask(server.url, headers);
    // The client is the first address that is not a trusted proxy.
    expect([code, header("x-seen")]).toEqual(["OK", "198.51.100.7 a"]);
    expect(await recorded()).toEqual({ protocol, method, code: "OK", status: 200, client: "198.51.100.7" });
  });

  test.each(["now", "later"])("rejects a request: %s", async (when) => {
    const { code, reason, header } = await ask(server.url, { "x-reject": when });
    expect({ code, reason }).toEqual({ code: "PERMISSION_DENIED", reason: "NOT_TODAY" });
    expect(header("x-seen")).toBe("127.0.0.1 -");
    // In MCP, the body names the method.
    const known = protocol === "mcp" ? undefined : method;
    expect(await recorded()).toEqual({ protocol, method: known, code, status, client: "127.0.0.1" });
  });

  test("adds CORS headers for an allowed origin, and Vary", async () => {
    const { header } = await ask(server.url, { origin: "https://page.example" });
    expect(header("access-control-allow-origin")).toBe("https://page.example");
    expect(header("access-control-expose-headers")).toContain("grpc-status-details-bin");
    const other = await ask(server.url, { origin: "https://evil.example" });
    expect(other.header("access-control-allow-origin")).toBeNull();
    expect(other.header("vary")?.toLowerCase()).toContain("origin");
  });
});
