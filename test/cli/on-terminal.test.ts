import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useFolder } from "./folder.js";
import { runOnScreen } from "./run-tools.js";
import { hasTerminal, type } from "./terminal.js";

const { path: folder, file } = useFolder();

const PLAIN = { NO_COLOR: "1" };
const ESCAPE = "\u001b\\[";

describe.skipIf(!hasTerminal).concurrent("on a terminal", () => {
  test("a response is aligned", async () => {
    const { screen, status } = await type("utility-tools geoip 8.8.8.8", PLAIN);
    expect(status).toBe(0);
    expect(screen.split("\n")).toEqual([
      "Place             Mountain View, California, United States",
      "IP address        8.8.8.8",
      "Country code      US",
      "Network operator  Google LLC (AS15169)",
      "Address range     8.8.8.0/24",
      "Coordinates       37.422, -122.085",
      "Time zone         America/Los_Angeles",
      "",
    ]);
  });

  test("a summary of an autonomous system names its first countries and largest networks", async () => {
    const { screen } = await runOnScreen("geoip", "asn", "AS15169");
    expect(screen.split("\n")).toEqual([
      "Network operator  Google LLC (AS15169)",
      "IPv4              185 networks, 1,758,208 addresses",
      "IPv6              83 networks",
      "Countries         US, BE, SG, NL, DE, GB, CH, ID and 41 more",
      "Largest networks  34.114.0.0/15, 34.188.0.0/15, 142.250.0.0/15, 2404:6800::/32,",
      "                  2600:1903::/32, 2605:ef80::/32",
      "",
    ]);
  });

  test.each([
    [
      {},
      [
        /^utility-tools \d+\.\d+\.\d+ is ready on (http:\S+)$/,
        /^ {2}Page {7}http:\S+\/$/,
        /^ {2}API {8}http:\S+\/v1\/geoIp\?ip_address=8\.8\.8\.8$/,
        /^ {2}Documents {2}http:\S+\/docs$/,
        /^ {2}Data {7}.+ of [A-Z][a-z]+ 20\d\d, \d+ days old$/,
        /^ {2}Data {7}.+ of [A-Z][a-z]+ 20\d\d, \d+ days old$/,
        /^ {2}Stop {7}Ctrl\+C$/,
        /^utility-tools --help shows the other commands and the settings$/,
      ],
    ],
    [
      { WEB_PAGE: "off" },
      [/ is ready on http:\S+$/, /^ {2}API {8}http/, /^ {2}Data/, /^ {2}Data/, /^ {2}Stop/],
    ],
    [{ LOG_FORMAT: "json" }, [/"msg":"starting"/, /"msg":"data loaded"/, /"msg":"data loaded"/]],
  ])("the service with %j says that it is ready, and stops with Ctrl+C", async (env, expected) => {
    const isReady = /--help shows|"msg":"utility-tools is ready/;
    const settings = { PORT: "0", DATA_DIR: folder, ...env };
    const { screen, status } = await type("exec utility-tools", settings, (shown) =>
      isReady.test(shown) ? "\u0003" : undefined,
    );
    const lines = screen.split("\n").filter((line) => !line.includes("is more than"));
    expect(lines.slice(0, expected.length)).toEqual(expected.map((line) => expect.stringMatching(line)));
    expect(screen).toContain("SIGINT: stopping");
    expect(status).toBe(0);
  });

  test("there are colors unless they are disabled", async () => {
    const start = "\u001b[";
    const command = "utility-tools email explain a@b.example";
    const [colored, failed, ...plain] = await Promise.all([
      type(command),
      type("utility-tools email nothing"),
      type(command, PLAIN),
      type(command, { TERM: "dumb" }),
      type(`${command} --json`),
    ]);
    expect(colored.screen).toBe(`${start}2mE-mail address${start}22m  ${start}1ma@b.example${start}22m\n`);
    expect(failed.screen).toContain(`${start}31mutility-tools email:${start}39m `);
    for (const { screen } of plain) {
      expect(screen).not.toContain(start);
    }
  });

  test("a command without its argument does not wait for input", async () => {
    const { screen, status } = await type("utility-tools geoip < /dev/tty", PLAIN);
    const needs = "needs IP_ADDRESS, as in 'utility-tools geoip 8.8.8.8', or --file FILE, or standard input";
    expect([status, screen]).toEqual([2, expect.stringContaining(`utility-tools geoip: ${needs}\n`)]);
  });

  test("a secret is asked for, and not shown", async () => {
    const { screen, status } = await type("utility-tools otp code --digits 8", {}, (shown) =>
      shown === "secret: " ? "JBSWY3DPEHPK3PXX\u007fP\r" : undefined,
    );
    expect(status).toBe(0);
    expect(screen).toMatch(
      new RegExp(`^secret: \\n${ESCAPE}1m\\d{4} \\d{4}${ESCAPE}22m${ESCAPE}2m \\(\\d+ s\\)${ESCAPE}22m\\n$`),
    );
  });

  test("long work shows a progress, unless it is disabled", async () => {
    // Their output is a hundred times what a pipe holds, so that the work waits for its reader.
    const LINES = 20_000;
    const addresses = Array.from({ length: LINES }, (_, index) => `9.0.${index >> 8}.${index & 255}\n`);
    const input = file("input", addresses.join(""));
    /** Runs the command with a reader that pauses after the first byte, so that the work takes longer than the time before a progress. */
    const runSlowly = async (name: string, flags: string) => {
      const [output, pipe] = [join(folder, name), join(folder, `${name}-pipe`)];
      const result = await type(
        `mkfifo ${pipe}; { head -c 1 > ${output}; sleep 1; cat >> ${output}; } < ${pipe} & ` +
          `utility-tools geoip --json ${flags} < ${input} > ${pipe}; status=$?; wait; exit $status`,
        PLAIN,
      );
      return { ...result, output };
    };
    const [shown, disabled] = await Promise.all([runSlowly("shown", ""), runSlowly("off", "--no-progress")]);
    expect(shown.status).toBe(0);
    const pictures = shown.screen.split("\r\u001b[2K");
    expect(pictures.at(0)).toBe("");
    expect(pictures.at(1)).toMatch(/^█*░* +\d+ % {2}[\d,]+ done, [\d,]+\/s, \d+ s left$/);
    expect(pictures.at(-1)).toBe("");
    expect(readFileSync(shown.output, "utf8").match(/\n/g)).toHaveLength(LINES);
    expect(disabled.screen).toBe("");
  });
});

