import { SERVICES } from "@utility-tools/protos/services.js";
import { endPrograms, runProgram } from "connect-transcoding-testing/run-program.js";
import { afterEach, describe, expect, test } from "vitest";
import { deriveCommands } from "../../src/cli/commands.js";
import { useServer } from "../contract/support/serve.js";
import { MAIN } from "../support/programs.js";
import { useFolder } from "./folder.js";
import { runHere, runProcess } from "./run-tools.js";

const server = useServer();
const { file } = useFolder();
afterEach(endPrograms);

const jsonLines = (out: string) =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("many inputs", () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `9.${index >> 8}.${index & 255}.1`);

  test("are processed in their order, in batches, locally and remotely", async () => {
    const inputs = lines(5_500);
    const input = inputs.join("\n");
    const local = await runHere(["geoip", "--json"], { input });
    expect(jsonLines(local.out).map(({ input }) => input)).toEqual(inputs);
    expect(await runHere(["geoip", "--json", "--url", server.url], { input })).toEqual(local);
  });

  test("that cannot be read are reported in their place", async () => {
    const input = Buffer.from(`8.8.8.8\ncaf\xe9\n${"9".repeat(20_000)}\n1.1.1.1`, "latin1");
    const { status, out } = await runHere(["geoip", "--json"], { input });
    const error = { code: "INVALID_ARGUMENT", metadata: {} };
    expect([status, ...jsonLines(out)]).toEqual([
      1,
      { input: "8.8.8.8", answer: expect.any(Object) },
      { input: "caf\ufffd", error: { ...error, reason: "MALFORMED_UTF8", message: "is not UTF-8" } },
      {
        input: `${"9".repeat(64)}…`,
        error: { ...error, reason: "LINE_TOO_LONG", message: "has more than 16384 bytes" },
      },
      { input: "1.1.1.1", answer: expect.any(Object) },
    ]);
  });

  test("have a line each on standard output, and errors on standard error", async () => {
    const input = "A.B+c@gmail.com\n\nnothing\nx@y.example";
    const err = /^utility-tools email: nothing: .*@.*\nutility-tools email: 1 of 3 lines failed\n$/;
    const out = "ab@gmail.com\n\nx@y.example\n";
    expect(await runHere(["email"], { input })).toEqual({ status: 1, out, err: expect.stringMatching(err) });
    expect((await runHere(["geoip", "8.8.8.8", "10.0.0.1", "1.1.1.1"])).out).toBe(
      "8.8.8.8\tUS\tfalse\t15169\tGoogle LLC\t37.422\t-122.085\t8.8.8.0/24\n" +
        "10.0.0.1\t\t\t\t\t\t\t\n" +
        "1.1.1.1\tAU\tfalse\t13335\tCloudflare, Inc.\t-33.8688\t151.209\t1.1.1.0/24\n",
    );
  });

  test("have a line per element of a list", async () => {
    const args = ["countries", "search", "UK", "nothing at all", "日本", "--fields", "value,kind,code2"];
    const out =
      "UK\tUK\tAlternative name\tGB\nUK\tUkraine\tName\tUA\nUK\tUK Virgin Islands\tOther name\tVG\n" +
      "UK\tUkmergė\tSubdivision name\tLT\n日本\t日本\tLocal name\tJP\n";
    expect(await runHere(args)).toEqual({ status: 0, out, err: "" });
  });

  test.each([["zzzz"], ["zzzz yyyy"]])("fail like grep if every list is empty: %s", async (queries) => {
    const search = ["countries", "search", ...queries.split(" ")];
    const err = "utility-tools countries search: nothing found\n";
    expect(await runHere(search)).toEqual({ status: 1, out: "", err });
    const out = search.length === 3 ? "[]\n" : '{"input":"zzzz","answer":[]}\n{"input":"yyyy","answer":[]}\n';
    expect(await runHere([...search, "--json"])).toEqual({ status: 1, out, err: "" });
  });

  const LISTS = deriveCommands(Object.values(SERVICES)).filter((each) => each.operand && !each.returnsBytes);
  test.each(LISTS.map(({ name }) => name))("of %s may be empty", async (name) => {
    for (const input of ["", "\n \r\n"]) {
      const status = { status: 0, out: "", err: "" };
      expect(await runHere([...name.split(" "), "--json"], { input })).toEqual(status);
      expect(await runHere([...name.split(" "), "-f", file("empty", input)])).toEqual(status);
    }
  });

  test.each([
    ["barcode", "data"],
    ["otp verify --code 123456", "secret"],
    ["otp import", "link"],
  ])("cannot be empty if %s takes only one", async (line, subject) => {
    const { status, out, err } = await runHere(line.split(" "));
    expect([status, out, err]).toEqual([1, "", expect.stringContaining(subject)]);
  });

  test("are processed while input is still read", async () => {
    const program = runProgram([MAIN, "email", "--json"]);
    for (const address of ["a@b.example", "c@d.example"]) {
      program.process.stdin?.write(`${address}\n`);
      await program.says(new RegExp(`^{"input":"${address}".*\n`, "m"));
    }
    program.process.stdin?.end();
    expect(await program.exit).toBe(0);
  });

  test.each(["text", "csv", "json"])("have the same output in two threads, as %s", async (format) => {
    const address = (index: number) =>
      index % 9 === 0
        ? `no address ${index}`
        : `u.${index}@Example${index}.${`${"long-".repeat(10)}name.`.repeat(4)}com`;
    // More than two megabytes start the second thread at once.
    const input = `email\r\n${Array.from({ length: 10_000 }, (_, index) => address(index)).join("\r\n")}\r\n`;
    expect(input.length).toBeGreaterThan(2_000_000);
    const flags = format === "text" ? [] : [`--${format}`];
    const [two, one] = await Promise.all([
      runProcess(["email", "--file", file(`long.${format}`, input), ...flags]),
      runHere(["email", ...flags], { input }),
    ]);
    expect(two.status).toBe(1);
    // Without these, a difference would fill the screen.
    expect([two.out.length, two.err.length]).toEqual([one.out.length, one.err.length]);
    expect([two.out === one.out, two.err === one.err, two.status === one.status]).toEqual([true, true, true]);
  });

  test("end without an error when the reader closes the pipe", async () => {
    const program = runProgram([MAIN, "geoip", "--json"]);
    program.process.stdin?.on("error", () => {});
    program.process.stdin?.write(`${lines(3_000).join("\n")}\n`);
    await program.says(/\n/);
    program.process.stdout?.destroy();
    program.process.stdin?.end(`${lines(3_000).join("\n")}\n`.repeat(20));
    expect(await program.exit).toBe(0);
    expect(program.err()).toBe("");
  });
});
