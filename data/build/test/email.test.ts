import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildEmailLists } from "../email/build-email-lists.js";

const DATA = join(import.meta.dirname, "..", "..");
const read = (file: string) => readFileSync(join(DATA, file), "utf8");

test.each(Object.entries(buildEmailLists()))(
  "the committed list %s is that of the packages, byte for byte",
  (file, { text, records }) => {
    expect(read(`email/${file}`)).toBe(text);
    expect(JSON.parse(read("SOURCES.json"))[`email/${file}`]).toEqual(records);
  },
);
