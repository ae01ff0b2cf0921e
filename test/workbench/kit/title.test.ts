import { expect, test } from "vitest";

// Imported by URL, because the types of the page need the DOM, which tests do not have.
const MODULE = new URL("../../../src/workbench/kit/title.ts", import.meta.url).href;
const { documentTitle } = (await import(MODULE)) as {
  readonly documentTitle: (...parts: readonly string[]) => string;
};

test.each([
  [["8.8.8.8", "Geo IP"], "8.8.8.8 – Geo IP – Utility Tools"],
  [["", "One-time passwords"], "One-time passwords – Utility Tools"],
  [[""], "Utility Tools"],
  [["x".repeat(80), "QR code"], `${"x".repeat(60)} … – QR code – Utility Tools`],
])("the title of %j", (parts, title) => {
  expect(documentTitle(...parts)).toBe(title);
});
