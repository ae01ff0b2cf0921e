import type { HttpResponse } from "connect-transcoding";
import { describe, expect, test } from "vitest";
import { serverHealth } from "../../../src/service/health.js";
import { healthPages } from "../../../src/service/pages/health-pages.js";
import { emailService } from "../../../src/tools/email/email-service.js";
import { testReadiness, withReadiness } from "../../support/readiness.js";

const NO_STORE = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

describe("healthPages", () => {
  const readiness = testReadiness(false);
  const stopping = new AbortController();
  const health = serverHealth([withReadiness(emailService(), readiness)], stopping.signal);
  const pages = healthPages(health);

  async function get(path: string): Promise<HttpResponse> {
    const page = pages.get(path);
    if (typeof page !== "function") {
      throw new Error(`${path} is static`);
    }
    return page({ baseUrl: "", header: () => undefined, turn: async () => {} });
  }

  test.each([
    ["reports a tool that is not ready", () => {}, 503, false, false, ["utilitytools.v1.EmailService"]],
    ["reports that all tools are ready", () => readiness.become(true), 200, true, false, []],
    ["reports that the server is shutting down", () => stopping.abort(), 503, false, true, []],
  ] as const)("%s", async (_name, happen, status, isReady, isStopping, notReady) => {
    happen();
    const readyz = await get("/readyz");
    expect([readyz.status, readyz.headers]).toEqual([status, NO_STORE]);
    expect(JSON.parse(String(readyz.body))).toEqual({
      ready: isReady,
      stopping: isStopping,
      not_ready: notReady,
    });
    expect(await get("/healthz")).toEqual({ status: 200, headers: NO_STORE, body: '{"healthy":true}' });
  });
});
