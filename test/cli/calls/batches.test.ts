import { Code, ConnectError } from "@connectrpc/connect";
import { SERVICES } from "@utility-tools/protos/services.js";
import { createError, invalidArgument } from "connect-transcoding";
import type { MessageInit } from "connect-transcoding/codec";
import { describe, expect, test } from "vitest";
import { createProcessor, waitingForLimits } from "../../../src/cli/calls/batches.js";
import { deriveCommands } from "../../../src/cli/commands.js";

const [geoip] = deriveCommands(Object.values(SERVICES)).filter(({ name }) => name === "geoip");

/** Processes inputs, with a service that accepts batches of at most `limit` items. Its calls have these sizes. */
function service(limit: number) {
  const sizes: number[] = [];
  const call = async (_method: unknown, request: MessageInit) => {
    const { ipAddresses } = request as { readonly ipAddresses: readonly string[] };
    sizes.push(ipAddresses.length);
    if (ipAddresses.length > limit) {
      throw invalidArgument([{ field: "ip_addresses", reason: "TOO_MANY_ITEMS", description: "too many" }]);
    }
    return { results: ipAddresses.map((ip) => ({ outcome: { case: "answer", value: { ip } } })) };
  };
  return { sizes, process: geoip && createProcessor(geoip, call, () => ({})) };
}

describe("a batch that has more items than a service allows", () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({ text: `${index}` }));

  test("is halved until it is accepted, and later ones have that size", async () => {
    const { sizes, process } = service(300);
    const results = items.map(({ text }) => ({ kind: "response", message: { ip: text } }));
    expect(await process?.(items)).toEqual(results);
    expect(sizes.splice(0)).toEqual([1000, 500, 250, 250, 250, 250]);
    await process?.(items.slice(0, 300));
    expect(sizes).toEqual([250, 50]);
  });

  test("is an error if a single item is too many", async () => {
    const { sizes, process } = service(0);
    await expect(process?.(items.slice(0, 3))).rejects.toThrow("too many");
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
    const failing = async () => {
      if (left.length > 0) {
        throw left.shift();
      }
      return { done: true };
    };
    const call = waitingForLimits(failing, async (ms) => void waits.push(ms));
    const method = geoip?.method;
    const result = method && (await call(method, {}).catch((thrown) => ConnectError.from(thrown).rawMessage));
    return [result, ...waits];
  }

  const TOO_MANY = "too many requests";
  test.each<[string, readonly unknown[], unknown[]]>([
    ["waits as long as the service asks", [limited(2_000), limited(60_000)], [{ done: true }, 2_000, 60_000]],
    ["is an error without a time", [limited()], [TOO_MANY]],
    ["is an error for more than five minutes", [limited(300_001)], [TOO_MANY]],
    ["is an error after ten", Array(11).fill(limited(1)), [TOO_MANY, ...Array(10).fill(1)]],
    ["with another error is not repeated", [new ConnectError("gone", Code.Unavailable)], ["gone"]],
  ])("%s", async (_name, errors, expected) => {
    expect(await callWith(errors)).toEqual(expected);
  });
});
