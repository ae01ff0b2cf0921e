import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useFolder } from "../folder.js";
import { runHere } from "../run-tools.js";

const LINK =
  "otpauth-migration://offline?data=CjEKCkhlbGxvId6tvu8SGEV4YW1wbGU6YWxpY2VAZ29vZ2xlLmNvbRoHRXhhbXBsZTAC";
const URI =
  "otpauth://totp/Example:alice%40google.com?secret=JBSWY3DPEHPK3PXP&issuer=Example&algorithm=SHA1&digits=6&period=30";
const { path: folder, file } = useFolder();

const run = (args: readonly string[], input = "") => runHere(args, { input });
const importOtp = (input: string, ...args: readonly string[]) => run(["otp", "import", ...args], input);

/** The link of an export with more fields: `batch_size`, `batch_index` and `batch_id` have the tags 0x18, 0x20 and 0x28. */
function linkWith(...bytes: readonly number[]): string {
  const data = Buffer.from(new URL(LINK).searchParams.get("data") ?? "", "base64");
  return `otpauth-migration://offline?data=${Buffer.concat([data, Buffer.from(bytes)]).toString("base64url")}`;
}

describe("otp import", () => {
  test("writes the key URI of each account, which otp code takes", async () => {
    const imported = await importOtp("", "-f", file("export.txt", `${LINK}\n\n${LINK}\n`));
    expect(imported).toEqual({ status: 0, out: `${URI}\n${URI}\n`, err: "" });
    const codes = await run(["otp", "code"], imported.out);
    const [first, second] = codes.out.trim().split("\n");
    expect([codes.status, first]).toEqual([0, second]);
    const alone = await run(["otp", "verify", "JBSWY3DPEHPK3PXP", "--json"]);
    expect(Object.values(JSON.parse(alone.out).otp_codes)).toContain(first);
  });

  test("writes accounts as JSON", async () => {
    const account = { label: "alice@google.com", issuer: "Example", type: "totp", uri: URI };
    expect(JSON.parse((await importOtp(LINK, "--json")).out)).toMatchObject(account);
  });

  const part = (id: number, index: number) => linkWith(0x18, 2, 0x20, index, 0x28, id);
  const account = { type: "totp", name: "jane", issuer: "ACME", info: { secret: "GEZDGNBV" } };
  test.each<[string, string, number, string | RegExp, string]>([
    [
      "a link that is not valid",
      `JBSWY3DPEHPK3PXP\n${LINK}`,
      1,
      /^link 1 must be a complete link(?!.*JBSWY)/,
      URI,
    ],
    ["missing links", linkWith(0x18, 3, 0x20, 1), 1, "the export has 3 links, of which 2 are missing\n", URI],
    [
      "missing links of two exports",
      `${part(1, 0)}\n${part(2, 1)}`,
      1,
      /^export 1 has 2 links, of which 1 are missing\n.*: export 2 has 2 links, of which 1 are missing\n$/,
      `${URI}\n${URI}`,
    ],
    [
      "nothing of the icons of accounts",
      JSON.stringify({
        db: { entries: [{ ...account, icon: "A".repeat(100_000), info: { secret: "GEZDGNBVGY3TQOJQ" } }] },
      }),
      0,
      "",
      "otpauth://totp/ACME:jane?secret=GEZDGNBVGY3TQOJQ&issuer=ACME&algorithm=SHA1&digits=6&period=30",
    ],
    ["nothing if all links are there", `${part(1, 1)}\r\n${part(1, 0)}`, 0, "", `${URI}\n${URI}`],
    [
      "an account that otp code rejects",
      JSON.stringify({ db: { entries: [account] } }),
      1,
      "account 1 is written, but otp code rejects it: its key URI has a parameter secret that must have at least 16 " +
        "characters of base32 (80 bits), has 8\n",
      "otpauth://totp/ACME:jane?secret=GEZDGNBV&issuer=ACME&algorithm=SHA1&digits=6&period=30",
    ],
  ])("reports %s, and writes all accounts", async (_, input, expected, problem, uris) => {
    const { status, out, err } = await importOtp(input);
    expect([status, out]).toEqual([expected, `${uris}\n`]);
    const text = err.replace("utility-tools otp import: ", "");
    expect(text).toEqual(typeof problem === "string" ? problem : expect.stringMatching(problem));
  });

  test("needs a link, and a file that can be read", async () => {
    expect(await importOtp("")).toMatchObject({ status: 1, out: "" });
    expect(await importOtp("", "-f", join(folder, "none"))).toMatchObject({ status: 74, out: "" });
  });
});

describe("a key URI as an argument", () => {
  test("can be that of Steam", async () => {
    const uri = "otpauth://totp/a?secret=63BEDWCQZKTQWPESARIERL5DTTQFCJTK&encoder=steam";
    const { out } = await run(["otp", "code", uri]);
    expect(out).toMatch(/^[2-9BCDFGHJKMNPQRTVWXY]{5}\n$/);
    const check = await run(["otp", "verify", uri, "--code", out.trim().toLowerCase()]);
    expect(check.status).toBe(0);
  });

  const HOTP = "otpauth://hotp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&counter=4";
  test.each<[string, string[], number, string]>([
    ["has its own options", ["hotp", "verify", HOTP, "--code", "338 314"], 0, "valid: counter 4\n"],
    [
      "can get others",
      ["hotp", "verify", HOTP, "--counter", "9", "--code", "520489"],
      0,
      "valid: counter 9\n",
    ],
    [
      "of another type is an error",
      ["otp", "code", URI.replace("totp", "hotp")],
      1,
      "utility-tools otp code: key_uri: is that of a counter-based account (hotp): its type is counter_based\n",
    ],
    [
      "can contradict a flag",
      ["otp", "verify", URI, "--digits", "8"],
      1,
      "--digits must not differ from that of key_uri",
    ],
  ])("%s", async (_, args, status, text) => {
    const result = await run(args);
    expect([result.status, result.out + result.err]).toEqual([status, expect.stringContaining(text)]);
    expect(result.out + result.err).not.toContain("JBSWY3DP");
  });
});
