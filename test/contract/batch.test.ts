import type { JsonObject } from "@bufbuild/protobuf";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  connectClients,
  grpcJsClient,
  type Outcome,
  restOutcome,
  send,
  type UnaryClient,
} from "./clients.js";
import { useServer } from "./serve.js";

const server = useServer({ trustedProxies: ["127.0.0.1"] });

/** Sends a batch over REST, with which the other protocols must agree. */
async function post(path: string, request: JsonObject): Promise<Outcome> {
  const headers = { "content-type": "application/json" };
  return restOutcome(
    await send(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(request) }),
  );
}

/** Converts the outcome of a single call to the expected batch item. */
async function single(path: string): Promise<unknown> {
  const { status, json } = await send(`${server.url}${path}`, { method: "GET" });
  return status === 200 ? { answer: json } : { status };
}

let ways: [string, UnaryClient][] = [];
let grpcJs: ReturnType<typeof grpcJsClient> | undefined;
beforeAll(() => {
  grpcJs = grpcJsClient(server.url);
  // A thousand e-mail addresses do not fit in a URL.
  ways = [...connectClients(server.url).filter(([name]) => name !== "Connect, GET"), ["grpc-js", grpcJs]];
});
afterAll(() => {
  grpcJs?.close();
  expect(server.bugs).toEqual([]);
});

describe("BatchLookupIps", () => {
  const ip_addresses = ["8.8.8.8", "2001:4860:4860::8888", "::ffff:1.1.1.1", "10.0.0.1", "3000::1", "x", ""];

  test("returns for each address the result of LookupIp, over REST", async () => {
    const outcome = await post("/v1/geoIp:batch", { ip_addresses });
    const { results } = (outcome as { answer: { results: JsonObject[] } }).answer;
    expect(results.map(({ input }) => input)).toEqual(ip_addresses);
    for (const { input, answer, error } of results) {
      const alone = await single(`/v1/geoIp?ip_address=${encodeURIComponent(String(input))}`);
      const codes: Record<string, number> = { NOT_FOUND: 404, INVALID_ARGUMENT: 400 };
      const { code = "" } = (error ?? {}) as { code?: string };
      expect(answer === undefined ? { status: codes[code] } : { answer }).toEqual(alone);
    }
    expect(results.map(({ error }) => (error as JsonObject | undefined)?.reason)).toEqual([
      undefined,
      undefined,
      undefined,
      "RESERVED_ADDRESS",
      "ADDRESS_NOT_FOUND",
      "INVALID_IP_ADDRESS",
      "REQUIRED",
    ]);
  });

  test("is the same over every protocol", async () => {
    const overRest = await post("/v1/geoIp:batch", { ip_addresses });
    for (const [name, call] of ways) {
      expect([name, await call(GeoIpService.method.batchLookupIps, { ip_addresses })]).toEqual([
        name,
        overRest,
      ]);
    }
  });
});

describe("BatchSanitizeEmails", () => {
  /** The maximum number of addresses of the maximum length. */
  const longest = Array.from({ length: 1000 }, (_, index) => {
    const domain = `${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(57)}.com`;
    return `${String(index).padStart(64, "a")}@${domain}`;
  });

  test("accepts a thousand addresses of 254 bytes over every protocol", async () => {
    expect(new Set(longest.map(({ length }) => length))).toEqual(new Set([254]));
    const expected = { answer: { results: longest.map((email) => ({ input: email, answer: { email } })) } };
    expect(await post("/v1/sanitizeEmail:batch", { emails: longest })).toEqual(expected);
    for (const [name, call] of ways) {
      expect([name, await call(EmailService.method.batchSanitizeEmails, { emails: longest })]).toEqual([
        name,
        expected,
      ]);
    }
  });

  test("still has a size limit, over every protocol", async () => {
    const emails = ["x".repeat(512 * 1024)];
    expect(await post("/v1/sanitizeEmail:batch", { emails })).toMatchObject({ reason: "BODY_TOO_LARGE" });
    for (const [name, call] of ways) {
      expect([name, await call(EmailService.method.batchSanitizeEmails, { emails })]).toMatchObject([
        name,
        { code: "RESOURCE_EXHAUSTED" },
      ]);
    }
  });

  test.each([
    [[], "REQUIRED"],
    [Array(1001).fill("a@b.example"), "TOO_MANY_ITEMS"],
  ])("rejects a whole batch (%#)", async (emails, reason) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ emails });
    const { status, json } = await send(`${server.url}/v1/sanitizeEmail:batch`, {
      method: "POST",
      headers,
      body,
    });
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: {
        details: [{ fieldViolations: [{ field: "emails", reason }] }, { reason: "INVALID_PARAMETERS" }],
      },
    });
  });
});

describe("LookupSelf", () => {
  const lookUp = (client: string) =>
    send(`${server.url}/v1/geoIp/self`, { headers: { "x-forwarded-for": client } });

  test("looks up the address that a trusted proxy forwards, as LookupIp does, without caching", async () => {
    const { status, json, headers } = await lookUp("8.8.8.8");
    expect([status, headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    expect({ answer: json }).toEqual(await single("/v1/geoIp?ip_address=8.8.8.8"));
  });

  test("names the special-purpose address of a local client", async () => {
    const { status, json } = await send(`${server.url}/v1/geoIp/self`);
    expect(status).toBe(404);
    expect(json).toMatchObject({
      error: {
        status: "NOT_FOUND",
        details: [{ reason: "RESERVED_ADDRESS", metadata: { range: "Loopback", block: "127.0.0.0/8" } }],
      },
    });
  });

  test("has no parameters", async () => {
    expect((await send(`${server.url}/v1/geoIp/self?ip_address=8.8.8.8`)).status).toBe(400);
  });
});

describe("ExplainEmail", () => {
  test("returns the same steps over every protocol", async () => {
    const email = "Jane.Doe+news@GoogleMail.com";
    const overRest = await post("/v1/sanitizeEmail:explain", { email });
    expect(overRest).toMatchObject({
      answer: {
        email: "janedoe@gmail.com",
        steps: [
          { rule: "EMAIL_RULE_NORMALIZE_DOMAIN", result: "Jane.Doe+news@googlemail.com", provider: "" },
          { rule: "EMAIL_RULE_LOWER_CASE", result: "jane.doe+news@googlemail.com", provider: "" },
          { rule: "EMAIL_RULE_REMOVE_SUFFIX", result: "jane.doe@googlemail.com", provider: "" },
          { rule: "EMAIL_RULE_FOLD_CHARACTERS", result: "janedoe@googlemail.com", provider: "Gmail" },
          { rule: "EMAIL_RULE_FOLD_DOMAIN", result: "janedoe@gmail.com", provider: "Gmail" },
        ],
      },
    });
    for (const [name, call] of ways) {
      expect([name, await call(EmailService.method.explainEmail, { email })]).toEqual([name, overRest]);
    }
  });
});
