import fc from "fast-check";
import { expect, test } from "vitest";
import { isHost } from "../../../src/service/config/host.js";

test.each([
  "127.0.0.1",
  "0.0.0.0",
  "::",
  "::1",
  "2001:db8::1",
  "::ffff:127.0.0.1",
  "fe80::1%eth0",
  "localhost",
  "LocalHost",
  "tools.example",
  "tools.example.",
  "a",
  "1a.example",
  "3com.example",
  "xn--mnchen-3ya.example",
  "my_service",
  `${"a".repeat(63)}.example`,
  `${"a.".repeat(126)}a`,
])("%s is one", (text) => {
  expect(isHost(text)).toBe(true);
});

test.each([
  "",
  ".",
  " ",
  "a b",
  " localhost",
  "a..b",
  ".a",
  "-a",
  "a-",
  "a.-b.example",
  "[::1]",
  "::1/128",
  "127.0.0.1:8080",
  "localhost:8080",
  "http://localhost",
  "localhost/",
  "127.0.0.256",
  "127.1",
  "1",
  "0x7f.0x1",
  "a.0x7F",
  "127.0.0.01",
  "münchen.example",
  "a@b",
  "*",
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(127)}a`,
])("%j is none", (text) => {
  expect(isHost(text)).toBe(false);
});

test("addresses and domain names are hosts", () => {
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()), isHost));
});

test("no host has characters that end a host in a URL", () => {
  const delimiters = fc.constantFrom(..."/?#@[]\\ \t\n");
  fc.assert(
    fc.property(
      fc.string(),
      delimiters,
      fc.string(),
      (before, delimiter, after) => !isHost(before + delimiter + after),
    ),
  );
});
