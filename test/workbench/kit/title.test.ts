import { expect, test } from "vitest";
import { pageModule } from "../page-module.js";

const { documentTitle } = await pageModule<{ readonly documentTitle: (...parts: string[]) => string }>(
  "kit/title.ts",
);

test.each([
  [["8.8.8.8", "Geo IP"], "8.8.8.8 – Geo IP – Utility Tools"],
  [["", "One-time passwords"], "One-time passwords – Utility Tools"],
  [[""], "Utility Tools"],
  [["x".repeat(80), "QR code"], `${"x".repeat(60)} … – QR code – Utility Tools`],
])("the title of %j", (parts, title) => {
  expect(documentTitle(...parts)).toBe(title);
});
