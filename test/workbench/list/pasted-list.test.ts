import { expect, test } from "vitest";
import { pageModule } from "../page-module.js";

const { pastedList, panelOfList, severalInputs } = await pageModule<{
  readonly pastedList: (event: object) => string | undefined;
  readonly panelOfList: (text: string) => string | undefined;
  readonly severalInputs: (text: string) => object | undefined;
}>("list/pasted-list.ts");

test.each([
  ["8.8.8.8\n1.1.1.1", true],
  ["8.8.8.8\r\n\r\n1.1.1.1\r\n", true],
  ["\n 8.8.8.8 \n\n", false],
  ["8.8.8.8 1.1.1.1", false],
  ["", false],
])("%j is a list: %s", (text, isList) => {
  const clipboardData = { getData: (type: string) => (type === "text/plain" ? text : "") };
  expect(pastedList({ clipboardData })).toBe(isList ? text : undefined);
});

test.each([
  ["8.8.8.8\n2001:db8::1\n", "geoip"],
  ["a@example.com\r\n\r\nb@example.com", "email"],
  ["8.8.8.8\na@example.com", undefined],
  ["Japan\n8.8.8.8", undefined],
  [
    '8.8.8.8 - - [28/Nov/2026:07:00:01 +0000] "GET / HTTP/1.1"\n2001:db8::1:2 - - [28/Nov/2026] "GET /"',
    "geoip",
  ],
  ["sshd[1]: Failed password from 8.8.8.8 port 22\n1.1.1.1:53", "geoip"],
  ["07:00:01 version 1.2.3.4.5\n07:00:02 a1.2.3.4b", undefined],
  ["JBSWY3DPEHPK3PXP\notpauth://totp/a?secret=JBSWY3DPEHPK3PXP", "otp"],
  ["two\nwords", undefined],
  ["8.8.8.8\nbad\n1.1.1.1", "geoip"],
  ["jane@example.com\njohn\nx@example.org", "email"],
  ["email,name\njane@example.com,J\nx@example.org,X", "email"],
  ["https://a.example/?to=a@example.com\nhttps://b.example/?to=b@example.com", undefined],
])("the panel of %j is %s", (text, panel) => {
  expect(panelOfList(text)).toBe(panel);
});

test.each([
  ["8.8.8.8 1.1.1.1", "geoip", "8.8.8.8\n1.1.1.1"],
  ["8.8.8.8, 2001:db8::1;9.9.9.9\n", "geoip", "8.8.8.8\n2001:db8::1\n9.9.9.9"],
  ["a@example.com; b@example.com", "email", "a@example.com\nb@example.com"],
  ["Doe, Jane <a@example.com>, Joe <b@example.com>", "email", "a@example.com\nb@example.com"],
])("%j is a list for %s", (text, panel, list) => {
  expect(severalInputs(text)).toEqual({ panel, text: list, count: list.split("\n").length });
});

test.each([
  "8.8.8.8",
  "8.8.8.8 Japan",
  "Doe, Jane <a@example.com>",
  "https://example.com/?from=a@example.com&to=b@example.com",
  "mailto:a@example.com?cc=b@example.com",
  "two words",
  "",
])("%j is no list", (text) => {
  expect(severalInputs(text)).toBeUndefined();
});
