import { expect, test } from "vitest";
import { KINDS } from "../../../../src/workbench/panels/barcode/contents.js";
import { codeFileName } from "../../../../src/workbench/panels/barcode/file-name.js";

const kindOf = (id: string) => KINDS.find((kind) => kind.id === id) ?? { id: "", inputs: [] };

test.each([
  ["wifi", { ssid: "Guest", password: "rose-garden", text: "of another form" }, "wifi-guest"],
  ["wifi", { ssid: "../Café; a\\b" }, "wifi-café-a-b"],
  ["link", { url: "https://www.example.com/menu?a=1" }, "link-example-com-menu-a-1"],
  ["link", { url: "example.com" }, "link-example-com"],
  ["contact", { first: "Zoë", last: "Müller", phone: "+43 1" }, "contact-zoë-müller"],
  ["text", { text: "a".repeat(60) }, `text-${"a".repeat(40)}`],
  ["text", { text: "日本" }, "text-日本"],
  ["text", { text: "…" }, "text"],
])("the file of %s with %j is %s", (id, values, name) => {
  expect(codeFileName(kindOf(id), { ...values, other: "x" }, false)).toBe(name);
});

test("the name says nothing of a secret", () => {
  const text = "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP";
  expect(codeFileName(kindOf("text"), { text }, true)).toBe("text");
});
