import { Code, ConnectError, createHandlerContext } from "@connectrpc/connect";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { describe, expect, test } from "vitest";
import { fail, ok } from "../../src/result.js";
import { MAX_BATCH_ITEMS, singleAndBatch } from "../../src/tools/batch.js";
import { contentOf } from "./call.js";

const context = createHandlerContext({
  service: EmailService,
  method: EmailService.method.batchSanitizeEmails,
  protocolName: "connect",
  requestMethod: "POST",
  url: "https://tools.example/",
});

const { single, batch } = singleAndBatch({
  field: "word",
  batchField: "words",
  codes: { UNKNOWN_WORD: Code.NotFound },
  run(word) {
    switch (word) {
      case "":
        return fail("REQUIRED", "must be given");
      case "xyzzy":
        return fail("UNKNOWN_WORD", "is in no dictionary", { word });
      default:
        return ok(word.length);
    }
  },
});

function errorOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof ConnectError) {
      return contentOf(error);
    }
    throw error;
  }
  throw new Error("did not throw");
}

describe("single", () => {
  test("returns the response", () => {
    expect(single("three")).toBe(5);
  });

  test("throws INVALID_ARGUMENT with a violation of the field", () => {
    expect(errorOf(() => single(""))).toMatchObject({
      code: Code.InvalidArgument,
      reason: "INVALID_PARAMETERS",
      message: "word: must be given",
      violations: [{ field: "word", reason: "REQUIRED", description: "must be given" }],
    });
  });

  test("throws an error with the code of the reason", () => {
    expect(errorOf(() => single("xyzzy"))).toEqual({
      code: Code.NotFound,
      reason: "UNKNOWN_WORD",
      message: "is in no dictionary",
      metadata: { word: "xyzzy" },
      violations: [],
    });
  });
});

describe("batch", () => {
  test("returns the response or the error of each input, in order", async () => {
    const { results } = await batch(["one", "", "xyzzy", "three"], context);
    expect(results).toEqual([
      { input: "one", outcome: { case: "answer", value: 3 } },
      {
        input: "",
        outcome: {
          case: "error",
          value: { code: Code.InvalidArgument, reason: "REQUIRED", message: "must be given", metadata: {} },
        },
      },
      {
        input: "xyzzy",
        outcome: {
          case: "error",
          value: {
            code: Code.NotFound,
            reason: "UNKNOWN_WORD",
            message: "is in no dictionary",
            metadata: { word: "xyzzy" },
          },
        },
      },
      { input: "three", outcome: { case: "answer", value: 5 } },
    ]);
  });

  test.each([
    [0, "REQUIRED"],
    [MAX_BATCH_ITEMS + 1, "TOO_MANY_ITEMS"],
    [100_000, "TOO_MANY_ITEMS"],
  ])("rejects %i inputs", (count, reason) => {
    expect(errorOf(() => batch(Array(count).fill("one"), context))).toMatchObject({
      code: Code.InvalidArgument,
      violations: [{ field: "words", reason, description: expect.any(String) }],
    });
  });

  test("accepts the maximum of inputs", async () => {
    const { results } = await batch(Array(MAX_BATCH_ITEMS).fill("one"), context);
    expect(results).toHaveLength(MAX_BATCH_ITEMS);
  });

  test("throws the exceptions of the function", async () => {
    const bug = new TypeError("unexpected");
    const { batch: broken } = singleAndBatch({
      field: "word",
      batchField: "words",
      run: () => {
        throw bug;
      },
    });
    await expect(async () => broken(["one"], context)).rejects.toThrow(bug);
  });
});
