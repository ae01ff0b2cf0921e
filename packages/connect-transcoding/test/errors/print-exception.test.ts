import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { expect, test, vi } from "vitest";
import { printException } from "../../src/errors/print-exception.js";

const cyclic = new Error("a");
cyclic.cause = cyclic;

test.each<[string, unknown, string]>([
  ["a text", "disk full", "disk full"],
  ["nothing", undefined, "undefined"],
  ["an object, which may be large", { password: "secret" }, "[object Object]"],
  ["an error", new Error("a"), ""],
])("prints %s in one text", (_what, thrown, expected) => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  printException(thrown, ShelfService.method.getBook);
  const text = thrown instanceof Error ? thrown.stack : expected;
  expect(log.mock.calls).toEqual([[`unexpected exception in test.Service/GetBook: ${text}`]]);
  log.mockRestore();
});

test("prints a few causes, and no method before it is known", () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  printException(cyclic);
  const [[text = ""] = []] = log.mock.calls;
  expect(String(text).match(/Error: a/g)).toHaveLength(6);
  expect(String(text).startsWith("unexpected exception: Error: a")).toBe(true);
  log.mockRestore();
});
