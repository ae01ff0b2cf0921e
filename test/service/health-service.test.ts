import { healthService } from "connect-transcoding";
import { HealthCheckResponse_ServingStatus as Status } from "connect-transcoding/gen/health/v1/health_pb.js";
import { describe, expect, test } from "vitest";
import { testCall } from "../../packages/connect-transcoding/test/node/call.js";
import { serverHealth } from "../../src/service/health.js";
import { emailService } from "../../src/tools/email/email-service.js";
import { toldReadiness, withReadiness } from "../readiness.js";

const EMAIL = "utilitytools.v1.EmailService";
const { SERVING, NOT_SERVING } = Status;

function setUp(isReady: boolean) {
  const readiness = toldReadiness(isReady);
  const stopping = new AbortController();
  const tools = [withReadiness(emailService(), readiness)];
  const service = healthService(serverHealth(tools, stopping.signal));
  /** Watches without a door, as slowly as the test reads. */
  const watch = (name: string) => {
    const gone = new AbortController();
    const method = service.methods.find(({ kind }) => kind === "server_streaming");
    if (method?.kind !== "server_streaming") {
      throw new Error("the health service has no stream");
    }
    const call = testCall(method.method, { signal: gone.signal });
    const stream = method.handler({ $typeName: method.method.input.typeName, service: name } as never, call);
    const iterator = (stream as AsyncIterable<{ status: Status }>)[Symbol.asyncIterator]();
    const next = async () => {
      const { done, value } = await iterator.next();
      return done === true ? "end" : value.status;
    };
    return { next, gone };
  };
  return { readiness, stopping, watch };
}

describe("Watch", () => {
  test("tells the status first, and then each change", async () => {
    const { readiness, watch } = setUp(false);
    const { next } = watch(EMAIL);
    expect(await next()).toBe(NOT_SERVING);
    for (const isReady of [true, false, true]) {
      const told = next();
      readiness.become(isReady);
      expect(await told).toBe(isReady ? SERVING : NOT_SERVING);
    }
  });

  test("tells a change from before it was read, and of several the last", async () => {
    const { readiness, watch } = setUp(true);
    const { next } = watch(EMAIL);
    expect(await next()).toBe(SERVING);
    readiness.become(false);
    expect(await next()).toBe(NOT_SERVING);
    readiness.become(true);
    readiness.become(false);
    readiness.become(true);
    expect(await next()).toBe(SERVING);
  });

  test("tells nothing twice", async () => {
    const { readiness, stopping, watch } = setUp(true);
    const { next } = watch("");
    expect(await next()).toBe(SERVING);
    readiness.become(false);
    readiness.become(true);
    const told = next();
    readiness.become(true);
    stopping.abort();
    expect(await told).toBe(NOT_SERVING);
  });

  test("ends when the server stops, after saying so", async () => {
    const { readiness, stopping, watch } = setUp(true);
    const { next } = watch(EMAIL);
    expect(await next()).toBe(SERVING);
    stopping.abort();
    expect([await next(), await next()]).toEqual([NOT_SERVING, "end"]);
    expect(readiness.listeners()).toBe(0);
  });

  test("of a service that was not serving ends without a word when the server stops", async () => {
    const { stopping, watch } = setUp(false);
    const { next } = watch(EMAIL);
    expect(await next()).toBe(NOT_SERVING);
    stopping.abort();
    expect(await next()).toBe("end");
  });

  test("leaves nothing behind when its caller goes", async () => {
    const { readiness, watch } = setUp(true);
    const { next, gone } = watch(EMAIL);
    expect(await next()).toBe(SERVING);
    const told = next();
    expect(readiness.listeners()).toBe(1);
    gone.abort();
    expect(await told).toBe("end");
    expect(readiness.listeners()).toBe(0);
  });
});
