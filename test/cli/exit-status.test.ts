import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { endPrograms, runProgram } from "connect-transcoding-testing/run-program.js";
import { afterEach, describe, expect, test } from "vitest";
import { useServer } from "../contract/support/serve.js";
import { MAIN } from "../support/programs.js";
import { useFolder } from "./folder.js";
import { runHere } from "./run-tools.js";

const server = useServer();
const { path: folder, file } = useFolder();
afterEach(endPrograms);

describe("the exit status", () => {
  test("does not depend on settings of the service alone", async () => {
    const env = { PORT: "x", LOG_LEVEL: "x" };
    expect(await runHere(["email", "a@b.example"], { env })).toEqual({
      status: 0,
      out: expect.any(String),
      err: "",
    });
  });

  test.each<[string, number, RegExp, Record<string, string>?]>([
    ["geopi 8.8.8.8", 2, /^utility-tools: unknown command: geopi \(Did you mean geoip\?\)\n/],
    ["hunter2", 2, /^utility-tools: unknown command\n/],
    ["search germany", 2, /^utility-tools: unknown command: search \(Did you mean countries search\?\)\n/],
    ["verify", 2, /^utility-tools: unknown command: verify \(Did you mean hotp verify or otp verify\?\)\n/],
    ["qr hello", 2, /^utility-tools: unknown command: qr \(Did you mean barcode\?\)\n/],
    ["otp verfiy", 2, /^utility-tools otp: unknown command \(Did you mean verify\?\)\n/],
    ["otp", 2, /^Examples:\n.*\n\nUsage: utility-tools otp [\s\S]*otp generate/],
    ["geoip --jsno 8.8.8.8", 2, /^utility-tools geoip: unknown option '--jsno' \(Did you mean --json\?\)\n/],
    ["geoip --json=hunter2", 2, /^utility-tools geoip: --json takes no value\n/],
    ["about hunter2", 2, /^utility-tools about: too many arguments/],
    ["geoip --output", 2, /option '-o, --output <FILE>' argument missing/],
    ["geoip - -", 2, /standard input can be read once/],
    ["barcode a b", 2, /Expected 1 argument but got 2/],
    [
      "barcode a -o x.gif",
      2,
      /--output has a suffix that is not a format; allowed: \.svg, \.png, \.text, \.txt, or any/,
    ],
    ["barcode a -o x.PNG --format svg", 2, /--format contradicts the suffix of --output/],
    [`barcode -f ${file("long", "a".repeat(65_537))}`, 1, /: the input has more than 65536 bytes\n$/],
    ["barcode a -f x", 2, /--file must not be given together with DATA/],
    [
      "geoip -f /nowhere/x",
      74,
      /^utility-tools geoip: \/nowhere\/x cannot be read \(no such file or folder\)\n$/,
    ],
    ["geoip --csv --json", 2, /--csv and --json must not be given together/],
    ["geoip --column ip", 2, /--column needs --csv as well/],
    ["geoip --csv 8.8.8.8 -", 2, /with --csv, standard input must not be read together/],
    [
      "geoip 8.8.8.8 --fields citty",
      2,
      /--fields: there is no field 'citty'; available: ip, country, eu, asn, /,
    ],
    ["countries search x --fields name", 2, /'name' can be country\.name or state\.name/],
    ["geoip 8.8.8.8 --fields ,", 2, /--fields must name at least one field/],
    ["otp verify x --digits=6 --digits=8", 2, /--digits /],
    ["geoip 8.8.8.8 --url hunter2", 2, /--url must be an http or https URL/],
    ["geoip 8.8.8.8", 78, /UTILITY_TOOLS_URL must be/, { UTILITY_TOOLS_URL: "http://u:hunter2@h" }],
    ["geoip -f a -f b", 2, /must not be given more than once/, {}],
    ["geoip --fields a --fields b", 2, /--fields <NAMES>': The flag must not be given more than once/],
    ["geoip --api-key a --api-key hunter2", 2, /--api-key <KEY>': The flag must not be given more than once/],
    ["make-key a --expires 2027-01-01 --expires b", 2, /--expires <DATE>': The flag must not be given more/],
    ["geoip 8.8.8.8 --api-key hunter2", 2, /--api-key needs --url as well/],
    ["geoip 8.8.8.8 --timeout 0s --url=http://h", 2, /--timeout must be a duration/],
    ["country EUR", 1, /^utility-tools country: EUR: several countries match; give the code of one: /],
    ["otp verify JBSWY3DPEHPK3PXP --code 0 --digits=8", 1, /--code must have 8 digits/],
    ["otp verify x y --code 123456", 2, /--code checks one secret/],
    ["geoip self", 2, /needs --url, .*: 'utility-tools geoip self --url https:/],
    [
      "geoip 8.8.8.8 --url http://127.0.0.1:1",
      69,
      /^utility-tools geoip: http:\/\/127\.0\.0\.1:1\/ cannot be reached \(no server listens at this host and port\)$/m,
    ],
    ["geoip 8.8.8.8", 69, /GEOIP_CITY_FILES: \/nowhere does not exist/, { GEOIP_CITY_FILES: "/nowhere" }],
    ["geoip 8.8.8.8 --output /nowhere/x", 74, /\/nowhere\/x cannot be written \(no such file or folder\)/],
    ["email a@b.example", 78, /PUBLIC_BASE_URL must be/, { PUBLIC_BASE_URL: "x" }],
  ])("%s: %i", async (line, status, err, env = {}) => {
    const result = await runHere(line.split(" "), { env });
    expect(result).toEqual({ status, out: "", err: expect.stringMatching(err) });
    expect(result.err).not.toContain("hunter2");
  });

  test.each(["about", "email a@b.example"])("%s needs no data of another tool", async (line) => {
    const { status, err } = await runHere(line.split(" "), { env: { GEOIP_CITY_FILES: "/nowhere" } });
    expect([status, err]).toEqual([0, ""]);
  });

  test("of an interruption is the signal", async () => {
    const program = runProgram([MAIN, "email", "--json"]);
    program.process.stdin?.write("a@b.example\n");
    await program.says(/\n/);
    program.process.kill("SIGINT");
    // Shells report this as 130.
    expect(await program.exit).toBe("SIGINT");
  });

  test.each<string[]>(
    [
      ["geoip", `< "${folder}"`, "standard input cannot be read (it is a folder)"],
      ["barcode", `< "${folder}"`, "standard input cannot be read (it is a folder)"],
      ["countries", "> /dev/full", "standard output cannot be written (no space left)"],
      ["completion bash", "> /dev/full", "standard output cannot be written (no space left)"],
    ].filter(([, stream]) => stream !== "> /dev/full" || existsSync("/dev/full")),
  )("of %s with a stream that is broken is 74: %s", (...[command, stream, problem]) => {
    const line = `exec "${process.execPath}" "${MAIN}" ${command} ${stream}`;
    const { status, stderr } = spawnSync("sh", ["-c", line], { encoding: "utf8" });
    expect([status, stderr]).toEqual([74, `utility-tools ${command?.split(" ")[0]}: ${problem}\n`]);
  });

  test("of a server without the service is 76", async () => {
    const result = await runHere(["geoip", "8.8.8.8", "--url", `${server.url}/nowhere`]);
    expect(result).toEqual({ status: 76, out: "", err: expect.stringMatching(/^utility-tools geoip: /) });
  });

  test("errors do not repeat secrets", async () => {
    const input = "hunter2hunter2\nhunter3\n";
    for (const more of [[], ["--json"]]) {
      const { status, out, err } = await runHere(["otp", "verify", ...more], { input });
      expect([status, out + err]).toEqual([1, expect.stringMatching(/^(?![\s\S]*hunter)[\s\S]*base32/)]);
    }
  });
});
