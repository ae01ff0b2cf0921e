import { once } from "node:events";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { collectBody } from "../../src/hosts/node-body.js";

test("a body that has ended before it is read is complete", async () => {
  const source = Readable.from([]);
  source.resume();
  await once(source, "end");
  const outcomes: unknown[] = [];
  const limits = { limit: 10, announced: undefined, isAborted: () => false, cut: () => {} };
  collectBody(source, limits, (outcome) => outcomes.push(outcome));
  expect(outcomes).toEqual([Buffer.alloc(0)]);
});
