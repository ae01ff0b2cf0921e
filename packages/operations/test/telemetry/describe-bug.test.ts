import { describe, expect, test } from "vitest";
import { describeBug } from "../../src/telemetry/describe-bug.js";

describe("the description of a bug", () => {
  test("leaves out what libraries attach to errors", () => {
    const bug = Object.assign(new RangeError("too far"), { request: { secret: "s3cret" }, code: "s3cret" });
    expect(describeBug(bug)).toEqual({ type: "RangeError", message: "too far", stack: bug.stack });
    expect(JSON.stringify(describeBug(bug))).not.toContain("s3cret");
  });

  test("has at most three causes", () => {
    const errors = [new Error("0")];
    for (const index of [1, 2, 3, 4]) {
      errors.push(new Error(String(index), { cause: errors[index - 1] }));
    }
    const messages: unknown[] = [];
    for (
      let each: ReturnType<typeof describeBug> | undefined = describeBug(errors[4]);
      each;
      each = each.cause
    ) {
      messages.push(each.message);
    }
    expect(messages).toEqual(["4", "3", "2", "1"]);
  });

  test("leaves out a cause that is not an error", () => {
    expect(describeBug(new Error("failed", { cause: { secret: "s3cret" } }))).not.toHaveProperty("cause");
  });

  test("is limited in length", () => {
    const bug = new Error("m".repeat(5000));
    bug.stack = "s".repeat(50_000);
    expect(describeBug(bug)).toEqual({ type: "Error", message: "m".repeat(1000), stack: "s".repeat(8000) });
  });

  test.each([
    ["a text", "thrown", { type: "string", message: "thrown" }],
    ["a number", 7, { type: "number" }],
    ["nothing", undefined, { type: "undefined" }],
    ["null", null, { type: "object" }],
    ["an object", { message: "s3cret" }, { type: "object" }],
  ])("is its type if it is not an error: %s", (_, thrown, description) => {
    expect(describeBug(thrown)).toEqual(description);
  });

  test("is `unknown` if a getter throws", () => {
    const bug = new Error("hidden");
    Object.defineProperty(bug, "stack", {
      get: () => {
        throw new Error("gotcha");
      },
    });
    expect(describeBug(bug)).toEqual({ type: "unknown" });
  });
});
