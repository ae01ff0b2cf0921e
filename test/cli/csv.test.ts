import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runHere } from "./run-tools.js";

const folder = mkdtempSync(join(tmpdir(), "utility-tools-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (args: readonly string[], input = "") => runHere(args, { input });

/** Creates a file in the folder of the tests. */
function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

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
    expect(result.err.split("\n").map((line) => line.slice(0, 60))).toEqual([
      "utility-tools geoip: 10.0.0.1 is a special-purpose address: ",
      'utility-tools geoip: "": is required: an IPv4 or IPv6 address'.slice(0, 60),
      "utility-tools geoip: 1.1.1.1: the record has 5 values, and the".slice(0, 60),
      "utility-tools geoip: 3 of 4 lines failed",
      "",
    ]);
  });

  test("of a list without a header, and of arguments, begins with the input", async () => {
    const out = "input,country,error\n8.8.8.8,US,\nx,,must be an IPv4 or IPv6 address,";
    for (const [inputs, result] of [
      ["lines", await run(["geoip", "--csv", "--fields", "country,error"], "8.8.8.8\nx\n")],
      ["inputs", await run(["geoip", "--csv", "--fields", "country,error", "8.8.8.8", "x"])],
    ] as const) {
      const err = `utility-tools geoip: 1 of 2 ${inputs} failed\n`;
      expect(result).toEqual({ status: 1, out: expect.any(String), err });
      expect(result.out.replaceAll('"', "").slice(0, out.length)).toBe(out);
    }
  });

  test("has the default columns and the error", async () => {
    expect(await run(["email", "--csv", "--column", "mail"], "id,mail\n1,A@b.example\n2,c\n")).toEqual({
      status: 1,
      out:
        "id,mail,email,error\n" +
        "1,A@b.example,a@b.example,\n" +
        "2,c,,an e-mail address has an @ between its name and its domain\n",
      err: "utility-tools email: 1 of 2 lines failed\n",
    });
  });

  test("of a summary has the counts", async () => {
    const input = "ip\n8.8.8.8\n1.1.1.1\nx\n8.8.4.4\n";
    expect(await run(["geoip", "--csv", "--summary"], input)).toEqual({
      status: 1,
      out:
        "by,value,count\ncountry,United States (US),2\ncountry,Australia (AU),1\n" +
        'network,Google LLC (AS15169),2\nnetwork,"Cloudflare, Inc. (AS13335)",1\n',
      err: "utility-tools geoip: 1 of 4 lines failed\n",
    });
    expect(await run(["email", "--json", "--summary", "a@b.example", "C@B.example", "x"])).toEqual({
      status: 1,
      out: '{"inputs":3,"failed":1,"domain":[{"value":"b.example","count":2}]}\n',
      err: "",
    });
  });

  test.each<[string, string[], string, number, string, RegExp]>([
    ["without records has a header", ["geoip", "--csv", ...FIELDS], "", 0, "input,country,asn,city\n", /^$/],
    ["with a header only has it", ["geoip", "--csv", ...FIELDS], "ip\n", 0, "ip,country,asn,city\n", /^$/],
    [
      "of a list response has a row per element",
      ["countries", "search", "--csv", "--fields", "value,country.name"],
      "UK\nnothing at all\n",
      0,
      "input,value,country.name\nUK,UK,United Kingdom\nUK,Ukraine,Ukraine\nUK,UK Virgin Islands,British Virgin Islands\nUK,Ukmergė,Lithuania\n",
      /^$/,
    ],
    [
      "without a column for the inputs is rejected",
      ["geoip", "--csv"],
      "a,b\n1,2\n",
      2,
      "",
      /^utility-tools geoip: no column has the name 'ip_address': name one with --column; it has: a, b\n$/,
    ],
  ])("%s", async (_name, args, input, status, out, err) => {
    expect(await run(args, input)).toEqual({ status, out, err: expect.stringMatching(err) });
  });

  test("of a response without an operand", async () => {
    const { out } = await run(["countries", "--csv", "--fields", "code2,capital"]);
    expect(out).toMatch(/^code2,capital\nAF,Kabul\n/);
    expect(out).toMatch(/\nUS,"Washington, D\.C\."\n/);
  });
});

describe("fields", () => {
  test.each<[string, string[], string]>([
    ["of one response", ["geoip", "8.8.8.8"], "metadata.details.city\tMountain View\nmetadata.asn\t15169\n"],
    ["of rows", ["geoip", "8.8.8.8", "1.1.1.1"], "8.8.8.8\tMountain View\t15169\n1.1.1.1\tSydney\t13335\n"],
    [
      "of JSON",
      ["geoip", "8.8.8.8", "--json"],
      '{"metadata":{"details":{"city":"Mountain View"},"asn":15169}}\n',
    ],
    [
      "of JSON lines",
      ["geoip", "8.8.8.8", "--json", "-"],
      '{"input":"8.8.8.8","answer":{"metadata":{"details":{"city":"Mountain View"},"asn":15169}}}\n',
    ],
  ])("%s are selected", async (_name, args, out) => {
    expect(await run([...args, "--fields", "city,asn"])).toEqual({ status: 0, out, err: "" });
  });
});

describe("a file", () => {
  test("is read in place of standard input, and one is written", async () => {
    const [from, to] = [file("addresses.txt", "8.8.8.8\n\n1.1.1.1"), join(folder, "out.json")];
    const result = await run(["geoip", "-f", from, "-o", to, "--json"]);
    expect(result).toEqual({ status: 0, out: "", err: "" });
    expect(readFileSync(to, "utf8").match(/"input":"[^"]+"/g)).toEqual([
      '"input":"8.8.8.8"',
      '"input":"1.1.1.1"',
    ]);
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
    expect(check).toEqual({
      status: 0,
      out: expect.stringMatching(/^valid: time step (?:current|-30s)\n$/),
      err: "",
    });
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
