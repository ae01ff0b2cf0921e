import { expect, test } from "vitest";

interface HandOver {
  readonly put: (panel: string, text: string) => void;
  readonly take: (panel: string) => string;
}

// Imported by URL, because the types of the page need the DOM, which tests do not have.
const MODULE = new URL("../../../src/workbench/kit/session.ts", import.meta.url).href;
const { createHandOver } = (await import(MODULE)) as { readonly createHandOver: () => HandOver };

test("a text is handed over once, to its panel only", () => {
  const { put, take } = createHandOver();
  expect(take("otp")).toBe("");
  put("otp", "JBSWY3DP");
  expect([take("otp"), take("otp")]).toEqual(["JBSWY3DP", ""]);
  put("otp", "JBSWY3DP");
  expect([take("geoip"), take("otp")]).toEqual(["", ""]);
});
