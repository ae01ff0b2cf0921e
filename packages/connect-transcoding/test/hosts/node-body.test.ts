import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { collectBody } from "../../src/hosts/node-body.js";

test.each([
  ["ends a MiB after it", 1024, []],
  ["continues", 1025, ["cut"]],
])("a body beyond a large limit is too large when it passes the limit, also if it %s", (_, parts, cut) => {
  const KIB = 1024;
  const limit = 4 * KIB * KIB;
  const source = new PassThrough();
  const events: unknown[] = [];
  const limits = { limit, announced: undefined, isAborted: () => false, cut: () => events.push("cut") };
  collectBody(source, limits, (outcome) => events.push(outcome));
  source.emit("data", Buffer.alloc(limit));
  expect(events).toEqual([]);
  for (let part = 0; part < parts; part++) {
    source.emit("data", Buffer.alloc(KIB));
  }
  expect(events).toEqual(["too large", ...cut]);
});

test("a body that has ended before it is read is complete", async () => {
  const source = Readable.from([]);
  source.resume();
  await once(source, "end");
  const outcomes: unknown[] = [];
  const limits = { limit: 10, announced: undefined, isAborted: () => false, cut: () => {} };
  collectBody(source, limits, (outcome) => outcomes.push(outcome));
  expect(outcomes).toEqual([Buffer.alloc(0)]);
});
