import { createHash, randomBytes } from "node:crypto";
import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestOf, makeApiKey, parseApiKeys } from "../../src/access/api-keys.js";
import { keyFromHeaders } from "../../src/access/require-api-key.js";

describe("makeApiKey", () => {
  test("returns 32 random bytes in base64url, and a line with their SHA-256", () => {
    const key = `ut_${"-_v7".repeat(10)}-_s`;
    const made = makeApiKey("ci", (size) =>
      Buffer.from("-_v7".repeat(10).concat("-_s"), "base64url").subarray(0, size),
    );
    const sha256 = createHash("sha256").update(key).digest("hex");
    expect(made).toEqual({ ok: true, value: { key, line: `ci ${sha256}` } });
  });

  test("the line is valid in the file, and the key in requests", () => {
    const made = makeApiKey("ci", randomBytes);
    const parsed = parseApiKeys(made.ok ? made.value.line : "");
    expect(parsed.ok && [...parsed.value.values()]).toEqual([{ name: "ci", expiresAt: undefined }]);
    expect(made.ok && keyFromHeaders(`Bearer ${made.value.key}`, undefined)).toMatchObject({ form: "key" });
  });

  const KEY = `ut_${"-_v7".repeat(10)}-_s`;

  test.each(["", "a b", "#a", "a".repeat(65), "ä", "a\n", KEY, `a.${KEY}`])("rejects the name %j", (name) => {
    expect(makeApiKey(name, randomBytes)).toMatchObject({
      ok: false,
      failure: { reason: "INVALID_KEY_NAME" },
    });
  });
});

