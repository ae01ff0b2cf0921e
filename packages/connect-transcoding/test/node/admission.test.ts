import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { RpcError } from "../../src/errors/rpc-error.js";
import type { IncomingRequest } from "../../src/node/exchange.js";
import { admitAll } from "../../src/node/exchange.js";

const request: IncomingRequest = {
  area: "service",
  callerAddress: "192.0.2.1",
  principal: undefined,
  header: () => undefined,
  addHeader: () => {},
};

test("without rules everybody may go on, at once", () => {
  expect(admitAll([])(request)).toBeUndefined();
});

test("the first error counts, and no rule after it is asked, whichever of them take time", async () => {
  const rule = fc.record({ isSlow: fc.boolean(), refuses: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { maxLength: 6 }), async (rules) => {
      const asked: number[] = [];
      const admit = admitAll(
        rules.map(({ isSlow, refuses }, index) => () => {
          asked.push(index);
          const error = refuses
            ? new RpcError({ code: Code.Aborted, reason: "NO", message: String(index) })
            : undefined;
          return isSlow ? Promise.resolve(error) : error;
        }),
      );
      const verdict = admit(request);
      const first = rules.findIndex(({ refuses }) => refuses);
      const upTo = first === -1 ? rules : rules.slice(0, first + 1);
      expect(verdict instanceof Promise).toBe(upTo.some(({ isSlow }) => isSlow));
      const error = await verdict;
      expect(error?.message).toBe(first === -1 ? undefined : String(first));
      expect(asked).toEqual(upTo.map((_, index) => index));
    }),
  );
});

test("what a rule throws, at once or later, is its own", async () => {
  const bug = new Error("a bug");
  const throwing = () => {
    throw bug;
  };
  expect(() => admitAll([throwing])(request)).toThrow(bug);
  await expect(admitAll([() => Promise.reject(bug)])(request)).rejects.toBe(bug);
});
