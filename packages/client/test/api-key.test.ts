import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { authorization, checkApiKey } from "../src/api-key.js";

test.each(["ut_iqB7-x_W", "a", "abc==", "A-._~+/9"])("%s may be a key", async (key) => {
  checkApiKey(key);
  expect(await authorization(key)).toBe(`Bearer ${key}`);
  expect(await authorization(async () => key)).toBe(`Bearer ${key}`);
});

test("nothing else that a header could have it in gets into one, or into an error", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 8, unit: "grapheme" }), async (key) => {
      try {
        const value = await authorization(() => key);
        expect(new Headers({ authorization: value }).get("authorization")).toBe(`Bearer ${key}`);
      } catch (error) {
        expect(ConnectError.from(error).code).toBe(Code.InvalidArgument);
        expect(String(error)).not.toContain(key);
        expect(() => checkApiKey(key)).toThrow(ConnectError);
      }
    }),
  );
});

test("a function is asked when a call is made, not before", () => {
  checkApiKey(() => {
    throw new Error("asked");
  });
});
