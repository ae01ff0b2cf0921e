import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { openLogDestination } from "../../../src/service/telemetry/log-destination.js";

const folder = mkdtempSync(join(tmpdir(), "log-destination-"));
afterAll(() => rmSync(folder, { recursive: true }));

const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `{"line":${index}}\n`);

describe("a destination", () => {
  test("keeps lines until it is flushed", () => {
    const file = join(folder, "kept.log");
    const destination = openLogDestination(openSync(file, "w"));
    destination.write("one\n");
    destination.write("two\n");
    expect(readFileSync(file, "utf8")).toBe("");
    destination.flush();
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
    destination.write("three\n");
    destination.close();
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\nthree\n");
  });

  test("writes whole lines, no more than a pipe takes at once", () => {
    const written: Uint8Array[] = [];
    const destination = openLogDestination(-1, (_, octets) => written.push(octets) && octets.length);
    const all = lines(1000);
    for (const line of all) {
      destination.write(line);
    }
    destination.close();
    expect(Buffer.concat(written).toString()).toBe(all.join(""));
    expect(written.length).toBeLessThan(10);
    for (const octets of written) {
      expect(Buffer.from(octets).toString()).toMatch(/\n$/);
      expect(octets.length).toBeLessThanOrEqual(4096);
    }
  });

  test("writes the rest of what was taken in part", () => {
    let taken = "";
    const destination = openLogDestination(-1, (_, octets) => {
      const part = Buffer.from(octets).subarray(0, 1000);
      taken += part.toString();
      return part.length;
    });
    const all = lines(1000);
    for (const line of all) {
      destination.write(line);
    }
    destination.close();
    expect(taken).toBe(all.join(""));
  });

  test("writes a line that is longer than a pipe takes at once", () => {
    let taken = "";
    const destination = openLogDestination(-1, (_, octets) => {
      taken += Buffer.from(octets).toString();
      return octets.length;
    });
    const all = ["short\n", `${"é".repeat(5000)}\n`, "short\n"];
    for (const line of all) {
      destination.write(line);
    }
    destination.close();
    expect(taken).toBe(all.join(""));
  });

  test("does not wait where a pipe is full, and loses nothing", () => {
    let isFull = true;
    let taken = "";
    const destination = openLogDestination(-1, (_, octets) => {
      if (isFull) {
        throw Object.assign(new Error("resource temporarily unavailable"), { code: "EAGAIN" });
      }
      taken += Buffer.from(octets).toString();
      return octets.length;
    });
    const all = lines(1000);
    for (const line of all) {
      destination.write(line);
    }
    destination.flush();
    expect(taken).toBe("");
    isFull = false;
    destination.write("last\n");
    destination.close();
    expect(taken).toBe(`${all.join("")}last\n`);
  });

  test("keeps a mebibyte of what cannot be written, and drops the rest", () => {
    let isBroken = true;
    let taken = 0;
    const destination = openLogDestination(-1, (_, octets) => {
      if (isBroken) {
        throw new Error("broken");
      }
      taken += octets.length;
      return octets.length;
    });
    const line = `${"x".repeat(1023)}\n`;
    for (let count = 0; count < 2000; count++) {
      destination.write(line);
    }
    isBroken = false;
    destination.close();
    expect(taken).toBe(1024 * 1024);
  });

  test.skipIf(!existsSync("/dev/full"))("goes on when the disk is full", () => {
    const destination = openLogDestination(openSync("/dev/full", "w"));
    for (const line of lines(10_000)) {
      destination.write(line);
      destination.flush();
    }
    expect(() => destination.close()).not.toThrow();
  });

  test("asks for nothing at the process's exit once it is closed", () => {
    const before = process.listenerCount("exit");
    const destination = openLogDestination(openSync(join(folder, "closed.log"), "w"));
    expect(process.listenerCount("exit")).toBe(before + 1);
    destination.close();
    expect(process.listenerCount("exit")).toBe(before);
  });
});

/** Runs a program that has `destination` on its standard output. */
function run(program: string) {
  const module = pathToFileURL(
    join(import.meta.dirname, "../../../dist/src/service/telemetry/log-destination.js"),
  );
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
    ["when it is told to exit", "process.exit(0)", 0],
    ["when it has nothing left to do", "", 0],
    ["when an exception ends it", "setImmediate(() => { throw new Error('bug'); })", 1],
  ])("%s", async (_, end, code) => {
    const child = run(
      `for (let line = 0; line < 1000; line++) destination.write(\`{"line":\${line}}\\n\`); ${end}`,
    );
    const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect(output).toBe(lines(1000).join(""));
    expect(exitCode).toBe(code);
  });
});

test("a line is written after a while without anything else happening", async () => {
  const child = run(`destination.write("alone\\n"); setInterval(() => {}, 60_000);`);
  const [chunk] = await once(child.stdout, "data");
  child.kill("SIGKILL");
  expect(String(chunk)).toBe("alone\n");
});

test("a process goes on when nobody reads any more", async () => {
  const child = run(`
    process.stdin.destroy();
    destination.write("ready\\n");
    destination.flush();
    setTimeout(() => {
      for (let line = 0; line < 100_000; line++) destination.write("nobody reads this\\n");
      destination.flush();
      setTimeout(() => process.exit(42), 10);
    }, 100);
  `);
  await once(child.stdout, "data");
  child.stdout.destroy();
  const [code] = await once(child, "exit");
  expect(code).toBe(42);
});

test("a process goes on when its reader stands still", async () => {
  const child = run(`
    for (let line = 0; line < 100_000; line++) destination.write("nobody reads this yet\\n");
    process.exit(42);
  `);
  const [code] = await once(child, "exit");
  expect(code).toBe(42);
  child.stdout.destroy();
});
