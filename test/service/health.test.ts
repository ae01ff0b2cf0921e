import { describe, expect, test } from "vitest";
import { serverHealth } from "../../src/service/health.js";
import { barcodeService } from "../../src/tools/barcode/barcode-service.js";
import { emailService } from "../../src/tools/email/email-service.js";
import { testReadiness, withReadiness } from "../support/readiness.js";

const BARCODE = "utilitytools.v1.BarcodeService";
const EMAIL = "utilitytools.v1.EmailService";

function setUp(isReady: boolean) {
  const readiness = testReadiness(isReady);
  const stopping = new AbortController();
  const tools = [barcodeService(), withReadiness(emailService(), readiness)];
  const health = serverHealth(tools, stopping.signal);
  return { health, readiness, stopping, serving: () => ["", BARCODE, EMAIL].map(health.isServing) };
}

describe("the health of a server", () => {
  test("is that of its tools: of each, and of all together", () => {
    const { health, readiness, serving } = setUp(false);
    expect(health.services).toEqual([BARCODE, EMAIL]);
    expect(serving()).toEqual([false, true, false]);
    readiness.become(true);
    expect(serving()).toEqual([true, true, true]);
  });

  test("ends when the server stops", () => {
    const { health, stopping, serving } = setUp(true);
    expect([health.isStopping(), ...serving()]).toEqual([false, true, true, true]);
    stopping.abort();
    expect([health.isStopping(), ...serving()]).toEqual([true, false, false, false]);
  });

  test("calls listeners on each change until they are removed", () => {
    const { health, readiness, stopping } = setUp(true);
    let changes = 0;
    const forget = health.onChange(() => {
      changes += 1;
    });
    readiness.become(false);
    readiness.become(true);
    stopping.abort();
    expect(changes).toBe(3);
    forget();
    readiness.become(false);
    expect([changes, readiness.listeners()]).toEqual([3, 0]);
  });
});
