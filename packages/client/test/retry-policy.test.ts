import { Code } from "@connectrpc/connect";
import { SERVICES } from "@utility-tools/protos/services.js";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { expect, test } from "vitest";
import { isSafe, retryDelay } from "../src/retry-policy.js";

const POLICY = { count: 4, baseDelay: 100, maxDelay: 500 };

test.each<[string, Code, number | undefined, number, number, number | undefined]>([
  // what, code, retryAfter, retries so far, random, delay
  ["the first wait is anything from nothing", Code.Unavailable, undefined, 0, 0, 0],
  ["to the base", Code.Unavailable, undefined, 0, 0.99, 99],
  ["the bound doubles", Code.Unavailable, undefined, 1, 0.5, 100],
  ["and doubles", Code.Unavailable, undefined, 2, 0.5, 200],
  ["up to the longest", Code.Unavailable, undefined, 3, 0.5, 250],
  ["until all are used up", Code.Unavailable, undefined, 4, 0.5, undefined],
  ["nobody comes before the time that was said", Code.Unavailable, 700, 0, 0, 700],
  ["nor all at that time", Code.Unavailable, 700, 3, 0.5, 750],
  ["a limit says when to come back", Code.ResourceExhausted, 1_000, 0, 0.5, 1_050],
  ["also at once", Code.ResourceExhausted, 0, 0, 0.5, 50],
  ["and not too often", Code.ResourceExhausted, 1_000, 4, 0.5, undefined],
  ["what is used up for good is not tried", Code.ResourceExhausted, undefined, 0, 0.5, undefined],
  ["nor what is broken", Code.Internal, undefined, 0, 0.5, undefined],
  ["even if a time was said", Code.Internal, 100, 0, 0.5, undefined],
  ["nor what was too slow", Code.DeadlineExceeded, undefined, 0, 0.5, undefined],
  ["nor what conflicts", Code.Aborted, undefined, 0, 0.5, undefined],
  ["nor what nobody knows", Code.Unknown, undefined, 0, 0.5, undefined],
  ["nor what the caller ended", Code.Canceled, undefined, 0, 0.5, undefined],
])("%s", (_, code, retryAfter, retries, random, delay) => {
  expect(retryDelay({ code, retryAfter }, retries, POLICY, () => random)).toBe(delay);
});

test("all methods are safe but the one that makes a secret", () => {
  const unsafe = Object.values(SERVICES)
    .flatMap(({ methods }) => methods)
    .filter((method) => !isSafe(method))
    .map(({ name }) => name);
  expect(unsafe).toEqual(["GenerateOtp"]);
});

test("a stream is not", () => {
  expect(isSafe({ ...SERVICES.geoIp.method.lookupIp, methodKind: "server_streaming" })).toBe(false);
  expect(isSafe(ServerReflection.method.serverReflectionInfo)).toBe(false);
});
