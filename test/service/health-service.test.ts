import { create, type DescMessage } from "@bufbuild/protobuf";
import { createHandlerContext } from "@connectrpc/connect";
import { collectMethods, healthRoutes } from "connect-transcoding";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "connect-transcoding/gen/health/v1/health_pb.js";
import { describe, expect, test } from "vitest";
import { serverHealth } from "../../src/service/health.js";
import { emailService } from "../../src/tools/email/email-service.js";
import { testReadiness, withReadiness } from "../support/readiness.js";

const EMAIL = "utilitytools.v1.EmailService";
const { SERVING, NOT_SERVING } = Status;

function setUp(isReady: boolean) {
  const readiness = testReadiness(isReady);
  const stopping = new AbortController();
  const tools = [withReadiness(emailService(), readiness)];
  const methods = collectMethods(healthRoutes(serverHealth(tools, stopping.signal)));
  /** Watches without a server, and reads only when the test does. */
  const watch = (name: string) => {
    const gone = new AbortController();
    const method = Health.method.watch;
    const spec = methods.find((each) => each.method === method)?.spec;
    if (spec?.kind !== "server_streaming") {
      throw new Error("the health service has no stream");
    }
    const context = createHandlerContext({
      service: Health,
      method,
      protocolName: "grpc",
      requestMethod: "POST",
      url: "https://tools.example/grpc.health.v1.Health/Watch",
      requestSignal: gone.signal,
    });
    const stream = spec.impl(create<DescMessage>(method.input, { service: name }), context);
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
  test("sends the status first, and then each change", async () => {
    const { readiness, watch } = setUp(false);
    const { next } = watch(EMAIL);
    expect(await next()).toBe(NOT_SERVING);
    for (const isReady of [true, false, true]) {
      const sent = next();
      readiness.become(isReady);
      expect(await sent).toBe(isReady ? SERVING : NOT_SERVING);
    }
  });

  test("sends a change that happens between two reads, and the last of several", async () => {
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

  test("sends no status twice", async () => {
    const { readiness, stopping, watch } = setUp(true);
    const { next } = watch("");
    expect(await next()).toBe(SERVING);
    readiness.become(false);
    readiness.become(true);
    const sent = next();
    readiness.become(true);
    stopping.abort();
    expect(await sent).toBe(NOT_SERVING);
  });

  test("ends when the server shuts down, after sending that", async () => {
    const { readiness, stopping, watch } = setUp(true);
    const { next } = watch(EMAIL);
    expect(await next()).toBe(SERVING);
    stopping.abort();
    expect([await next(), await next()]).toEqual([NOT_SERVING, "end"]);
    expect(readiness.listeners()).toBe(0);
  });

  test("of a service that is not serving ends without another message when the server shuts down", async () => {
    const { stopping, watch } = setUp(false);
    const { next } = watch(EMAIL);
    expect(await next()).toBe(NOT_SERVING);
    stopping.abort();
    expect(await next()).toBe("end");
  });

  test("removes its listeners when the client disconnects", async () => {
    const { readiness, watch } = setUp(true);
    const { next, gone } = watch(EMAIL);
    expect(await next()).toBe(SERVING);
    const sent = next();
    expect(readiness.listeners()).toBe(1);
    gone.abort(new Error("gone"));
    await expect(sent).rejects.toThrow("gone");
    expect(readiness.listeners()).toBe(0);
  });
});
