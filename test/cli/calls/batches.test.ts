import { Code, ConnectError } from "@connectrpc/connect";
import { SERVICES } from "@utility-tools/protos/services.js";
import { createError, invalidArgument } from "connect-transcoding";
import type { MessageInit } from "connect-transcoding/codec";
import { describe, expect, test } from "vitest";
import { createProcessor, waitingForLimits } from "../../../src/cli/calls/batches.js";
import { deriveCommands } from "../../../src/cli/commands.js";

const [geoip] = deriveCommands(Object.values(SERVICES)).filter(({ name }) => name === "geoip");

/** A service that accepts batches of at most `limit` items. */
function service(limit: number) {
  const sizes: number[] = [];
  return {
    sizes,
    call: async (_method: unknown, request: MessageInit) => {
      const { ipAddresses } = request as { readonly ipAddresses: readonly string[] };
      sizes.push(ipAddresses.length);
      if (ipAddresses.length > limit) {
        throw invalidArgument([{ field: "ip_addresses", reason: "TOO_MANY_ITEMS", description: "too many" }]);
      }
      return { results: ipAddresses.map((ip) => ({ outcome: { case: "answer", value: { ip } } })) };
    },
  };
}

describe("a batch that has more items than a service allows", () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({ text: `${index}` }));

  test("is halved until it is accepted, and later ones have that size", async () => {
    const { sizes, call } = service(300);
    const process = geoip && createProcessor(geoip, call, () => ({}));
    const results = await process?.(items);
    expect(results).toEqual(items.map(({ text }) => ({ kind: "response", message: { ip: text } })));
    expect(sizes).toEqual([1000, 500, 250, 250, 250, 250]);
    await process?.(items.slice(0, 300));
    expect(sizes.slice(6)).toEqual([250, 50]);
  });

  test("is an error if a single item is too many", async () => {
    const { sizes, call } = service(0);
    await expect(geoip && createProcessor(geoip, call, () => ({}))(items.slice(0, 3))).rejects.toThrow(
      "too many",
    );
    expect(sizes).toEqual([3, 2, 1]);
  });
});

describe("a call that a rate limit rejects", () => {
  const ERROR = {
    code: Code.ResourceExhausted,
    reason: "RATE_LIMIT_EXCEEDED",
    message: "too many requests",
  } as const;
  const limited = (retryAfter?: number) =>
    createError({ ...ERROR, ...(retryAfter !== undefined && { retryAfter }) });

  /** Makes a call that fails with errors, and then succeeds. */
  async function callWith(errors: readonly unknown[]) {
    const left = [...errors];
    const waits: number[] = [];
    const call = waitingForLimits(
      async () => {
        const error = left.shift();
        if (error !== undefined) {
          throw error;
        }
        return { done: true };
      },
      async (ms) => {
        waits.push(ms);
      },
    );
    const method = geoip?.method;
    const result = method && (await call(method, {}).catch((thrown) => ConnectError.from(thrown).rawMessage));
    return { result, waits };
  }

  test("waits as long as the service asks, and is repeated", async () => {
    expect(await callWith([limited(2_000), limited(60_000)])).toEqual({
      result: { done: true },
      waits: [2_000, 60_000],
    });
  });

  test.each<[string, readonly unknown[], number]>([
    ["without a time", [limited()], 0],
    ["for more than five minutes", [limited(300_001)], 0],
    ["more than ten times", Array.from({ length: 11 }, () => limited(1)), 10],
  ])("%s is an error", async (_name, errors, waits) => {
    const called = await callWith(errors);
    expect(called.result).toBe("too many requests");
    expect(called.waits).toHaveLength(waits);
  });

  test("other errors are not repeated", async () => {
    const error = new ConnectError("gone", Code.Unavailable);
    expect(await callWith([error])).toEqual({ result: "gone", waits: [] });
  });
});
