import { describe, expect, test } from "vitest";
import { runHere } from "./run-tools.js";

const run = (...args: string[]) => runHere(args);

describe("an input in place of a command", () => {
  test.each([
    ["8.8.8.8", "geoip 8.8.8.8"],
    ["8.8.8.8 2001:4860:4860::8888 --json", "geoip 8.8.8.8 2001:4860:4860::8888 --json"],
    ["Jane.Doe+x@gmail.com", "email explain Jane.Doe+x@gmail.com"],
    ["a@b.example c@d.example", "email a@b.example c@d.example"],
    ["Germany", "country DE"],
    ["ドイツ --json", "country DE --json"],
    ["South Korea --fields name", "country KR --fields name"],
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
