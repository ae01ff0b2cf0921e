import { Code } from "@connectrpc/connect";
import { invalidFields, missing, type RpcErrorInit } from "connect-transcoding";
import { describe, expect, test } from "vitest";
import { type Failure, ok, type Result } from "../../src/result.js";
import { answerEach, MAX_BATCH_ITEMS } from "../../src/tools/batch.js";

const failure: Failure = { reason: "UNKNOWN_WORD", description: "nobody knows it" };

function lengthOf(word: string): Result<number, RpcErrorInit> {
  switch (word) {
    case "":
      return { ok: false, failure: invalidFields([{ field: "word", ...failure, reason: "REQUIRED" }]) };
    case "xyzzy":
      return { ok: false, failure: missing(failure, { word }) };
    default:
      return ok(word.length);
  }
}

test("each item has its answer or its error, in order", () => {
  expect(answerEach("words", ["one", "", "xyzzy", "three"], lengthOf)).toEqual([
    { input: "one", outcome: { case: "answer", value: 3 } },
    {
      input: "",
      outcome: {
        case: "error",
        value: { code: Code.InvalidArgument, reason: "REQUIRED", message: "nobody knows it", metadata: {} },
      },
    },
    {
      input: "xyzzy",
      outcome: {
        case: "error",
        value: {
          code: Code.NotFound,
          reason: "UNKNOWN_WORD",
          message: "nobody knows it",
          metadata: { word: "xyzzy" },
        },
      },
    },
    { input: "three", outcome: { case: "answer", value: 5 } },
  ]);
});

describe("a batch", () => {
  test.each([
    [0, "REQUIRED"],
    [MAX_BATCH_ITEMS + 1, "TOO_MANY_ITEMS"],
    [100_000, "TOO_MANY_ITEMS"],
  ])("of %i items is refused", (count, reason) => {
    expect(() => answerEach("words", Array(count).fill("one"), lengthOf)).toThrow(
      expect.objectContaining({
        code: Code.InvalidArgument,
        violations: [{ field: "words", reason, description: expect.any(String) }],
      }),
    );
  });

  test("may be as long as it says", () => {
    expect(answerEach("words", Array(MAX_BATCH_ITEMS).fill("one"), lengthOf)).toHaveLength(MAX_BATCH_ITEMS);
  });

  test("that fails for another reason fails as a whole", () => {
    const bug = new TypeError("not thought of");
    expect(() =>
      answerEach("words", ["one"], () => {
        throw bug;
      }),
    ).toThrow(bug);
  });
});
