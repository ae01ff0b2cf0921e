import {
  Code,
  ConnectError,
  createContextValues,
  createHandlerContext,
  type HandlerContext,
} from "@connectrpc/connect";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { type Quota, quotaKey } from "connect-transcoding-operations/access/quota";
import { describe, expect, test } from "vitest";
import { MAX_BATCH_ITEMS } from "../../src/config/batch-limit.js";
import { fail, ok } from "../../src/failures/result.js";
import { singleAndBatch } from "../../src/tools/batch.js";
import { contentOf } from "./call.js";

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

/** The context of a call. */
function contextOf(contextValues = createContextValues()): HandlerContext {
  return createHandlerContext({
    service: EmailService,
    method: EmailService.method.batchSanitizeEmails,
    protocolName: "connect",
    requestMethod: "POST",
    url: "https://tools.example/",
    contextValues,
  });
}

const UNLIMITED = contextOf();

/** The context of a call with a rate limit, with what it is charged. */
function limited(limit: number, charge: Quota["charge"] = () => {}) {
  const charged: number[] = [];
  const quota: Quota = {
    limit,
    charge: (cost) => {
      charged.push(cost);
      return charge(cost);
    },
  };
  return { charged, context: contextOf(createContextValues().set(quotaKey, quota)) };
}

describe("batch", () => {
  test("returns the response or the error of each input, in order", async () => {
    const { results } = await batch(["one", "", "xyzzy", "three"], UNLIMITED);
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
    expect(errorOf(() => batch(Array(count).fill("one"), UNLIMITED))).toMatchObject({
      code: Code.InvalidArgument,
      violations: [{ field: "words", reason, description: expect.any(String) }],
    });
  });

  test("accepts the maximum of inputs", async () => {
    const { results } = await batch(Array(MAX_BATCH_ITEMS).fill("one"), UNLIMITED);
    expect(results).toHaveLength(MAX_BATCH_ITEMS);
  });

  describe("with a rate limit", () => {
    test("is charged for each input but the first, for which the request was", async () => {
      const { context, charged } = limited(3);
      await batch(["one", "", "three"], context);
      await batch(["one"], context);
      expect(charged).toEqual([2, 0]);
    });

    test("waits for a charge that is asynchronous", async () => {
      const { context } = limited(3, async () => {});
      expect((await batch(["one", "two"], context)).results).toHaveLength(2);
      const { context: refused } = limited(3, () => Promise.reject(new Error("refused")));
      await expect(batch(["one"], refused)).rejects.toThrow("refused");
    });

    test("fails with the error of the charge", () => {
      const { context: refused } = limited(3, () => {
        throw new ConnectError("refused", Code.ResourceExhausted);
      });
      expect(() => batch(["one"], refused)).toThrow("refused");
    });

    test("rejects more inputs than it ever allows, without charging them", () => {
      const { context, charged } = limited(2);
      expect(errorOf(() => batch(["one", "two", "three"], context))).toMatchObject({
        code: Code.InvalidArgument,
        violations: [
          {
            field: "words",
            reason: "TOO_MANY_ITEMS",
            description: "must have at most 2 items under the rate limit, has 3",
          },
        ],
      });
      expect(charged).toEqual([]);
    });

    test("does not charge for an invalid number of inputs", () => {
      const { context, charged } = limited(100_000);
      for (const count of [0, MAX_BATCH_ITEMS + 1]) {
        expect(() => batch(Array(count).fill("one"), context)).toThrow(ConnectError);
      }
      expect(charged).toEqual([]);
    });
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
    await expect(async () => broken(["one"], UNLIMITED)).rejects.toThrow(bug);
  });
});
