import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { Health, HealthCheckRequestSchema } from "connect-transcoding/gen/health/v1/health_pb.js";
import { describe, expect, test } from "vitest";
import { notFound, RpcError } from "../../src/errors/rpc-error.js";
import type { Call } from "../../src/node/handler-context.js";
import { guard, withPolicies } from "../../src/node/handler-context.js";
import { implement, type MethodImplementation } from "../../src/node/methods.js";
import { testCall } from "./call.js";

const EXPECTED = notFound({ reason: "NO_SUCH_THING", description: "there is none" });
const BUG = new TypeError("x is not a function");
const CANCELLED = new ConnectError("gone", Code.Canceled);

/** Calls every kind of method of a service whose handlers all throw, and gives what came out and what was reported. */
async function outcomes(thrown: unknown, signal = new AbortController().signal) {
  const reported: unknown[] = [];
  const fail = (): never => {
    throw thrown;
  };
  const health = implement(Health, {
    check: fail,
    list: async () => fail(),
    async *watch() {
      yield {};
      fail();
    },
  });
  const reflection = implement(ServerReflection, { serverReflectionInfo: fail });
  const report = (bug: unknown, call: Call): void => {
    reported.push(bug, call.method.name);
  };
  const out = [];
  for (const implementation of [health, reflection].flatMap(({ methods }) => methods)) {
    const call = testCall(implementation.method, { signal });
    const guarded = withPolicies(implementation, [guard(report)]);
    out.push(await run(guarded, call).catch((error: unknown) => error));
  }
  return { out, reported };
}

async function run(implementation: MethodImplementation, call: Call): Promise<unknown> {
  const request = create(HealthCheckRequestSchema);
  switch (implementation.kind) {
    case "unary":
      return implementation.handler(request, call);
    case "server_streaming":
      return drain(implementation.handler(request, call));
    case "client_streaming":
      return implementation.handler(requests(), call);
    case "bidi_streaming":
      return drain(implementation.handler(requests(), call));
  }
}

async function* requests() {}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _message of stream) {
    // Only the end matters.
  }
}

describe("a guarded handler", () => {
  test.each([
    ["an expected failure", EXPECTED],
    ["connect's own error", CANCELLED],
  ])("lets %s through", async (_name, error) => {
    expect(await outcomes(error)).toEqual({ out: [error, error, error, error], reported: [] });
  });

  test("reports a bug and hides it", async () => {
    const { out, reported } = await outcomes(BUG);
    for (const error of out) {
      expect(error).toBeInstanceOf(RpcError);
      expect(error).toMatchObject({ code: Code.Internal, reason: "INTERNAL", message: "internal error" });
    }
    expect(reported).toEqual([BUG, "Check", BUG, "Watch", BUG, "List", BUG, "ServerReflectionInfo"]);
  });

  test("takes what is thrown after the caller has gone for the cancellation that it is", async () => {
    const { out, reported } = await outcomes(BUG, AbortSignal.abort());
    expect(out.map((error) => error instanceof RpcError && error.code)).toEqual(Array(4).fill(Code.Canceled));
    expect(reported).toEqual([]);
  });
});
