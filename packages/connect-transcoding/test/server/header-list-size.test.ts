import { expect, test } from "vitest";
import { headerListSize } from "../../src/server/http2-session.js";

// RFC 9113, section 6.5.2: the bytes of name and value, and 32 for each field.
test.each([
  [[], 0],
  [[":path", "/"], 38],
  [["a", ""], 33],
  [["a", "1", "a", "\xe9\xe9"], 69],
])("%j has %i bytes", (rawHeaders, size) => {
  expect(headerListSize(rawHeaders)).toBe(size);
});
