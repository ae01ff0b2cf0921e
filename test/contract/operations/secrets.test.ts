import { createLog } from "connect-transcoding-operations/telemetry/log";
import { createRequestLog } from "connect-transcoding-operations/telemetry/request-log";
import { afterAll, expect, test } from "vitest";
import { memoryDestination } from "../../../packages/operations/test/telemetry/memory-destination.js";
import { send } from "../support/clients.js";
import { useServer } from "../support/serve.js";

// Secrets of requests appear neither in the log nor in errors, wherever they were sent.

const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const KEY_URI = `otpauth://totp/Example:jane?secret=${SECRET}`;
const destination = memoryDestination();
const observer = createRequestLog("all", createLog({ level: "info", destination }).logger);
const server = useServer({ observers: observer === undefined ? [] : [observer] });

const VERIFY = { type: "time_based", action: "verify" };
const HOTP = { ...VERIFY, type: "counter_based" };

function post(path: string, query: Record<string, string>, json?: Record<string, string>) {
  return send(`${server.url}${path}?${new URLSearchParams(query)}`, {
    method: "POST",
    ...(json && { headers: { "content-type": "application/json" }, body: JSON.stringify(json) }),
  });
}

test.each([
  ["a secret in the query", () => post("/v1/otp", { ...VERIFY, secret: SECRET }), 200],
  ["a key URI in the query", () => post("/v1/otp", { ...VERIFY, key_uri: KEY_URI }), 200],
  ["a key URI in the body", () => post("/v1/otp", {}, { ...VERIFY, key_uri: KEY_URI }), 200],
  ["a key URI in the path", () => post(`/v1/otp/${encodeURIComponent(KEY_URI)}`, VERIFY), 404],
  ["a key URI of another type", () => post("/v1/otp", { ...HOTP, key_uri: KEY_URI }), 400],
  ["a key URI in place of a secret", () => post("/v1/otp", { ...VERIFY, secret: KEY_URI }), 400],
  ["a key URI that is not valid", () => post("/v1/otp", { ...VERIFY, key_uri: `${KEY_URI}&digits=9` }), 400],
  ["a key URI that is too long", () => post("/v1/otp", {}, { ...VERIFY, key_uri: KEY_URI.repeat(99) }), 400],
  ["a key URI as another parameter", () => post("/v1/otp", { ...VERIFY, algorithm: KEY_URI }), 400],
  ["a key URI as a code", () => send(`${server.url}/v1/barcode?type=qr_code&format=${KEY_URI}`), 400],
])("%s", async (_, request, status) => {
  const before = destination.entries().length;
  const response = await request();
  expect(response.status).toBe(status);
  if (status >= 400) {
    expect(response.text).not.toContain(SECRET);
  }
  await expect.poll(() => destination.entries().length).toBe(before + 1);
  expect(JSON.stringify(destination.entries())).not.toMatch(/otpauth|GEZDGNBV|Example|jane/);
});

afterAll(() => {
  expect(server.bugs).toEqual([]);
});
