import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { MAIN } from "../programs.js";

const folder = mkdtempSync(join(tmpdir(), "on-terminal-"));
afterAll(() => rmSync(folder, { recursive: true }));

// The `script` of util-linux runs a program on a terminal (script(1)). Other programs of this name have other arguments.
const hasTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

/** Runs a shell command on a terminal of 80 columns. Returns what the terminal shows, and the exit status. */
function type(command: string, env: Record<string, string> = {}) {
  const line = `stty cols 80; ${command.replaceAll("utility-tools", `"${process.execPath}" "${MAIN}"`)}`;
  const { stdout, status } = spawnSync("script", ["-qec", line, "/dev/null"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, SHELL: "/bin/sh", TERM: "xterm", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { screen: stdout.replaceAll("\r\n", "\n"), status };
}

const PLAIN = { NO_COLOR: "1" };

describe.skipIf(!hasTerminal)("on a terminal", () => {
  test("a response is aligned", () => {
    const { screen, status } = type("utility-tools geoip 8.8.8.8", PLAIN);
    expect(status).toBe(0);
    expect(screen.split("\n").slice(0, 5)).toEqual([
      "ip        8.8.8.8",
      "metadata",
      "  location",
      "    country  US",
      "    eu       false",
    ]);
  });

  test("there are colors unless they are disabled", () => {
    const start = "\u001b[";
    expect(type("utility-tools geoip 8.8.8.8").screen).toContain(start);
    expect(type("utility-tools geoip 10.0.0.1").screen).toContain(
      `${start}31mutility-tools geoip:${start}39m `,
    );
    expect(type("utility-tools geoip 8.8.8.8", PLAIN).screen).not.toContain(start);
    expect(type("utility-tools geoip 8.8.8.8", { TERM: "dumb" }).screen).not.toContain(start);
    expect(type("utility-tools geoip 8.8.8.8 --json").screen).not.toContain(start);
  });

  test("a list is a table that fits in the width", () => {
    const lines = type("utility-tools countries", PLAIN).screen.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^code2 {2}code3 {2}name +capital/);
    expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
    expect(lines.filter((line) => /^[A-Z]{2} /.test(line))).toHaveLength(250);
    expect(lines.at(-1)).toBe("Columns that do not fit: api_url (see --fields, --json, or a wider terminal)");
    expect(lines.filter((line) => line.includes("…"))).toEqual([]);
  });

  test("many responses are one table, and errors are lines after their rows", () => {
    const { screen, status } = type("utility-tools geoip 8.8.8.8 10.0.0.1 1.1.1.1", PLAIN);
    expect(status).toBe(1);
    expect(screen).toMatch(
      /^input .*\n8\.8\.8\.8 .*\n10\.0\.0\.1\n1\.1\.1\.1 .*\nutility-tools geoip: 10\.0\.0\.1: .*\nColumns that do not fit: subnet .*\n$/,
    );
  });

  test("many lists are one table with their input", () => {
    const { screen, status } = type("utility-tools countries search nothing guinea bayern", PLAIN);
    expect(status).toBe(0);
    const lines = screen.trimEnd().split("\n");
    expect(lines.slice(0, -2).map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ["input", "value", "kind"],
      ["guinea", "Guinea", "KIND_NAME"],
      ["guinea", "Guinea-Bissau", "KIND_NAME"],
      ["guinea", "Guinea Ecuatorial", "KIND_LOCAL_NAME"],
      ["guinea", "Papua New Guinea", "KIND_NAME"],
      ["guinea", "Dutch New Guinea", "KIND_FORMER_NAME"],
      ["bayern", "Bayern", "KIND_SUBDIVISION"],
    ]);
    expect(lines.at(-2)).toMatch(/^ {10,}_NAME$/);
    expect(lines.at(-1)).toMatch(/^Columns that do not fit: capital, region, /);
  });

  test("many responses with details are lists", () => {
    const { screen, status } = type("utility-tools geoip 8.8.8.8 1.1.1.1 --view full", PLAIN);
    expect(status).toBe(0);
    expect(screen).toContain("    region           California\n    region_code      US-CA\n");
    expect(screen).toContain("    region           New South Wales\n    region_code      AU-NSW\n");
  });

  test("a new secret has its QR code, and codes show when they change", () => {
    expect(type("utility-tools otp generate", PLAIN).screen).toMatch(
      /^█{30,}\n██ ▄▄▄▄▄ [\s\S]*\n\nalgorithm +SHA1\n/,
    );
    expect(type("utility-tools otp verify JBSWY3DPEHPK3PXP", PLAIN).screen).toMatch(
      /\nchanges in ([1-9]|[12]\d|30) s\n$/,
    );
  });

  test("a QR code is drawn, an SVG is text, and a PNG is rejected", () => {
    expect(type("utility-tools barcode hi", PLAIN).screen).toMatch(/^█{25}\n██ ▄▄▄▄▄ /);
    expect(type("utility-tools barcode hi --format svg").screen).toMatch(/^<svg /);
    expect(type("utility-tools barcode hi --format png", PLAIN)).toEqual({
      status: 2,
      screen:
        "utility-tools barcode: a terminal cannot show image/png: write it to a file with --output FILE or > FILE\n",
    });
  });

  test("a command without its argument does not wait for input", () => {
    expect(type("utility-tools geoip < /dev/tty", PLAIN)).toEqual({
      status: 2,
      screen: expect.stringContaining(
        "utility-tools geoip: needs IP_ADDRESS, as in 'utility-tools geoip 8.8.8.8', or --file FILE, or standard input\n",
      ),
    });
  });

  test("a secret is asked for, and not shown", async () => {
    const program = spawn(
      "script",
      ["-qec", `"${process.execPath}" "${MAIN}" otp code --digits 8`, "/dev/null"],
      {
        env: { PATH: process.env.PATH, SHELL: "/bin/sh", TERM: "xterm" },
      },
    );
    let screen = "";
    program.stdout.on("data", (chunk) => {
      screen += chunk;
      if (screen === "secret: ") {
        program.stdin.write("JBSWY3DPEHPK3PXX\u007fP\r");
      }
    });
    const [status] = await once(program, "close");
    expect(status).toBe(0);
    expect(screen.replaceAll("\r\n", "\n")).toMatch(/^secret: \n\d{8}\n$/);
  });

  test("long work shows a progress, unless it is disabled", () => {
    const [input, output, pipe] = [join(folder, "input"), join(folder, "output"), join(folder, "pipe")];
    // Their output is a hundred times what a pipe holds, so that the work waits for its reader.
    const LINES = 20_000;
    const addresses = Array.from(
      { length: LINES },
      (_, index) => `9.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    );
    writeFileSync(input, `${addresses.join("\n")}\n`);
    /** Runs the command with a reader that pauses after the first byte, so that the work takes longer than the time before a progress. */
    const runSlowly = (flags: string) =>
      type(
        `mkfifo ${pipe}; { head -c 1 > ${output}; sleep 1; cat >> ${output}; } < ${pipe} & ` +
          `utility-tools geoip --json ${flags} < ${input} > ${pipe}; status=$?; wait; rm ${pipe}; exit $status`,
        PLAIN,
      );
    const { screen, status } = runSlowly("");
    expect(status).toBe(0);
    const pictures = screen.split("\r\u001b[2K");
    expect(pictures.at(0)).toBe("");
    expect(pictures.at(1)).toMatch(/^█*░* +\d+ % {2}[\d,]+ done, [\d,]+\/s, \d+ s left$/);
    expect(pictures.at(-1)).toBe("");
    expect(readFileSync(output, "utf8").match(/\n/g)).toHaveLength(LINES);
    expect(runSlowly("--no-progress").screen).toBe("");
  });
});