// Without a process for each, which would take most of their time.
describe("on a screen of 80 columns", () => {
  test("a country has few lines, and its subdivisions on request", async () => {
    const brief = (await runOnScreen("country", "FR")).screen.trimEnd().split("\n");
    expect(brief).toHaveLength(14);
    expect(brief.at(0)).toMatch(/^Name +France \(FR\) /);
    expect(brief.at(-1)).toBe("124 subdivisions: --states");
    const long = (await runOnScreen("country", "FR", "--states")).screen;
    expect(long.startsWith(brief.slice(0, -1).join("\n"))).toBe(true);
    expect(long.match(/^ {2}FR-/gm)).toHaveLength(124);
    expect((await runOnScreen("country", "FR", "--all")).screen).toMatch(/\nPostal code format +#####\n/);
  });

  test("--fields takes the names that are shown", async () => {
    const fields = "network operator,Place,asn,address-range";
    const { screen } = await runOnScreen("geoip", "8.8.8.8", "--fields", fields);
    expect(screen.split("\n")).toEqual([
      "Network operator  Google LLC",
      "AS number         15169",
      "City              Mountain View",
      "Region            California",
      "Country name      United States",
      "Address range     8.8.8.0/24",
      "",
    ]);
  });

  test("no output has the name of an enum value", async () => {
    const search = "countries search japon";
    for (const command of [search, `${search} --all`, "email explain A@b.example"]) {
      expect((await runOnScreen(...command.split(" "))).screen).not.toMatch(/[A-Z]_[A-Z]/);
    }
  });

  test("a summary counts a list", async () => {
    const inputs = ["8.8.8.8", "1.1.1.1", "8.8.4.4", "10.0.0.1"];
    const { screen, status } = await runOnScreen("geoip", ...inputs, "--summary");
    expect(status).toBe(1);
    expect((await runOnScreen("geoip", "8.8.8.8", "--summary")).screen).toMatch(/^1 input, 0 failed\n/);
    expect(screen.split("\n").slice(0, 5)).toEqual([
      "4 inputs, 1 failed",
      "",
      "Count  Share                         Country",
      "    2  66.7 %  ████████████████████  United States (US)",
      "    1  33.3 %  ██████████            Australia (AU)",
    ]);
  });

  test("a list is a table that fits in the width", async () => {
    const lines = (await runOnScreen("countries")).screen.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^Country code {2}Name +Capital +Subregion$/);
    expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
    expect(lines.filter((line) => /^[A-Z]{2} /.test(line))).toHaveLength(250);
    const all = (await runOnScreen("countries", "--all")).screen.trimEnd().split("\n");
    expect(all.at(-1)).toMatch(
      /^Columns that do not fit: .*API link \(see --fields, --json, or a wider terminal\)$/,
    );
    expect(lines.filter((line) => line.includes("…"))).toEqual([]);
  });

  test("many responses are one table, and errors are lines after their rows", async () => {
    const { screen, status } = await runOnScreen("geoip", "8.8.8.8", "10.0.0.1", "1.1.1.1");
    expect(status).toBe(1);
    expect(screen).toMatch(
      /^Input .*\n8\.8\.8\.8 .*\n10\.0\.0\.1\n1\.1\.1\.1 .*\nutility-tools geoip: 10\.0\.0\.1 is a special.*\n$/,
    );
  });

  test("of many errors, the first five are shown, and equal ones are counted", async () => {
    const { screen, status } = await runOnScreen("email", "a@b.example", ..."1234567");
    expect(status).toBe(1);
    const problem = "an e-mail address has an @ between its name and its domain";
    const lines = screen.split("\n").filter((line) => line.startsWith("utility-tools"));
    expect(lines).toEqual([
      ..."12345".split("").map((text) => `utility-tools email: ${text}: ${problem}`),
      `utility-tools email: 7 lines: ${problem} (1, 2, 3, …)`,
    ]);
    expect((await runOnScreen("email", ..."12345")).screen).not.toContain("lines");
  });

  test("many lists are one table with their input", async () => {
    const { screen, status } = await runOnScreen("countries", "search", "nothing", "guinea", "bayern");
    const lines = screen.split("\n").map((line) => line.split(/ {2,}/).slice(0, 3).join(","));
    // The kind, "Subdivision name", takes two lines.
    expect([status, ...lines.slice(0, 2), ...lines.slice(5)]).toEqual([
      ...[0, "Input,Country name,Country code", "guinea,Guinea,GN"],
      ...["guinea,Indonesia,ID", "bayern,Germany,DE", ",name", ""],
    ]);
  });

  test("many responses with details are lists", async () => {
    const { screen } = await runOnScreen("geoip", "8.8.8.8", "1.1.1.1", "--all");
    expect(screen).toMatch(/\nRegion {12}California\nRegion code[\s\S]*\n\n[\s\S]*\nRegion code {7}AU-NSW\n/);
  });

  test("an address has one line per change, and references with --all", async () => {
    const explain = ["email", "explain", "Jane.Doe+news@googlemail.com"];
    expect((await runOnScreen(...explain)).screen.split("\n")).toEqual([
      "E-mail address  janedoe@gmail.com",
      "Kind            free provider",
      "Jane.Doe+news@googlemail.com → jane.doe+news@googlemail.com  name in lower case",
      "jane.doe+news@googlemail.com → jane.doe@googlemail.com  tag removed",
      "jane.doe@googlemail.com → janedoe@googlemail.com  dots removed, Gmail",
      "janedoe@googlemail.com → janedoe@gmail.com  domain alias replaced, Gmail",
      "",
    ]);
    expect((await runOnScreen(...explain, "--all")).screen).toContain("https://");
    expect((await runOnScreen("email", "explain", "A@b.example", "B@b.example")).screen).toContain(
      "\nB@b.example → b@b.example  name in lower case\n",
    );
  });

  test("neighbors have names, and codes with --fields", async () => {
    const neighbors = "Spain, France";
    for (const inputs of [["AD"], ["Andorra"], ["AD", "FR"]]) {
      expect((await runOnScreen("country", ...inputs)).screen).toMatch(
        new RegExp(`\\nNeighbors {8}${neighbors}\\n`),
      );
    }
    expect((await runOnScreen("country", "AD", "--fields", "neighbors")).screen).toBe("Borders  ES, FR\n");
  });

  test("a new secret has its QR code, and codes show how long they are valid", async () => {
    expect((await runOnScreen("otp", "generate")).screen).toMatch(
      /^█{30,}\n██ ▄▄▄▄▄ [\s\S]*\n\nSecret +[A-Z2-7]{32}\nOTP URL +otpauth:[^\n]*\nCodes +6 digits, every 30 s, SHA1\n$/,
    );
    expect((await runOnScreen("otp", "generate", "--fields", "codes")).screen).toBe(
      "Digits     6\nPeriod     30 s\nAlgorithm  SHA1\n",
    );
  });

  test("the codes of a secret are few lines, and those of several a table", async () => {
    const [one, two] = ["JBSWY3DPEHPK3PXP", "GEZDGNBVGY3TQOJQ"];
    expect((await runOnScreen("otp", "verify", one)).screen).toMatch(
      /^Current code {3}\d{3} \d{3} \(([1-9]|[12]\d|30) s\)\nNext code {6}\d{6}\nEarlier codes {2}\d{6}, \d{6}\nCodes {10}6 digits, every 30 s, SHA1\n$/,
    );
    expect((await runOnScreen("otp", "code", one, two)).screen).toMatch(
      /^(\d{3} \d{3} \(([1-9]|[12]\d|30) s\)\n){2}$/,
    );
    expect((await runOnScreen("otp", "verify", one, two)).screen).toMatch(
      /^Secret {12}Current {2}\+30s {4}-30s {4}-60s\nJBSWY3DPEHPK3PXP( +\d{6}){4}\nGEZDGNBVGY3TQOJQ( +\d{6}){4}\n$/,
    );
  });

  test("a QR code is drawn, an SVG is text, and a PNG is rejected", async () => {
    expect((await runOnScreen("barcode", "hi")).screen).toMatch(/^█{25}\n██ ▄▄▄▄▄ /);
    expect((await runOnScreen("barcode", "hi", "--format", "svg")).screen).toMatch(/^<svg /);
    expect(await runOnScreen("barcode", "h".repeat(900))).toEqual({
      status: 2,
      screen:
        "utility-tools barcode: a terminal cannot show a QR code of this width: write it to a file with --output FILE or > FILE\n",
    });
    expect(await runOnScreen("barcode", "hi", "--format", "png")).toEqual({
      status: 2,
      screen:
        "utility-tools barcode: a terminal cannot show image/png: write it to a file with --output FILE or > FILE\n",
    });
  });
});
