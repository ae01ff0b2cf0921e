import { create } from "@bufbuild/protobuf";
import { Health, HealthCheckRequestSchema } from "connect-transcoding/gen/health/v1/health_pb.js";
import { expect, test } from "vitest";
import { deadlineExceeded, enforceDeadline, withPolicies } from "../../src/node/handler-context.js";
import { implement } from "../../src/node/methods.js";
import { testCall } from "./call.js";

const METHOD = Health.method.check;
const REQUEST = create(HealthCheckRequestSchema);

/** Calls a handler under the policy. */
function check(handler: () => unknown, signal: AbortSignal, timeoutMs: number | undefined) {
  const service = implement(Health, { check: handler as never, list: () => ({}), async *watch() {} });
  const [implementation] = service.methods;
  if (implementation?.kind !== "unary") {
    throw new Error("Check is unary");
  }
  const ruled = withPolicies(implementation, [enforceDeadline]);
  return ruled.kind === "unary" && ruled.handler(REQUEST, testCall(METHOD, { signal, timeoutMs }));
}

const never = () => new Promise(() => {});

test("an answer that is there at once is given at once, even late", () => {
  expect(check(() => ({ status: 1 }), AbortSignal.abort(deadlineExceeded()), 1)).toEqual({ status: 1 });
});

test("an answer in time is given", async () => {
  expect(await check(async () => ({ status: 1 }), new AbortController().signal, 100)).toEqual({ status: 1 });
});

test("a failure in time is that failure", async () => {
  const failure = new Error("x");
  const answer = check(() => Promise.reject(failure), new AbortController().signal, 100);
  await expect(answer).rejects.toBe(failure);
});

test("a call whose time is up ends, however long its handler goes on", async () => {
  const controller = new AbortController();
  const answer = check(never, controller.signal, 100);
  controller.abort(deadlineExceeded());
  await expect(answer).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  await expect(check(never, controller.signal, 100)).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
});

test("a call without a limit waits for its handler", async () => {
  const controller = new AbortController();
  const answer = check(
    () => new Promise((resolve) => setTimeout(resolve, 20, {})),
    controller.signal,
    undefined,
  );
  controller.abort();
  expect(await answer).toEqual({});
});
