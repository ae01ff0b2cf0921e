import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runHere } from "../run-tools.js";

const LINK =
  "otpauth-migration://offline?data=CjEKCkhlbGxvId6tvu8SGEV4YW1wbGU6YWxpY2VAZ29vZ2xlLmNvbRoHRXhhbXBsZTAC";
const URI =
  "otpauth://totp/Example:alice%40google.com?secret=JBSWY3DPEHPK3PXP&issuer=Example&algorithm=SHA1&digits=6&period=30";
const folder = mkdtempSync(join(tmpdir(), "utility-tools-import-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("otp import", () => {
  test("writes the key URI of each account, which otp code takes", async () => {
    const file = join(folder, "export.txt");
    writeFileSync(file, `${LINK}\n\n${LINK}\n`);
    const imported = await runHere(["otp", "import", "-f", file]);
    expect(imported).toEqual({ status: 0, out: `${URI}\n${URI}\n`, err: "" });
    const codes = await runHere(["otp", "code"], { input: imported.out });
    const [first, second] = codes.out.trim().split("\n");
    expect([codes.status, first]).toEqual([0, second]);
    const alone = await runHere(["otp", "verify", "JBSWY3DPEHPK3PXP", "--json"]);
    expect(Object.values(JSON.parse(alone.out).otp_codes)).toContain(first);
  });

  test("writes accounts as JSON", async () => {
    const { out } = await runHere(["otp", "import", "--json"], { input: LINK });
    expect(JSON.parse(out)).toMatchObject({
      label: "alice@google.com",
      issuer: "Example",
      type: "totp",
      uri: URI,
    });
  });

  test("reports a link that is not valid by its number, and writes the others", async () => {
    const { status, out, err } = await runHere(["otp", "import"], { input: `JBSWY3DPEHPK3PXP\n${LINK}` });
    expect([status, out]).toEqual([1, `${URI}\n`]);
    expect(err).toMatch(/^utility-tools otp import: link 1 must be a complete link/);
    expect(err).not.toContain("JBSWY3DP");
  });

  test("reports links that are missing", async () => {
    const data = Buffer.concat([
      Buffer.from(new URL(LINK).searchParams.get("data") ?? "", "base64"),
      // batch_size = 3 and batch_index = 1
      Buffer.of(0x18, 0x03, 0x20, 0x01),
    ]).toString("base64url");
    const { status, out, err } = await runHere(["otp", "import"], {
      input: `otpauth-migration://offline?data=${data}`,
    });
    expect([status, out]).toEqual([1, `${URI}\n`]);
    expect(err).toBe("utility-tools otp import: the export has 3 links, of which 2 are missing\n");
  });

  test("counts the links of each export", async () => {
    const linkOf = (id: number, index: number) => {
      const data = Buffer.concat([
        Buffer.from(new URL(LINK).searchParams.get("data") ?? "", "base64"),
        Buffer.of(0x18, 2, 0x20, index, 0x28, id),
      ]);
      return `otpauth-migration://offline?data=${data.toString("base64url")}`;
    };
    const twoExports = await runHere(["otp", "import"], { input: `${linkOf(1, 0)}\n${linkOf(2, 1)}` });
    expect([twoExports.status, twoExports.err]).toEqual([
      1,
      "utility-tools otp import: export 1 has 2 links, of which 1 are missing\n" +
        "utility-tools otp import: export 2 has 2 links, of which 1 are missing\n",
    ]);
    const whole = await runHere(["otp", "import"], { input: `${linkOf(1, 1)}\r\n${linkOf(1, 0)}` });
    expect(whole).toMatchObject({ status: 0, err: "" });
  });

  test("writes an account that otp code rejects, and says why", async () => {
    const entry = { type: "totp", name: "jane", issuer: "ACME", info: { secret: "GEZDGNBV" } };
    const { status, out, err } = await runHere(["otp", "import"], {
      input: JSON.stringify({ db: { entries: [entry] } }),
    });
    expect([status, out]).toEqual([
      1,
      "otpauth://totp/ACME:jane?secret=GEZDGNBV&issuer=ACME&algorithm=SHA1&digits=6&period=30\n",
    ]);
    expect(err).toBe(
      "utility-tools otp import: account 1 is written, but otp code rejects it: its key URI has a parameter secret that must " +
        "have at least 80 bits (16 characters of base32), has 40\n",
    );
  });

  test("needs a link, and a file that can be read", async () => {
    expect(await runHere(["otp", "import"])).toMatchObject({ status: 2, out: "" });
    const missing = await runHere(["otp", "import", "-f", join(folder, "none")]);
    expect(missing).toMatchObject({ status: 74, out: "" });
  });
});

describe("a key URI as an argument", () => {
  test("can be that of Steam", async () => {
    const uri = "otpauth://totp/a?secret=63BEDWCQZKTQWPESARIERL5DTTQFCJTK&encoder=steam";
    const { out } = await runHere(["otp", "code", uri]);
    expect(out).toMatch(/^[2-9BCDFGHJKMNPQRTVWXY]{5}\n$/);
    expect(await runHere(["otp", "verify", uri, "--code", out.trim().toLowerCase()])).toMatchObject({
      status: 0,
    });
  });

  test("has its own options", async () => {
    const uri = "otpauth://hotp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&counter=4";
    expect(await runHere(["hotp", "verify", uri, "--code", "338 314"])).toMatchObject({
      status: 0,
      out: "valid: counter 4\n",
    });
    expect(await runHere(["hotp", "verify", uri, "--counter", "9", "--code", "520489"])).toMatchObject({
      out: "valid: counter 9\n",
    });
  });

  test("of another type is an error that repeats nothing of it", async () => {
    const { status, out, err } = await runHere(["otp", "code", URI.replace("totp", "hotp")]);
    expect([status, out]).toEqual([1, ""]);
    expect(err).toBe(
      "utility-tools otp code: key_uri: is that of a counter-based account (hotp): its type is counter_based\n",
    );
  });

  test("can contradict a flag", async () => {
    const { status, err } = await runHere(["otp", "verify", URI, "--digits", "8"]);
    expect(status).toBe(1);
    expect(err).toMatch(/digits: must not differ from that of key_uri/);
    expect(err).not.toContain("JBSWY3DP");
  });
});

test.each(["12345a", "", "12-34", "FR8R"])("the code %j is an error", async (code) => {
  const { status, out, err } = await runHere(["otp", "verify", "JBSWY3DPEHPK3PXP", "--json", "--code", code]);
  expect([status, out]).toEqual([2, ""]);
  expect(err).toMatch(/--code must be a code of digits, or of Steam's five letters/);
});
