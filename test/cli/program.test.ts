import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createContextValues } from "@connectrpc/connect";
import { quotaKey } from "connect-transcoding-operations/access/quota";
import { limitRate, memoryStore } from "connect-transcoding-operations/access/rate-limit";
import { endPrograms, runProgram } from "connect-transcoding-testing/run-program.js";
import { afterEach, describe, expect, test } from "vitest";
import { useServer } from "../contract/support/serve.js";
import { MAIN } from "../support/programs.js";
import { useFolder } from "./folder.js";
import { type CommandInput, runHere } from "./run-tools.js";

const server = useServer();
const { path: folder, file } = useFolder();
afterEach(endPrograms);

const run = runHere;

/** Runs the program in a process until it exits. No stream is a terminal. */
async function runProcess(args: readonly string[], { input = "", env = {} }: CommandInput = {}) {
  const program = runProgram([MAIN, ...args], env);
  // A program that does not read its input may exit before the input is written.
  program.process.stdin?.on("error", () => {});
  program.process.stdin?.end(input);
  const status = await program.exit;
  return { status, out: program.out(), err: program.err() };
}

const jsonLines = (out: string) =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("a command responds like the service", () => {
  const get = async (path: string) => `${await (await fetch(`${server.url}${path}`)).text()}\n`;

  test.each<[string[], string]>([
    [["geoip", "8.8.8.8"], "/v1/geoIp?ip_address=8.8.8.8"],
    [["country", "FR"], "/v1/countries?country=FR"],
    [["country"], "/v1/countries"],
    [["countries"], "/v1/countries"],
    [["countries", "search", "guinea", "--limit", "2"], "/v1/countries:search?query=guinea&limit=2"],
    [["country", "Germany"], "/v1/countries?country=DE"],
    [["about"], "/v1/about"],
  ])("%j", async (args, path) => {
    const env = { PUBLIC_BASE_URL: server.url };
    const response = await get(path);
    const [local, remote] = await Promise.all([
      run([...args, "--json"], { env }),
      run([...args, "--json", "--url", server.url]),
    ]);
    for (const result of [local, remote]) {
      expect(result).toEqual({ status: 0, out: response, err: "" });
    }
  });

  test("in a process of its own", async () => {
    const [args, response] = [["geoip", "8.8.8.8", "--json"], await get("/v1/geoIp?ip_address=8.8.8.8")];
    expect(await runProcess(args)).toEqual({ status: 0, out: response, err: "" });
  });

  test.each<[string, string]>([
    ["svg", "image/svg+xml"],
    ["png", "image/png"],
  ])("with the bytes of a QR code in %s", async (format) => {
    const path = join(folder, `code.${format}`);
    const response = await fetch(`${server.url}/v1/barcode?type=qr_code&data=a%0Ab&format=${format}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    for (const where of [[], ["--url", server.url]]) {
      const args = ["barcode", "-f", "-", "--output", path, ...where];
      expect(await run(args, { input: "a\nb\n" })).toEqual({ status: 0, out: "", err: "" });
      // The suffix of the file selects the format.
      expect(readFileSync(path).equals(bytes)).toBe(true);
    }
  });

  test.each<[string, string[], string, string]>([
    ["geoip", ["8.8.8.8", "10.0.0.1", "2001:4860:4860::8888", "x"], "/v1/geoIp:batch", "ip_addresses"],
    ["email", ["A.B+c@gmail.com", "nothing", "é@例え.jp"], "/v1/sanitizeEmail:batch", "emails"],
  ])("%s, with one line per input", async (command, inputs, path, member) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ [member]: inputs });
    const text = await (await fetch(`${server.url}${path}`, { method: "POST", headers, body })).text();
    const args = [command, "--json"];
    const outputs = await Promise.all([
      run([...args, ...inputs]),
      run(args, { input: inputs.join("\n") }),
      run([...args, inputs[0] ?? "", "-"], { input: `${inputs.slice(1).join("\r\n")}\r\n` }),
      run([...args, "--url", server.url], { input: inputs.join("\n") }),
    ]);
    for (const { status, out, err } of outputs) {
      expect([status, err]).toEqual([1, ""]);
      // The lines are exactly the items between the brackets of the response.
      expect(`{"results":[${out.trimEnd().split("\n").join(",")}]}`).toBe(text);
    }
  });

  test.each<[string[]]>([
    [["geoip", "8.8.8.8", "1.1.1.1", "--view", "full"]],
    [["geoip", "8.8.8.8", "1.1.1.1", "--view", "full", "--json"]],
    [["geoip", "10.0.0.1"]],
    [["geoip", "10.0.0.1", "--json"]],
    [["country", "ZZ", "--json"]],
    [["country", "FR", "", "fra"]],
    [["country", "FR", "ZZZZ", "--json"]],
    [["otp", "verify", "hunter2hunter2", "--digits", "7"]],
    [["otp", "verify", "hunter2hunter2", "--digits=7", "--json"]],
    [["email", "explain", "Jane.Doe+news@GoogleMail.com"]],
    [["email", "explain", "a@b.example", "@"]],
    [["otp", "generate", "--label", "\u0001"]],
  ])("%j, locally and remotely", async (args) => {
    const [local, remote] = await Promise.all([
      run(args, { env: { PUBLIC_BASE_URL: server.url } }),
      run([...args, "--url", server.url]),
    ]);
    expect(remote).toEqual(local);
    expect(local.out + local.err).not.toBe("");
    expect(local.out + local.err).not.toContain("hunter2");
  });
});

describe("many inputs", () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `9.${index >> 8}.${index & 255}.1`);

  test("are processed in their order, in batches, locally and remotely", async () => {
    const inputs = lines(5_500);
    const input = inputs.join("\n");
    const local = await run(["geoip", "--json"], { input });
    expect(jsonLines(local.out).map(({ input }) => input)).toEqual(inputs);
    expect(await run(["geoip", "--json", "--url", server.url], { input })).toEqual(local);
  });

  test("that cannot be read are reported in their place", async () => {
    const input = Buffer.from(`8.8.8.8\ncaf\xe9\n${"9".repeat(20_000)}\n1.1.1.1`, "latin1");
    const { status, out } = await run(["geoip", "--json"], { input });
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
    expect(await run(["email"], { input })).toEqual({ status: 1, out, err: expect.stringMatching(err) });
    expect((await run(["geoip", "8.8.8.8", "10.0.0.1", "1.1.1.1"])).out).toBe(
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
    expect(await run(args)).toEqual({ status: 0, out, err: "" });
  });

  test.each([["zzzz"], ["zzzz yyyy"]])("fail like grep if every list is empty: %s", async (queries) => {
    const search = ["countries", "search", ...queries.split(" ")];
    const err = "utility-tools countries search: nothing found\n";
    expect(await run(search)).toEqual({ status: 1, out: "", err });
    const out = search.length === 3 ? "[]\n" : '{"input":"zzzz","answer":[]}\n{"input":"yyyy","answer":[]}\n';
    expect(await run([...search, "--json"])).toEqual({ status: 1, out, err: "" });
  });

  test("may be empty", async () => {
    expect(await run(["geoip"], { input: "\n\n" })).toEqual({ status: 0, out: "", err: "" });
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
      run(["email", ...flags], { input }),
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

describe("the exit status", () => {
  test("does not depend on settings of the service alone", async () => {
    const env = { PORT: "x", LOG_LEVEL: "x" };
    expect(await run(["email", "a@b.example"], { env })).toEqual({
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
    ["geoip --json=hunter2", 2, /^utility-tools geoip: unknown option '--json'/],
    ["about hunter2", 2, /^utility-tools about: too many arguments/],
    ["geoip --output", 2, /option '-o, --output <FILE>' argument missing/],
    ["geoip - -", 2, /standard input can be read once/],
    ["barcode a b", 2, /Expected 1 argument but got 2/],
    ["geoip 8.8.8.8 1.1.1.1 --view more", 2, /--view has an unknown value; allowed: basic, full/],
    ["otp verify x --json --code 12-34", 2, /--code must be a code of digits, or of Steam's/],
    ["barcode a --format gif", 2, /--format has an unknown value; allowed: svg, png/],
    ["barcode a -o x.gif", 2, /--output has a suffix that is not a format; allowed: \.svg, \.png,/],
    ["barcode a -o x.PNG --format svg", 2, /--format contradicts the suffix of --output/],
    ["barcode a -f x", 2, /--file must not be given together with DATA/],
    ["geoip -f /nowhere/x", 74, /^utility-tools geoip: \/nowhere\/x cannot be read \(ENOENT\)\n$/],
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
    ["otp verify x --digits six", 2, /--digits must be an integer/],
    ["geoip 8.8.8.8 --url hunter2", 2, /--url must be an http or https URL/],
    ["geoip 8.8.8.8", 78, /UTILITY_TOOLS_URL must be/, { UTILITY_TOOLS_URL: "http://u:hunter2@h" }],
    ["geoip -f a -f b", 2, /must not be given more than once/, {}],
    ["geoip --fields a --fields b", 2, /--fields <NAMES>': The flag must not be given more than once/],
    ["geoip --api-key a --api-key hunter2", 2, /--api-key <KEY>': The flag must not be given more than once/],
    ["make-key a --expires 2027-01-01 --expires b", 2, /--expires <DATE>': The flag must not be given more/],
    ["geoip 8.8.8.8 --pick some", 2, /--pick must be client, first, last, all/],
    ["geoip 8.8.8.8 --api-key hunter2", 2, /--api-key needs --url as well/],
    ["geoip 8.8.8.8 --timeout 0s --url=http://h", 2, /--timeout must be a duration/],
    ["country EUR", 1, /^utility-tools country: EUR: several countries match; give the code of one: /],
    ["otp verify JBSWY3DPEHPK3PXP --code 0 --digits=8", 1, /--code must have 8 digits/],
    ["otp verify x y --code 123456", 2, /--code checks one secret/],
    ["geoip self", 2, /needs --url, .*: 'utility-tools geoip self --url https:/],
    ["geoip 8.8.8.8 --url http://127.0.0.1:1", 69, /^utility-tools geoip: .*ECONNREFUSED/],
    ["geoip 8.8.8.8", 69, /GEOIP_CITY_FILES: \/nowhere does not exist/, { GEOIP_CITY_FILES: "/nowhere" }],
    ["geoip 8.8.8.8 --output /nowhere/x", 74, /\/nowhere\/x cannot be written \(ENOENT\)/],
    ["email a@b.example", 78, /PUBLIC_BASE_URL must be/, { PUBLIC_BASE_URL: "x" }],
  ])("%s: %i", async (line, status, err, env = {}) => {
    const result = await run(line.split(" "), { env });
    expect(result).toEqual({ status, out: "", err: expect.stringMatching(err) });
    expect(result.err).not.toContain("hunter2");
  });

  test.each(["about", "email a@b.example"])("%s needs no data of another tool", async (line) => {
    const { status, err } = await run(line.split(" "), { env: { GEOIP_CITY_FILES: "/nowhere" } });
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
      ["geoip", `< "${folder}"`, "standard input cannot be read (EISDIR)"],
      ["barcode", `< "${folder}"`, "standard input cannot be read (EISDIR)"],
      ["countries", "> /dev/full", "standard output cannot be written (ENOSPC)"],
      ["completion bash", "> /dev/full", "standard output cannot be written (ENOSPC)"],
    ].filter(([, stream]) => stream !== "> /dev/full" || existsSync("/dev/full")),
  )("of %s with a stream that is broken is 74: %s", (...[command, stream, problem]) => {
    const line = `exec "${process.execPath}" "${MAIN}" ${command} ${stream}`;
    const { status, stderr } = spawnSync("sh", ["-c", line], { encoding: "utf8" });
    expect([status, stderr]).toEqual([74, `utility-tools ${command?.split(" ")[0]}: ${problem}\n`]);
  });

  test("of a server without the service is 76", async () => {
    const result = await run(["geoip", "8.8.8.8", "--url", `${server.url}/nowhere`]);
    expect(result).toEqual({ status: 76, out: "", err: expect.stringMatching(/^utility-tools geoip: /) });
  });

  test("errors do not repeat secrets", async () => {
    const input = "hunter2hunter2\nhunter3\n";
    for (const more of [[], ["--json"]]) {
      const { status, out, err } = await run(["otp", "verify", ...more], { input });
      expect([status, out + err]).toEqual([1, expect.stringMatching(/^(?![\s\S]*hunter)[\s\S]*base32/)]);
    }
  });
});

describe("the API key", () => {
  const key = `ut_${"k".repeat(43)}`;
  const seen: (string | undefined)[] = [];
  const guarded = useServer({ onRequest: (request) => void seen.push(request.header("authorization")) });

  test.each<[string, string[], Record<string, string>]>([
    ["the environment", [], { UTILITY_TOOLS_API_KEY: key }],
    ["a file", ["--api-key-file", file("key", `${key}\n`)], { UTILITY_TOOLS_API_KEY: "another" }],
    ["an argument", [`--api-key=${key}`], { UTILITY_TOOLS_API_KEY: "another" }],
  ])("comes from %s", async (_, args, env) => {
    seen.length = 0;
    const result = await run(["email", "A@b.example", "--url", guarded.url, ...args], { env });
    expect(result).toEqual({ status: 0, out: "a@b.example\n", err: "" });
    expect(seen).toEqual([`Bearer ${key}`]);
  });
});

describe("the rate limit of a service", () => {
  const limit = limitRate({ limit: 200, window: 1, store: memoryStore(1), now: () => performance.now() });
  const limited = useServer({
    onRequest: limit.onRequest,
    contextValues: (request) => createContextValues().set(quotaKey, limit.quotaOf(request)),
  });

  test("makes batches smaller, and calls wait", async () => {
    const input = Array.from({ length: 450 }, (_, index) => `9.9.${index >> 8}.${index & 255}\n`).join("");
    const local = await run(["geoip"], { input });
    expect(local.out.match(/\n/g)).toHaveLength(450);
    expect(await run(["geoip", "--url", limited.url], { input })).toEqual(local);
  });
});

describe("help", () => {
  test.each([[["--help"]], [["-h"]]])("%j lists all commands", async (args) => {
    const { status, out, err } = await runProcess(args);
    expect([status, err]).toEqual([0, ""]);
    const names = "about,barcode,country,email explain,geoip self,otp verify,serve,make-key".split(",");
    expect(names.filter((name) => !out.includes(`\n  ${name} `))).toEqual([]);
  });

  test.each<[string, string, RegExp]>([
    [
      "",
      "8.8.8.8",
      /\nCommon flags:\n[\s\S]* {2}--url <URL> [\s\S]*\nExit status:\n {2}0 {4}success for all inputs\n/,
    ],
    [
      "geoip",
      "geoip 8.8.8.8",
      /^(?![\s\S]*(?:Exit status|\n {2}--url))[\s\S]*\nCommon flags, which utility-tools --help explains: --file /,
    ],
    [
      "barcode",
      "barcode https://example.com/ --output barcode.svg",
      /\nUsage: .* barcode \[options\] \[DATA\]\n[\s\S]*--format <FORMAT> +the image format \(choices: svg, png/,
    ],
    ["otp generate", "otp generate --label jane@example.com --issuer Example", /--label <LABEL>/],
    ["otp", "otp generate --label jane@example.com --issuer Example", /otp generate[\s\S]*otp verify/],
    ["export", "export geoip --format parquet --output geoip.parquet", /export geoip[\s\S]*export countries/],
    ["otp verify", "otp verify --secret-file secret.txt", /--secret-file <FILE>/],
    ["geoip self", "geoip self --url https://tools.example.com", /--view <VIEW>/],
    ["serve", "serve --port 8080", /\nUsage: [\s\S]*\n {2}--port <NUMBER> /],
    ["update-data", "update-data", /--check/],
    ["make-key", "make-key alice", /\nUsage: utility-tools make-key \[options\] <NAME>/],
  ])("of '%s' begins with examples", async (command, example, pattern) => {
    const args = [...command.split(" "), "--help"].filter(Boolean);
    // The service is a part of the program of its own.
    const { status, out } = await (command === "serve" ? runProcess(args) : run(args));
    expect([status, out.split("\n").slice(0, 2)]).toEqual([0, ["Examples:", `  utility-tools ${example}`]]);
    expect(out).toMatch(pattern);
    expect(command === "serve" ? [] : out.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });
});
