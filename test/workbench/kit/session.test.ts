import { expect, test } from "vitest";
import { pageModule } from "../page-module.js";

interface HandOver {
  readonly put: (panel: string, text: string) => void;
  readonly take: (panel: string) => string;
}

const { createHandOver } = await pageModule<{ createHandOver(): HandOver }>("kit/session.ts");

test("a text is handed over once, to its panel only", () => {
  const { put, take } = createHandOver();
  expect(take("otp")).toBe("");
  put("otp", "JBSWY3DP");
  expect([take("otp"), take("otp")]).toEqual(["JBSWY3DP", ""]);
  put("otp", "JBSWY3DP");
  expect([take("geoip"), take("otp")]).toEqual(["", ""]);
});
