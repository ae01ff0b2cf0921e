import { execFileSync } from "node:child_process";
import {
  appendFile,
  mkdir,
  mkdtemp,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readRegularFile } from "../../src/files/read-regular-file.js";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "read-"));
  path = join(folder, "file");
});
afterEach(() => rm(folder, { recursive: true }));

test("a file is read, also through a link", async () => {
  await writeFile(path, "123456");
  await symlink(path, join(folder, "link"));
  const whole = { ok: true, value: Buffer.from("123456") };
  expect(await readRegularFile(path, 6)).toEqual(whole);
  expect(await readRegularFile(join(folder, "link"))).toEqual(whole);
});

test.each([
  ["is missing", () => {}, "FILE_NOT_FOUND", "does not exist"],
  ["is a folder", () => mkdir(path), "FILE_UNREADABLE", "is not a regular file"],
  ["is a pipe without a writer", () => makePipe(path), "FILE_UNREADABLE", "is not a regular file"],
  ["is a device", () => symlink("/dev/zero", path), "FILE_UNREADABLE", "is not a regular file"],
  [
    "is a link to itself",
    () => symlink(path, path),
    "FILE_UNREADABLE",
    "cannot be read (its links lead in a circle)",
  ],
  ["is too large", () => writeFile(path, "123456."), "FILE_TOO_LARGE", "is too large; allowed: 6 bytes"],
])("a path that %s is rejected", async (_, make, reason, description) => {
  await make();
  expect(await readRegularFile(path, 6)).toEqual({ ok: false, failure: { reason, description } });
});

test("an empty file is read", async () => {
  await writeFile(path, "");
  expect(await readRegularFile(path, 6)).toEqual({ ok: true, value: Buffer.alloc(0) });
});

test("a path below a file does not exist", async () => {
  await writeFile(path, "");
  expect(await readRegularFile(join(path, "file"))).toMatchObject({ failure: { reason: "FILE_NOT_FOUND" } });
});

test("a file that is replaced while it is read is read again", async () => {
  const other = join(folder, "other");
  await writeFile(other, "new");
  await writeFile(path, "");
  await truncate(path, 64 * 1024 * 1024);
  const reading = readRegularFile(path);
  // After it was opened, and before all of it was read.
  await utimes(path, 1, 1);
  await rename(other, path);
  expect(await reading).toEqual({ ok: true, value: Buffer.from("new") });
});

test("a file that changes each time it is read is rejected", async () => {
  await writeFile(path, "");
  await truncate(path, 64 * 1024 * 1024);
  let isRead = false;
  const reading = readRegularFile(path).finally(() => {
    isRead = true;
  });
  while (!isRead) {
    await appendFile(path, "x");
  }
  expect(await reading).toEqual({
    ok: false,
    failure: { reason: "FILE_CHANGED", description: "was changed while it was read" },
  });
});

function makePipe(name: string): void {
  execFileSync("mkfifo", [name]);
}
