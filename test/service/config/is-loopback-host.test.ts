import fc from "fast-check";
import { expect, test } from "vitest";
import { isLoopbackHost } from "../../../src/service/config/is-loopback-host.js";

test.each([
  "127.0.0.1",
  "127.255.255.255",
  "::1",
  "0:0:0:0:0:0:0:1",
  "::1%lo",
  "::ffff:127.0.0.1",
  "::FFFF:7f00:1",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "tools.localhost",
])("%s is", (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});

test.each([
  "0.0.0.0",
  "::",
  "126.255.255.255",
  "128.0.0.1",
  "::2",
  "::ffff:128.0.0.1",
  "::ffff:0.0.0.0",
  "::127.0.0.1",
  "fe80::1%lo",
  "10.0.0.1",
  "notlocalhost",
  "localhost.example",
  "127.0.0.1.example",
  "tools.example",
  "%localhost",
  "",
])("%j is not", (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});

test("every address of 127.0.0.0/8 is, and no other of IPv4", () => {
  fc.assert(fc.property(fc.ipV4(), (host) => isLoopbackHost(host) === host.startsWith("127.")));
  fc.assert(
    fc.property(fc.nat(0xff_ffff), (rest) => {
      const host = `127.${rest >> 16}.${(rest >> 8) & 255}.${rest & 255}`;
      return isLoopbackHost(host) && isLoopbackHost(`::ffff:${host}`);
    }),
  );
});

test("what has no address and no localhost in it is not, whatever it is", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."1270.:%[]- \n\0ß🙂") }),
      (host) => !isLoopbackHost(host) || /127\.|:|localhost/i.test(host),
    ),
  );
});
