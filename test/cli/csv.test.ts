import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useFolder } from "./folder.js";
import { runHere } from "./run-tools.js";

const { path: folder, file } = useFolder();

const run = (args: readonly string[], input = "") => runHere(args, { input });

describe("CSV", () => {
  const FIELDS = ["--fields", "country,asn,city"];

  test("has the columns of the input, and a row for each of its records", async () => {
    const input =
      'id,Client IP,note,country\r\n1,8.8.8.8,"a, ""b""",x\r\n2,10.0.0.1\r\n3,,c,y\r\n4,1.1.1.1,d,z,\r\n';
    const result = await run(["geoip", "--csv", ...FIELDS, "-f", file("visitors.csv", input)]);
    expect(result.status).toBe(1);
    expect(result.out).toBe(
      "id,Client IP,note,country,country_2,asn,city\r\n" +
        '1,8.8.8.8,"a, ""b""",x,US,15169,Mountain View\r\n' +
        "2,10.0.0.1,,,,,\r\n" +
        "3,,c,y,,,\r\n" +
        "4,1.1.1.1,d,z,,,\r\n",
    );
    expect(result.err.replaceAll("utility-tools geoip: ", "")).toMatch(
      /^10\.0\.0\.1 is a special.*\n"": is required: .*\n1\.1\.1\.1: the record has 5 values.*\n3 of 4 lines failed\n$/,
    );
  });

  test.each<[string, string[], string]>([
    ["lines", [], "8.8.8.8\nx\n"],
    ["inputs", ["8.8.8.8", "x"], ""],
  ])("of %s without a header begins with the input", async (noun, args, input) => {
    const result = await run(["geoip", "--csv", "--fields", "country,error", ...args], input);
    expect(result).toEqual({
      status: 1,
      out: expect.stringMatching(
        /^input,country,error\n8\.8\.8\.8,US,\nx,,"?must be an IPv4 or IPv6 address, /,
      ),
      err: `utility-tools geoip: 1 of 2 ${noun} failed\n`,
    });
  });

  const failed = (command: string, text: string) => `utility-tools ${command}: 1 of ${text} failed\n`;
  const EMAILS = "a@b.example\nC@B.example\nx\n";
  test.each<[string, string, number, string, string]>([
    [
      "geoip --csv",
      "ip\n8.8.8.8\n1.1.1.1\nx\n8.8.4.4\n",
      1,
      "by,value,count\ncountry,United States (US),2\ncountry,Australia (AU),1\n" +
        'network,Google LLC (AS15169),2\nnetwork,"Cloudflare, Inc. (AS13335)",1\n',
      failed("geoip", "4 lines"),
    ],
    ["email --json", EMAILS, 1, '{"inputs":3,"failed":1,"domain":[{"value":"b.example","count":2}]}\n', ""],
    ["email", EMAILS, 1, "domain\tb.example\t2\n", failed("email", "3 lines")],
    ["email x", "", 1, "", failed("email", "1 input")],
    ["email a@b.example", "", 0, "domain\tb.example\t1\n", ""],
  ])("of a summary has the counts: %s", async (args, input, status, out, err) => {
    expect(await run([...args.split(" "), "--summary"], input)).toEqual({ status, out, err });
  });

  const NO_COLUMN =
    "utility-tools geoip: no column has the name 'ip_address': name one with --column; it has: a, b\n";
  const MATCHES =
    "UK,UK,United Kingdom\nUK,Ukraine,Ukraine\nUK,UK Virgin Islands,British Virgin Islands\nUK,Ukmergė,Lithuania\n";
  test.each<[string, string, string, string, string?]>([
    ["without records has a header", "geoip --csv --fields asn,city", "", "input,asn,city\n"],
    ["with a header only has it", "geoip --csv --fields asn,city", "ip\n", "ip,asn,city\n"],
    ["without a column for the inputs is rejected", "geoip --csv", "a,b\n1,2\n", "", NO_COLUMN],
    [
      "of a list response has a row per element",
      "countries search --csv --fields value,country.name",
      "UK\nnothing at all\n",
      `input,value,country.name\n${MATCHES}`,
    ],
    [
      "has the default columns and the error",
      "email --csv --column mail",
      "id,mail\n1,A@b.example\n2,c\n",
      "id,mail,email,error\n1,A@b.example,a@b.example,\n" +
        "2,c,,an e-mail address has an @ between its name and its domain\n",
      "utility-tools email: 1 of 2 lines failed\n",
    ],
  ])("%s", async (_name, args, input, out, err = "") => {
    const result = await run(args.split(" "), input);
    expect([result.out, result.err]).toEqual([out, err]);
  });

  test("of a response without an operand", async () => {
    const { out } = await run(["countries", "--csv", "--fields", "code2,capital"]);
    expect(out).toMatch(/^code2,capital\nAF,Kabul\n[\s\S]*\nUS,"Washington, D\.C\."\n/);
  });
});

