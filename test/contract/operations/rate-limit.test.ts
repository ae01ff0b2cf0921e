import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { ErrorInfoSchema, RetryInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { openAccess } from "connect-transcoding-operations/access/access";
import { afterAll, describe, expect, test } from "vitest";
import { type RespServer, startRespServer } from "../../../packages/operations/test/access/resp-server.js";
import { ACCESS_NAMES } from "../../../src/service/access-names.js";
import type { StartOptions } from "../../../src/service/server.js";
import { useServer } from "../support/serve.js";

// Requests that count several times for the rate limit: batches by their items, streams by their messages.

const LIMIT = 5;
const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

/** A server with a limit of five requests, counted in memory or in a store. A proxy tells the clients apart. */
async function limited(store?: RespServer): Promise<Partial<StartOptions>> {
  const opened = await new Promise<Awaited<ReturnType<typeof openAccess>>>((resolve, reject) => {
    const settings = {
      apiKeysFile: undefined,
      openAreas: [],
      rateLimit: { limit: LIMIT, window: 600 },
      rateLimitStore: store && `redis://127.0.0.1:${store.port}`,
    };
    const events = {
      onKeyCheck: () => {},
      onKeysReload: () => {},
      onDecision: () => {},
      onLocalCount: () => reject(new Error("the store is unavailable")),
      onStoreState: () => resolve(access),
    };
    const access = openAccess(settings, ACCESS_NAMES, events, () => performance.now());
    if (store === undefined) {
      resolve(access);
    }
  });
  if (!opened.ok) {
    throw new Error(opened.failure.description);
  }
  closers.push(opened.value.close);
  return { ...opened.value, trustedProxies: ["127.0.0.1"] };
}

let clients = 0;
const newClient = () => ({ "x-forwarded-for": `192.0.2.${++clients}` });

/** The error of a call with what the rate limit adds to it. */
function limitOf(thrown: unknown) {
  const error = ConnectError.from(thrown);
  return {
    code: error.code,
    reason: error.findDetails(ErrorInfoSchema)[0]?.reason,
    hasRetryInfo: error.findDetails(RetryInfoSchema).length > 0,
    retryAfter: error.metadata.get("retry-after"),
  };
}

describe.each([
  ["in memory", () => limited(), /^(?:600|59\d)$/],
  [
    "in a shared store",
    async () => {
      const store = await startRespServer();
      closers.push(store.stop);
      return limited(store);
    },
    /^1$/,
  ],
])("counted %s:", (_store, options, seconds) => {
  const server = useServer(options);
  const exceeded = {
    code: Code.ResourceExhausted,
    reason: "RATE_LIMIT_EXCEEDED",
    hasRetryInfo: true,
    retryAfter: expect.stringMatching(seconds),
  };
  const gzip = { sendCompression: compressionGzip, compressMinBytes: 0 };
  const grpc = (): Transport => createGrpcTransport({ baseUrl: server.url });
  const connect = (): Transport => createConnectTransport({ baseUrl: server.url, httpVersion: "2" });

  describe.each<[string, () => Transport]>([
    ["gRPC", grpc],
    ["gRPC with gzip", () => createGrpcTransport({ baseUrl: server.url, ...gzip })],
    ["gRPC-Web", () => createGrpcWebTransport({ baseUrl: server.url, httpVersion: "1.1" })],
    ["Connect", connect],
  ])("a batch over %s", (_protocol, transport) => {
    test("counts once per item", async () => {
      const headers = newClient();
      const { batchLookupIps } = createClient(GeoIpService, transport());
      let remaining: string | null = null;
      const onHeader = (received: Headers) => {
        remaining = received.get("ratelimit");
      };
      await batchLookupIps({ ipAddresses: ["1.1.1.1", "8.8.8.8", "x"] }, { headers, onHeader });
      expect(remaining).toMatch(/^"default";r=2;t=/);
      const tooMany = batchLookupIps({ ipAddresses: ["1.1.1.1", "8.8.8.8", "x"] }, { headers });
      expect(limitOf(await tooMany.catch(ConnectError.from))).toEqual(exceeded);
      // The batch has used up the limit.
      const { sanitizeEmail } = createClient(EmailService, transport());
      const next = sanitizeEmail({ email: "a@b.example" }, { headers });
      expect(limitOf(await next.catch(ConnectError.from))).toEqual(exceeded);
    });
  });

  test("a batch over MCP counts once per item", async () => {
    const headers = { ...newClient(), "content-type": "application/json" };
    const batch = async () => {
      const params = {
        name: "geo_ip_batch_lookup_ips",
        arguments: { ip_addresses: ["1.1.1.1", "8.8.8.8", "x"] },
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const response = await fetch(`${server.url}/mcp`, { method: "POST", headers, body });
      const { result, error } = (await response.json()) as {
        result?: { isError?: boolean; content: [{ text: string }] };
        error?: { message: string };
      };
      const text = result?.isError === true ? result.content[0].text : error?.message;
      return [response.status, response.headers.get("ratelimit")?.split(";t=")[0], text?.split(":")[0]];
    };
    const message = "RESOURCE_EXHAUSTED (RATE_LIMIT_EXCEEDED)";
    expect(await batch()).toEqual([200, '"default";r=2', undefined]);
    // The limit is exceeded within the call, which is a result.
    expect(await batch()).toEqual([200, '"default";r=0', message]);
    expect(await batch()).toEqual([429, '"default";r=0', message]);
  });

  test("a REST batch counts once per item", async () => {
    const batch = (headers: Record<string, string>, emails: readonly string[]) =>
      fetch(`${server.url}/v1/sanitizeEmail:batch`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ emails }),
      });
    const headers = newClient();
    const allowed = await batch(headers, ["a@b.example", "x", "y"]);
    expect([allowed.status, allowed.headers.get("ratelimit")]).toEqual([
      200,
      expect.stringMatching(/^"default";r=2;t=\d+$/),
    ]);
    const refused = await batch(headers, ["a@b.example", "x", "y"]);
    expect([refused.status, refused.headers.get("ratelimit"), refused.headers.get("retry-after")]).toEqual([
      429,
      expect.stringMatching(/^"default";r=0;t=\d+$/),
      expect.stringMatching(seconds),
    ]);
    expect(JSON.stringify(await refused.json())).toMatch(/RATE_LIMIT_EXCEEDED.*utilitytools/);

    const tooLong = await batch(newClient(), Array(LIMIT + 1).fill("a@b.example"));
    expect([tooLong.status, tooLong.headers.get("ratelimit"), tooLong.headers.get("retry-after")]).toEqual([
      400,
      expect.stringMatching(/^"default";r=4;t=\d+$/),
      null,
    ]);
    expect(await tooLong.json()).toMatchObject({
      error: {
        status: "INVALID_ARGUMENT",
        message: "emails: must have at most 5 items under the rate limit, has 6",
      },
    });
  });

  test.each<[string, () => Transport]>([
    ["gRPC", grpc],
    ["Connect", connect],
  ])("a stream over %s counts once per message, and ends at the limit", async (_protocol, transport) => {
    const headers = newClient();
    const { serverReflectionInfo } = createClient(ServerReflection, transport());
    let endRequests = (): void => {};
    const requests = async function* () {
      for (let sent = 0; sent < LIMIT + 2; sent++) {
        yield { messageRequest: { case: "listServices", value: "" } as const };
      }
      // The server ends the stream, not the client.
      await new Promise<void>((resolve) => {
        endRequests = resolve;
      });
    };
    let received = 0;
    const read = async () => {
      for await (const { messageResponse } of serverReflectionInfo(requests(), { headers })) {
        received += Number(messageResponse.case === "listServicesResponse");
      }
    };
    expect(limitOf(await read().catch(ConnectError.from))).toEqual(exceeded);
    endRequests();
    expect(received).toBe(LIMIT);
    const next = await read().catch(ConnectError.from);
    expect(limitOf(next)).toEqual(exceeded);
    expect(received).toBe(LIMIT);
  });
});
