import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildDisposableDomains } from "../email/build-disposable-domains.js";

const DATA = join(import.meta.dirname, "..", "..");
const read = (file: string) => readFileSync(join(DATA, file), "utf8");

test("the committed list of disposable domains is that of the package, byte for byte", () => {
  const { text, record } = buildDisposableDomains();
  expect(read("email/disposable-domains.txt")).toBe(text);
  expect(JSON.parse(read("SOURCES.json"))["email/disposable-domains.txt"]).toEqual([record]);
});
