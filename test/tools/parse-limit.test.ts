import { describe, expect, test } from "vitest";
import { parseLimit } from "../../src/tools/parse-limit.js";

describe("parseLimit", () => {
  test.each([
    [undefined, 20],
    [1, 1],
    [250, 250],
  ])("reads %j", (limit, value) => {
    expect(parseLimit(limit, 250)).toEqual({ ok: true, value });
  });

  test.each([0, -1, 251, 2 ** 31 - 1])("rejects %j", (limit) => {
    const description = `must be from 1 to 250, is ${limit}`;
    expect(parseLimit(limit, 250)).toEqual({ ok: false, failure: { reason: "INVALID_LIMIT", description } });
  });
});