describe("parseApiKeys", () => {
  const [A, B, C] = [digestOf("a"), digestOf("b"), digestOf("c")];

  /** FIPS 180-4's SHA-256 of "abc": https://csrc.nist.gov/csrc/media/projects/cryptographic-standards-and-guidelines/documents/examples/sha256.pdf */
  const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  const problems = (text: string) => {
    const parsed = parseApiKeys(text);
    return parsed.ok ? undefined : parsed.failure.description;
  };

  test("reads names and digests", () => {
    expect(parseApiKeys(`alice ${ABC}`)).toEqual({
      ok: true,
      value: new Map([[digestOf("abc"), { name: "alice", expiresAt: undefined }]]),
    });
  });

  test.each([
    ["nothing", "", []],
    ["comments and empty lines alone", "# keys\n\n   \n\t# more\n", []],
    ["a byte order mark and CRLF", `\uFEFFa ${A}\r\n\r\nb ${B}\r\n`, ["a", "b"]],
    ["tabs and spaces around and between", `\t a \t ${A}  `, ["a"]],
    ["capital digits", `a ${A.toUpperCase()}`, ["a"]],
    ["two keys of a name", `a ${A}\na ${B}`, ["a", "a"]],
    [
      "the longest name, of every kind of character",
      `${"aZ9._-".padEnd(64, "x")} ${A}`,
      ["aZ9._-".padEnd(64, "x")],
    ],
  ])("accepts %s", (_, text, names) => {
    const parsed = parseApiKeys(text);
    expect(parsed.ok && [...parsed.value.values()].map(({ name }) => name)).toEqual(names);
  });

  const FORM =
    "must be a name (1 to 64 of A-Z a-z 0-9 . _ -), a space and a SHA-256 in 64 hexadecimal digits";

  const EXPIRY =
    "must have nothing after the SHA-256, or a date or a time in UTC, such as 2027-01-31 or 2027-01-31T12:00:00Z";

  test.each([
    ["no hash", "a", `line 1 ${FORM}`],
    ["a hash alone", A, `line 1 ${FORM}`],
    ["a hash that is too short", `a ${A.slice(1)}`, `line 1 ${FORM}`],
    ["a hash that is too long", `a ${A}0`, `line 1 ${FORM}`],
    ["text after the hash", `a ${A} x`, `line 1 ${EXPIRY}`],
    ["text after the expiry", `a ${A} 2027-01-31 x`, `line 1 ${EXPIRY}`],
    ["a date that does not exist", `a ${A} 2027-02-30`, `line 1 ${EXPIRY}`],
    ["a time in another zone", `a ${A} 2027-01-31T12:00:00+01:00`, `line 1 ${EXPIRY}`],
    ["a name of 65 characters", `${"a".repeat(65)} ${A}`, `line 1 ${FORM}`],
    ["a name that is not ASCII", `ä ${A}`, `line 1 ${FORM}`],
    ["a name three times", `a ${A}\na ${B}\na ${C}`, "line 3 must not have the name of 2 other lines"],
    ["a key twice", `a ${A}\n#\nb ${A.toUpperCase()}`, "line 3 must not have the hash of line 1"],
    [
      "a key in place of its hash",
      "a ut_secret",
      "line 1 must not have a key itself, which should be replaced now: only its SHA-256 belongs in this file",
    ],
    [
      "a key as a name, which would appear in logs",
      `ut_${"-_v7".repeat(10)}-_s ${A}`,
      "line 1 must not have a key itself, which should be replaced now: only its SHA-256 belongs in this file",
    ],
    [
      "several problems",
      `a\nb ${B}\nc x\nb ${B}`,
      `lines 1 and 3 ${FORM}; line 4 must not have the hash of line 2`,
    ],
  ])("rejects %s", (_, text, description) => {
    expect(problems(text)).toBe(description);
  });

  test("lists ten lines with the same problem in one sentence", () => {
    expect(problems("x\n".repeat(10))).toBe(`lines 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 ${FORM}`);
  });

  test("lists at most twenty lines and counts the rest", () => {
    const numbers = Array.from({ length: 19 }, (_, index) => index + 1).join(", ");
    expect(problems("x\n".repeat(25))).toBe(`lines ${numbers} and 20 ${FORM}; and 5 more`);
    const again = `a ${A}\n`.repeat(4);
    expect(problems(`${"x\n".repeat(20)}${again}`)).toBe(`lines ${numbers} and 20 ${FORM}; and 3 more`);
  });

  test("accepts 100,000 keys, and no more", () => {
    const lines = Array.from(
      { length: 100_001 },
      (_, index) => `n${index} ${index.toString(16).padStart(64, "0")}`,
    );
    expect(problems(lines.slice(1).join("\n"))).toBeUndefined();
    expect(problems(lines.join("\n"))).toBe("line 100001 must not exist: a file has at most 100000 keys");
  });

  describe("on any text", () => {
    const word = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 80 }),
      fc.stringMatching(/^[0-9a-f]{63,65}$/),
      fc.constant(A),
      fc.stringMatching(/^[A-Za-z0-9._-]{1,65}$/),
    );
    const text = fc
      .array(fc.array(word, { maxLength: 3 }).map((words) => words.join(" ")))
      .map((lines) => lines.join("\n"));

    test("never quotes it", () => {
      const secret = "Zq7-correct-horse";
      fc.assert(
        fc.property(text, fc.nat({ max: 3 }), (before, at) => {
          const line = [secret, `a ${secret}`, `${secret} ${secret}`, `a ${A} ${secret}`][at];
          const parsed = parseApiKeys(`${before}\n${line}`);
          expect(parsed.ok).toBe(false);
          expect(JSON.stringify(parsed)).not.toContain(secret);
        }),
      );
    });

    test("returns well-formed keys", () => {
      fc.assert(
        fc.property(text, (given) => {
          const parsed = parseApiKeys(given);
          const keys = parsed.ok ? parsed.value : parsed.failure.keys;
          for (const [digest, { name }] of keys) {
            expect(`${name} ${digest}`).toMatch(/^[A-Za-z0-9._-]{1,64} [0-9a-f]{64}$/);
          }
        }),
      );
    });

    test("reads back what was written", () => {
      const named = fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/), { maxLength: 20 });
      fc.assert(
        fc.property(named, (names) => {
          const lines = names.map((name) => `${name} ${digestOf(name)} 2027-01-31\n# ${name}\n`);
          const expiresAt = Date.UTC(2027, 0, 31);
          const value = new Map(names.map((name) => [digestOf(name), { name, expiresAt }]));
          expect(parseApiKeys(lines.join("\n"))).toEqual({ ok: true, value });
        }),
      );
    });
  });
});
