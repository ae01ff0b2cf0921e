import { describe, expect, test } from "vitest";
import { runHere } from "./run-tools.js";

const run = (...args: string[]) => runHere(args);

describe("an input in place of a command", () => {
  test.each([
    ["8.8.8.8", "geoip 8.8.8.8"],
    ["8.8.8.8 2001:4860:4860::8888 --json", "geoip 8.8.8.8 2001:4860:4860::8888 --json"],
    ["AS749 --json", "geoip asn AS749 --json"],
    ["as 749", "geoip asn 749"],
    ["ASN749 asn:714 --fields asn", "geoip asn ASN749 asn:714 --fields asn"],
    ["Jane.Doe+x@gmail.com", "email explain Jane.Doe+x@gmail.com"],
    ["a@b.example c@d.example", "email a@b.example c@d.example"],
    ["Germany", "country DE"],
    ["ドイツ --json", "country DE --json"],
    ["South Korea --fields name", "country KR --fields name"],
    ["8.8.8.0/24 --json", "geoip 8.8.8.0 8.8.8.255 --json"],
    ["8.8.8.77/24", "geoip 8.8.8.0/24"],
    ["2001:4860::/32", "geoip 2001:4860:: 2001:4860:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["::ffff:8.8.8.0/120", "geoip 8.8.8.0 8.8.8.255"],
    ["8.8.8.8/32", "geoip 8.8.8.8"],
    ["8.8.8.8:53", "geoip 8.8.8.8"],
    ["[2001:4860:4860::8888]:443", "geoip 2001:4860:4860::8888"],
    ["https://u@8.8.8.8:8080/a?b", "geoip 8.8.8.8"],
    ["--json 8.8.8.8", "geoip 8.8.8.8 --json"],
    ["--fields country --csv geoip 8.8.8.8", "geoip 8.8.8.8 --fields country --csv"],
    ["-- 8.8.8.8", "geoip 8.8.8.8"],
    ["--fields=country geoip -- 8.8.8.8", "geoip --fields=country -- 8.8.8.8"],
    ["St.Lucia", "country LC"],
  ])("%s is %s", async (given, expected) => {
    const [one, other] = await Promise.all([given, expected].map((line) => run(...line.split(" "))));
    expect(one?.status).toBe(0);
    expect(one).toEqual(other);
  });

  test("can be a secret", async () => {
    const { status, out } = await run("JBSWY3DPEHPK3PXP");
    expect([status, out]).toEqual([0, expect.stringMatching(/^\d{6}\n$/)]);
  });

  test.each<[string, string]>([
    ["999.1.1.1", "utility-tools geoip: 999.1.1.1: must be an IPv4 or IPv6 address"],
    ["countrys", "utility-tools: unknown command: countrys (Did you mean country?)\n"],
    ["Marroco", "utility-tools: unknown command: Marroco (Did you mean country Morocco?)\n"],
    ["falklan", "utility-tools: unknown command: falklan (Did you mean country 'Falkland Islands'?)\n"],
    ["Falkand", "utility-tools: unknown command: Falkand (Did you mean country 'Falkland Islands'?)\n"],
    ["foo", "utility-tools: unknown command: foo\nutility-tools --help shows the usage\n"],
    ["hello", "utility-tools: unknown command: hello\n"],
    ["versoin", "utility-tools: unknown command: versoin (Did you mean --version?)\n"],
    ["myip", "utility-tools: unknown command: myip (Did you mean geoip self?)\n"],
    ["slef", "utility-tools: unknown command: slef (Did you mean geoip self?)\n"],
    ["8.8.8.0/33", "utility-tools: unknown command (a network is an address and /0 to /32 for IPv4, "],
    ["2001:db8::/129", "utility-tools: unknown command (a network is "],
    ["00:1A:2B:3C:4D:5E", "utility-tools: unknown command (the address of a network card has no place"],
    ["001a.2b3c.4d5e", "utility-tools: unknown command (the address of a network card has no place"],
    ["https://example.com/?hunter2", "utility-tools: unknown command (barcode draws a link as a QR code)\n"],
    ["geo:48.85,2.35", "utility-tools: unknown command (barcode draws a link as a QR code)\n"],
    ["example.com", "utility-tools: unknown command (a host name is not looked up; geoip locates "],
    ["example.com:8080/a", "utility-tools: unknown command (a host name is not looked up; geoip locates "],
    ["2026-11-29", "utility-tools: unknown command (no command takes a date)\n"],
    ["29.11.2026", "utility-tools: unknown command (no command takes a date)\n"],
    ["48.85, 2.35", "utility-tools: unknown command (no command takes coordinates; "],
    ["48.85,2.35", "utility-tools: unknown command (no command takes coordinates; "],
    ["--json", "utility-tools: --json needs a command or an input: utility-tools 8.8.8.8 --json\n"],
    // These may be secrets.
    ["JBSWYDPEHPK", "utility-tools: unknown command\n"],
    ["hunter2hunter2", "utility-tools: unknown command\n"],
  ])("%s is an error that says what to do", async (text, message) => {
    const { status, out, err } = await run(text);
    expect([status, out]).toEqual([message.includes("geoip:") ? 1 : 2, ""]);
    expect(err.slice(0, message.length)).toBe(message);
  });

  test("that is nearly the name of a command below another is named", async () => {
    const { status, err } = await run("geoip", "slef");
    expect([status, err]).toEqual([
      1,
      expect.stringMatching(/^utility-tools geoip: slef: .* \(did you mean geoip self\?\)\n$/),
    ]);
    expect((await run("geoip", "x")).err).not.toContain("did you mean");
  });
});
