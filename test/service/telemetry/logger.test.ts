import { describe, expect, test } from "vitest";
import { createLog, type LogLevel } from "../../../src/service/telemetry/logger.js";
import { memoryDestination } from "./memory-destination.js";

function logAt(level: LogLevel, worker?: number) {
  const destination = memoryDestination();
  return { destination, log: createLog({ level, destination, worker }) };
}

describe("a line", () => {
  test("is one JSON object with level, time, process and message", () => {
    const { destination, log } = logAt("info");
    log.logger.info({ url: "http://127.0.0.1:8080" }, "ready\nfor requests");
    expect(destination.lines).toHaveLength(1);
    expect(destination.lines[0]).toMatch(/^[^\n]+\n$/);
    const [entry] = destination.entries();
    expect(entry).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      pid: process.pid,
      url: "http://127.0.0.1:8080",
      msg: "ready\nfor requests",
    });
    expect(Math.abs(Date.parse(String(entry?.time)) - Date.now())).toBeLessThan(60_000);
  });

  test("has nothing that a terminal would obey, whatever callers send", () => {
    const every = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)).join("");
    const { destination, log } = logAt("info");
    log.logger.info({ userAgent: every }, "request");
    log.requests.info({ userAgent: every }, "request");
    expect(destination.entries().map(({ userAgent }) => userAgent)).toEqual([every, every]);
    for (const line of destination.lines) {
      expect(line).toMatch(/^[ -\u007f\u00a0-\u00ff]+\n$/);
    }
  });

  test("names the worker where there are several", () => {
    const { destination, log } = logAt("info", 3);
    log.logger.info("ready");
    expect(destination.entries()[0]).toMatchObject({ pid: process.pid, worker: 3 });
  });

  test.each<[LogLevel, string[]]>([
    ["trace", ["trace", "debug", "info", "warn", "error"]],
    ["debug", ["debug", "info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["error", ["error"]],
    ["silent", []],
  ])("is written at %s and above", (level, written) => {
    const { destination, log } = logAt(level);
    for (const each of ["trace", "debug", "info", "warn", "error"] as const) {
      log.logger[each]("said");
    }
    expect(destination.entries().map((entry) => entry.level)).toEqual(written);
  });

  test("is flushed at once, but for those that come with every request", () => {
    const { destination, log } = logAt("info");
    log.requests.info("request");
    expect(destination.flushed()).toBe(0);
    log.logger.info("ready");
    expect(destination.flushed()).toBe(2);
  });
});

describe("a bug", () => {
  test("is an error with type, message, stack and method", () => {
    const { destination, log } = logAt("info");
    const bug = new TypeError("no such thing");
    log.reportBug(bug, "utilitytools.v1.OtpService.GenerateOtp");
    expect(destination.entries()).toEqual([
      {
        level: "error",
        time: expect.any(String),
        pid: process.pid,
        method: "utilitytools.v1.OtpService.GenerateOtp",
        bug: { type: "TypeError", message: "no such thing", stack: bug.stack },
        msg: "bug",
      },
    ]);
    expect(destination.flushed()).toBe(1);
  });

  test("has no method where none is known", () => {
    const { destination, log } = logAt("info");
    log.reportBug(new Error("lost"));
    expect(destination.entries()[0]).not.toHaveProperty("method");
  });
});
