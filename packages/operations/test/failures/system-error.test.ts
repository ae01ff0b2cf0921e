import { mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { systemErrorCode, systemErrorText } from "../../src/failures/system-error.js";

const folder = mkdtempSync(join(tmpdir(), "system-error-"));
afterAll(() => rmSync(folder, { recursive: true }));

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (thrown) {
    return thrown;
  }
}

symlinkSync("link", join(folder, "link"));

test.each([
  ["ENOENT", "no such file or folder", () => readFileSync(join(folder, "none"))],
  ["EISDIR", "it is a folder", () => readFileSync(folder)],
  ["ENOTDIR", "a part of the path is no folder", () => readFileSync(join(import.meta.filename, "none"))],
  ["ELOOP", "its links lead in a circle", () => readFileSync(join(folder, "link"))],
  ["ENAMETOOLONG", "the name is too long", () => readFileSync(join(folder, "n".repeat(300)))],
  ["EEXIST", "a file of this name exists", () => openSync(import.meta.filename, "wx")],
  ["EMFILE", "too many open files", () => Object.assign(new Error(), { code: "EMFILE" })],
  ["EPROTO", "the port does not use TLS", () => Object.assign(new Error(), { code: "EPROTO" })],
  ["EBUSY", "EBUSY", () => Object.assign(new Error(), { code: "EBUSY" })],
  ["Error: x", "Error: x", () => new Error("x")],
])("%s is %s", (code, text, run) => {
  const thrown = thrownBy(run);
  expect([systemErrorCode(thrown), systemErrorText(thrown)]).toEqual([code, text]);
});
