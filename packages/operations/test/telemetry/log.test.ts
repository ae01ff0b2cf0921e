import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { builtProgram } from "connect-transcoding-testing/programs.js";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { createLog, type LogLevel, openStandardOutput } from "../../src/telemetry/log.js";
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

  test("contains no control characters of terminals, whatever clients send", () => {
    const every = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)).join("");
    const { destination, log } = logAt("info");
    log.logger.info({ userAgent: every }, "request");
    expect(destination.entries().map(({ userAgent }) => userAgent)).toEqual([every]);
    for (const line of destination.lines) {
      expect(line).toMatch(/^[ -\u007f\u00a0-\u00ff]+\n$/);
    }
  });

  test("names the worker if there are several", () => {
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
  });

  test("has no method if none is known", () => {
    const { destination, log } = logAt("info");
    log.reportBug(new Error("lost"));
    expect(destination.entries()[0]).not.toHaveProperty("method");
  });
});

describe("standard output", () => {
  const folder = mkdtempSync(join(tmpdir(), "log-"));
  /** A descriptor that no file has. */
  const FD = 9999;
  const before = process.listeners("exit");
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(() => {
    vi.restoreAllMocks();
    for (const listener of process.listeners("exit").filter((each) => !before.includes(each))) {
      process.off("exit", listener);
    }
  });

  const lines = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `{"line":${index}}\n`);

  /** A destination whose writes a test implements. */
  function openWith(write: (bytes: Buffer) => number) {
    const { writeSync } = fs;
    vi.spyOn(fs, "writeSync").mockImplementation(((fd: number, data: string | Buffer, ...rest: []) =>
      fd === FD
        ? write(Buffer.from(data as string))
        : writeSync(fd, data as string, ...rest)) as typeof writeSync);
    return openStandardOutput(FD);
  }

  const full = () => Object.assign(new Error("resource temporarily unavailable"), { code: "EAGAIN" });

  test("writes each line at once", () => {
    const file = join(folder, "file.log");
    const destination = openStandardOutput(openSync(file, "w"));
    for (const written of ["one\n", "one\ntwo\n"]) {
      destination.write(written.slice(-4));
      expect(readFileSync(file, "utf8")).toBe(written);
    }
  });

  test("writes the rest of what was taken in part", () => {
    let taken = "";
    const destination = openWith((bytes) => {
      taken += bytes.subarray(0, 5);
      return Math.min(5, bytes.length);
    });
    for (const line of lines(1000)) {
      destination.write(line);
    }
    expect(taken).toBe(lines(1000).join(""));
  });

  test("writes a line that is longer than a pipe takes at once", () => {
    let taken = "";
    const destination = openWith((bytes) => {
      taken += bytes;
      return bytes.length;
    });
    const all = ["short\n", `${"é".repeat(5000)}\n`, "short\n"];
    for (const line of all) {
      destination.write(line);
    }
    expect(taken).toBe(all.join(""));
  });

  test("does not wait for a full pipe, and writes all lines later, in whole lines that a pipe takes at once", () => {
    let isFull = true;
    const written: Buffer[] = [];
    const destination = openWith((bytes) => {
      if (isFull) {
        throw full();
      }
      written.push(bytes);
      return bytes.length;
    });
    for (const line of lines(1000)) {
      destination.write(line);
    }
    expect(written).toEqual([]);
    isFull = false;
    destination.write("last\n");
    expect(Buffer.concat(written).toString()).toBe(`${lines(1000).join("")}last\n`);
    expect(written.length).toBeLessThan(10);
    for (const bytes of written) {
      expect(bytes.toString()).toMatch(/\n$/);
      expect(bytes.length).toBeLessThanOrEqual(4096);
    }
  });

  test("keeps a mebibyte of lines that cannot be written, and drops the rest", () => {
    let isBroken = true;
    let taken = 0;
    const destination = openWith((bytes) => {
      if (isBroken) {
        throw new Error("broken");
      }
      taken += bytes.length;
      return bytes.length;
    });
    const line = `${"x".repeat(1023)}\n`;
    for (let count = 0; count < 2000; count++) {
      destination.write(line);
    }
    isBroken = false;
    destination.write("");
    expect(taken).toBe(1024 * 1024);
  });

  test.skipIf(!existsSync("/dev/full"))("continues when the disk is full", () => {
    const destination = openStandardOutput(openSync("/dev/full", "w"));
    for (const line of lines(10_000)) {
      destination.write(line);
    }
  });
});

/** Runs a program that has `destination` on its standard output. */
function run(program: string) {
  const module = pathToFileURL(builtProgram("log"));
  const source = `
    import { openStandardOutput } from ${JSON.stringify(module.href)};
    const destination = openStandardOutput();
    ${program}
  `;
  return spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "pipe", "ignore"],
  });
}

describe("a process's last lines are written", () => {
  test.each([
    ["when it exits", "process.exit(0)", 0],
    ["when it has nothing left to do", "", 0],
    ["when an exception ends it", "setImmediate(() => { throw new Error('bug'); })", 1],
  ])("%s", async (_, end, code) => {
    // More than a pipe holds.
    const child = run(
      `for (let line = 0; line < 20_000; line++) destination.write(\`{"line":\${line}}\\n\`); ${end}`,
    );
    const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect(output).toBe(Array.from({ length: 20_000 }, (_, line) => `{"line":${line}}\n`).join(""));
    expect(exitCode).toBe(code);
  });
});

test("a process continues when its reader is gone", async () => {
  const child = run(`
    process.stdin.destroy();
    destination.write("ready\\n");
    setTimeout(() => {
      for (let line = 0; line < 100_000; line++) destination.write("nobody reads this\\n");
      setTimeout(() => process.exit(42), 10);
    }, 100);
  `);
  await once(child.stdout, "data");
  child.stdout.destroy();
  const [code] = await once(child, "exit");
  expect(code).toBe(42);
});

test("a process continues when its reader does not read", async () => {
  const child = run(`
    for (let line = 0; line < 100_000; line++) destination.write("nobody reads this yet\\n");
    process.exit(42);
  `);
  const [code] = await once(child, "exit");
  expect(code).toBe(42);
  child.stdout.destroy();
});