describe("fields", () => {
  const JSON_FIELDS = '{"metadata":{"details":{"city":"Mountain View"},"asn":15169}}';
  test.each<[string, string[], string]>([
    ["of one response", ["geoip", "8.8.8.8"], "metadata.details.city\tMountain View\nmetadata.asn\t15169\n"],
    ["of rows", ["geoip", "8.8.8.8", "1.1.1.1"], "8.8.8.8\tMountain View\t15169\n1.1.1.1\tSydney\t13335\n"],
    ["of JSON", ["geoip", "8.8.8.8", "--json"], `${JSON_FIELDS}\n`],
    ["of JSON lines", ["geoip", "8.8.8.8", "--json", "-"], `{"input":"8.8.8.8","answer":${JSON_FIELDS}}\n`],
  ])("%s are selected", async (_name, args, out) => {
    expect(await run([...args, "--fields", "city,asn"])).toEqual({ status: 0, out, err: "" });
  });
});

describe("a file", () => {
  test("is read in place of standard input, and one is written", async () => {
    const [from, to] = [file("addresses.txt", "8.8.8.8\n\n1.1.1.1"), join(folder, "out.json")];
    const result = await run(["geoip", "-f", from, "-o", to, "--json"]);
    expect(result).toEqual({ status: 0, out: "", err: "" });
    expect(readFileSync(to, "utf8")).toMatch(/^{"input":"8\.8\.8\.8",.*\n{"input":"1\.1\.1\.1",.*\n$/);
  });

  test("is not overwritten while it is read", async () => {
    const path = file("same.csv", "ip\n8.8.8.8\n");
    expect(await run(["geoip", "--csv", "-f", path, "-o", join(folder, ".", "same.csv")])).toEqual({
      status: 2,
      out: "",
      err: expect.stringMatching(/^utility-tools geoip: --output must not be the file of --file\n/),
    });
    expect(readFileSync(path, "utf8")).toBe("ip\n8.8.8.8\n");
  });

  test("as an argument is an error with a hint", async () => {
    const path = file("list.txt", "8.8.8.8\n");
    expect(await run(["geoip", path])).toEqual({
      status: 1,
      out: "",
      err: expect.stringContaining(` (a file has this name: did you mean -f ${path}?)\n`),
    });
    expect((await run(["geoip", path, "8.8.8.8"])).err).toContain(`did you mean -f ${path}?`);
    const { status, err } = await run(["otp", "code", path]);
    expect([status, err.includes("--secret-file reads it"), err.includes(path)]).toEqual([1, true, false]);
  });

  test("has a secret", async () => {
    const path = file("secret", "JBSWY3DPEHPK3PXP\n");
    const code = await run(["otp", "code", "--secret-file", path]);
    expect(code).toEqual({ status: 0, out: expect.stringMatching(/^\d{6}\n$/), err: "" });
    const json = await run(["otp", "code", "-f", path, "--json"]);
    expect(json.out).toMatch(/^{"answer":{"otp_codes":{"current":"\d{6}"}}}\n$/);
    const csv = await run(["otp", "code", "--csv"], "secret\nJBSWY3DPEHPK3PXP\n");
    expect(csv.out).toMatch(/^secret,current,error\nJBSWY3DPEHPK3PXP,\d{6},\n$/);
    const check = await run(["otp", "verify", "-f", path, "--code", code.out.trim()]);
    expect([check.status, check.out]).toEqual([
      0,
      expect.stringMatching(/^valid: time step (?:current|-30s)\n$/),
    ]);
  });

  test("has a text with line breaks; standard input with several lines is an error", async () => {
    const lines = file("lines.txt", "a\nb\nc\n");
    expect((await run(["barcode", "-f", lines])).out).toMatch(/^<svg /);
    expect(await run(["barcode"], "a\nb\nc\n")).toEqual({
      status: 2,
      out: "",
      err: expect.stringMatching(/^utility-tools barcode: standard input has several lines, .* --file FILE /),
    });
  });
});
