import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeWindows1252 } from "../../src/text/encoding.js";
import { runHere } from "./run-tools.js";

const pathOf = (name: string) => join(import.meta.dirname, "files", name);

describe("logs", () => {
  // The lines are those of the documentation of each program, with addresses of known networks.
  test.each<[string, string[], string]>([
    ["nginx.log", ["8.8.8.8", "1.1.1.1", "2001:4860:4860::8888"], ""],
    ["nginx-error.log", ["9.9.9.9", ""], "1 line without an address, first: line 2\n"],
    ["apache.log", ["127.0.0.1", "8.8.4.4"], ""],
    ["apache-vhost.log", ["133.11.0.1", "72.15.99.187"], ""],
    ["caddy.log", ["8.8.8.8", "1.1.1.1"], ""],
    ["cloudfront.log", ["8.8.8.8", "2001:4860:4860::8844"], "ignored: 2 lines with #\n"],
    ["alb.log", ["192.168.131.39", "2001:4860:4860::8888"], ""],
    ["iis.log", ["9.9.9.9", "10.0.0.8"], "ignored: 4 lines with #\n"],
    ["auth.log", ["9.9.9.9", "8.8.8.8", ""], "1 line without an address, first: line 3\n"],
    ["fail2ban.log", ["9.9.9.9", "2001:4860:4860::8888"], ""],
    ["ss.txt", ["", "8.8.8.8", "::ffff:1.1.1.1", "2001:4860:4860::8888"], "1 line without an address"],
    [
      "netstat.txt",
      ["", "", "8.8.8.8", "2001:4860:4860::8888"],
      "2 lines without an address, first: line 1\n",
    ],
    ["events.jsonl", ["9.9.9.9", "1.1.1.1", '{"event":"start"}'], ""],
  ])("%s", async (name, addresses, note) => {
    const path = pathOf(name);
    const { out, err } = await runHere(["geoip", "--only-results", "--fields", "country", "-f", path]);
    expect(out.split("\n").map((row) => row.split("\t")[0])).toEqual([...addresses, ""]);
    expect(err).toContain(note);
    const lines = readFileSync(path, "utf8").match(/^[^#\n].*/gm) ?? [];
    const json = await runHere(["geoip", "--json", "-f", path]);
    expect(json.out.split("\n").map((row) => row && JSON.parse(row).input)).toEqual([...lines, ""]);
    const rows = await runHere(["geoip", "-f", path, "--fields", "country"]);
    expect(rows.out.split("\n").map((row) => row.replace(/\t[A-Z]{0,2}$/, ""))).toEqual([...lines, ""]);
  });

  test("have all addresses of a line, the first or the last", async () => {
    const input = "8.8.8.8 10.0.0.1 1.1.1.1\n";
    const flags = ["--only-results", "--fields", "country", "--pick"];
    const picked = ["all", "first", "last"].map((which) => runHere(["geoip", ...flags, which], { input }));
    expect((await Promise.all(picked)).map(({ out }) => out)).toEqual([
      "8.8.8.8\tUS\n10.0.0.1\t\n1.1.1.1\tAU\n",
      "8.8.8.8\tUS\n",
      "1.1.1.1\tAU\n",
    ]);
  });

  test("without any address fail; a line of Windows-1252 is read", async () => {
    const without = "utility-tools geoip: 1 line without an address, first: line 1\n";
    expect(await runHere(["geoip", "--fields", "country"], { input: "nothing here\n\n" })).toEqual({
      status: 1,
      out: "nothing here\t\n",
      err: `${without}utility-tools geoip: ignored: 1 empty line\n`,
    });
    const input = Buffer.from('8.8.8.8 - - "GET /caf\xe9"\n', "latin1");
    expect((await runHere(["geoip", "--fields", "country"], { input })).out).toBe(
      '8.8.8.8 - - "GET /café"\tUS\n',
    );
  });

  test("have e-mail addresses with --find alone", async () => {
    const input =
      "Nov 23 10:00:01 mx postfix/smtp[1]: ABC: to=<A.B+c@gmail.com>, relay=x[8.8.8.8]:25\n" +
      "Nov 23 10:00:01 mx postfix/cleanup[1]: ABC: message-id=<1@mx.example.com>\n";
    const found = await runHere(["email", "--find"], { input });
    expect(found).toEqual({
      status: 0,
      out: "ab@gmail.com\n\n",
      err: "utility-tools email: 1 line without an address, first: line 2\n",
    });
    expect((await runHere(["email"], { input })).status).toBe(1);
    expect(await runHere(["email", "--pick", "all", "x"])).toMatchObject({
      status: 2,
      err: expect.stringContaining("--pick and --only-results need --find as well"),
    });
  });
});

describe("tables", () => {
  // A space is a line break, and a tilde is a space.
  test.each<[string, string, string]>([
    [
      "semicolon.csv",
      "\r\n",
      'Datum;IP;Betrag;country 23.11.2026;8.8.8.8;"1.234,50";US 24.11.2026;1.1.1.1:53;"0,10";AU ',
    ],
    ["separator-line.csv", "\r\n", 'sep=; Name;Kunden-IP;country "Doe,~Jane";8.8.8.8;US Joe;1.1.1.1;AU '],
    ["tabs.tsv", "\n", "when\tclientip\tcountry 10:00\t8.8.8.8\tUS 10:01\t1.1.1.1\tAU "],
    ["pipes.txt", "\n", "id|remote_addr|note|country 1|8.8.8.8|a|US 2|1.1.1.1|b|AU "],
    ["utf-8-mark.csv", "\r\n", "\ufeffName,IPv4,country Zoë,8.8.8.8,US Joe,1.1.1.1,AU "],
    ["utf-16le.csv", "\r\n", "\ufeffName\tIP-Adresse\tcountry Zoë\t8.8.8.8\tUS Joe\t1.1.1.1\tAU "],
    ["utf-16be.csv", "\n", "\ufeffName,c-ip,country Zoë,8.8.8.8,US Joe,1.1.1.1,AU "],
    ["windows-1252.csv", "\r\n", "Straße;src_ip;country Münchner~Straße~€~5;8.8.8.8;US x;1.1.1.1;AU "],
    ["returns.csv", "\r", "name,client~ip,country Jane,8.8.8.8,US Joe,1.1.1.1,AU "],
  ])("%s keeps its form", async (name, lineBreak, records) => {
    const args = ["geoip", "--csv", "--fields", "country", "-f", pathOf(name)];
    const { status, bytes, err } = await runHere(args);
    expect([status, err]).toEqual([0, ""]);
    const ordered = name === "utf-16be.csv" ? Buffer.from(bytes).swap16() : bytes;
    const encoding = name.startsWith("utf-16") ? "utf16le" : "utf8";
    const text = name === "windows-1252.csv" ? decodeWindows1252(ordered) : ordered.toString(encoding);
    expect(text).toBe(records.replaceAll(" ", lineBreak).replaceAll("~", " "));
  });

  test.each<[string, string, string, string]>([
    ["email", "Name,E-Mail\nJ,A@b.example\n", "Name,E-Mail,email\nJ,A@b.example,a@b.example\n", ""],
    ["email", "Nom;Courriel\nJ;A@b.example\n", "Nom;Courriel;email\nJ;A@b.example;a@b.example\n", ""],
    ["email", "who,where\nJ,A@b.example\n", "who,where,email\nJ,A@b.example,a@b.example\n", ""],
    ["email", "J,A@b.example\n", "column_1,input,email\nJ,A@b.example,a@b.example\n", ""],
    ["email", "id,email\n1,A@b.example,x,y\n", 'id,email,email_2\n1,"A@b.example,x,y",\n', "has 4 values"],
  ])("%s of %j", async (command, input, out, problem) => {
    const result = await runHere([command, "--csv", "--fields", "email"], { input });
    expect(result.out).toBe(out);
    expect(result.err).toContain(problem);
  });

  test.each<[string, Uint8Array, string]>([
    ["UTF-16 without a mark", Buffer.from("ip\n8.8.8.8\n", "utf16le"), "UTF-16 without a byte order mark: "],
    ["a spreadsheet", Uint8Array.of(0x50, 0x4b, 3, 4, 0x14, 0), "a ZIP archive or a spreadsheet (XLSX): "],
    ["gzip", Uint8Array.of(0x1f, 0x8b, 8, 0), "compressed (gzip): "],
  ])("%s is named", async (_, input, problem) => {
    const { status, err } = await runHere(["geoip"], { input });
    expect([status, err]).toEqual([74, expect.stringContaining(`geoip: the input is ${problem}`)]);
  });
});

test("equal errors of a long list are one line, unless all are wanted", async () => {
  const input = [...Array(8).fill("10.0.0.5"), "10.0.0.6", "127.0.0.1"].join("\n");
  const { err } = await runHere(["geoip"], { input });
  expect(err.split("\n").slice(5)).toEqual([
    "utility-tools geoip: 9 lines: special-purpose address: Private-Use (10.0.0.0/8, RFC 1918) (10.0.0.5 8 times, 10.0.0.6)",
    "utility-tools geoip: 127.0.0.1 is a special-purpose address: Loopback (127.0.0.0/8, RFC 1122, section 3.2.1.3)",
    "utility-tools geoip: 10 of 10 lines failed",
    "",
  ]);
  expect((await runHere(["geoip", "--all-errors"], { input })).err.split("\n")).toHaveLength(12);
});

test("countries are read from a pipe", async () => {
  const { out } = await runHere(["country", "--fields", "code2"], { input: "Germany\nFR\n" });
  expect(out).toBe("Germany\tDE\nFR\tFR\n");
});
