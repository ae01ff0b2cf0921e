import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { parseConnectTimeout } from "../../../src/protocols/connect/request.js";

test.each([
  [undefined, undefined],
  ["0", 0],
  ["9999999999", 9_999_999_999],
])("connect-timeout-ms %j is %j ms", (value, milliseconds) => {
  expect(parseConnectTimeout(value)).toBe(milliseconds);
});

test.each(["", "1m", "-1", "1.5", "12345678901"])("connect-timeout-ms %j is malformed", (value) => {
  expect(parseConnectTimeout(value)).toMatchObject({ code: Code.InvalidArgument });
});
