import { expect, test } from "vitest";
import { isLoopback } from "../../src/process/is-loopback.js";

// RFC 1122, 3.2.1.3 (g); RFC 4291, 2.5.3; RFC 6761, 6.3.
test.each([
  ["127.0.0.1", true],
  ["127.255.255.254", true],
  ["::1", true],
  ["0:0:0:0:0:0:0:1", true],
  ["localhost", true],
  ["LOCALHOST.", true],
  ["tools.localhost", true],
  ["::ffff:127.0.0.1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["::2", false],
  ["126.255.255.255", false],
  ["128.0.0.1", false],
  ["::ffff:10.0.0.1", false],
  ["localhost.example", false],
  ["notlocalhost", false],
  ["127.0.0.1.example", false],
])("%s: %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
