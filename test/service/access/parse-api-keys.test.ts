import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../../src/service/access/api-key.js";
import { parseApiKeys } from "../../../src/service/access/parse-api-keys.js";

const hex = (key: string) => digestOf(key).toString("hex");
const A = hex("a");
const B = hex("b");

/** FIPS 180-4's SHA-256 of "abc": https://csrc.nist.gov/csrc/media/projects/cryptographic-standards-and-guidelines/documents/examples/sha256.pdf */
const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

const problems = (text: string) => {
  const parsed = parseApiKeys(text);
  return parsed.ok ? undefined : parsed.failure.description;
};

test("reads names and digests", () => {
  expect(parseApiKeys(`alice ${ABC}`)).toEqual({
    ok: true,
    value: [{ name: "alice", digest: digestOf("abc") }],
  });
});

test.each([
  ["nothing", "", []],
  ["comments and empty lines alone", "# keys\n\n   \n\t# more\n", []],
  ["a byte order mark and CRLF", `\uFEFFa ${A}\r\n\r\nb ${B}\r\n`, ["a", "b"]],
  ["tabs and spaces around and between", `\t a \t ${A}  `, ["a"]],
  ["capital digits", `a ${A.toUpperCase()}`, ["a"]],
  [
    "the longest name, of every kind of character",
    `${"aZ9._-".padEnd(64, "x")} ${A}`,
    ["aZ9._-".padEnd(64, "x")],
  ],
])("takes %s", (_, text, names) => {
  const parsed = parseApiKeys(text);
  expect(parsed.ok && parsed.value.map(({ name }) => name)).toEqual(names);
});

const FORM = "must be a name (1 to 64 of A-Z a-z 0-9 . _ -), a space and a SHA-256 in 64 hexadecimal digits";

test.each([
  ["no hash", "a", `line 1 ${FORM}`],
  ["a hash alone", A, `line 1 ${FORM}`],
  ["a hash that is too short", `a ${A.slice(1)}`, `line 1 ${FORM}`],
  ["a hash that is too long", `a ${A}0`, `line 1 ${FORM}`],
  ["something behind the hash", `a ${A} x`, `line 1 ${FORM}`],
  ["a name of 65 characters", `${"a".repeat(65)} ${A}`, `line 1 ${FORM}`],
  ["a name that is not ASCII", `ä ${A}`, `line 1 ${FORM}`],
  ["a name twice", `a ${A}\na ${B}`, "line 2 has the name of line 1"],
  ["a key twice", `a ${A}\n#\nb ${A.toUpperCase()}`, "line 3 has the hash of line 1"],
  [
    "a key in place of its hash",
    "a ut_secret",
    "line 1 seems to have a key itself, which should be replaced now: only its SHA-256 belongs in this file",
  ],
  [
    "a key for a name, which would be in logs",
    `ut_${"-_v7".repeat(10)}-_s ${A}`,
    "line 1 seems to have a key itself, which should be replaced now: only its SHA-256 belongs in this file",
  ],
  [
    "several problems",
    `a\nb ${B}\nc x\nb ${A}`,
    `line 1 ${FORM}; line 3 ${FORM}; line 4 has the name of line 2`,
  ],
])("refuses %s", (_, text, description) => {
  expect(problems(text)).toBe(description);
});

test("lists twenty problems, and says how many there are besides", () => {
  expect(problems("x\n".repeat(25))?.split("; ")).toHaveLength(21);
  expect(problems("x\n".repeat(25))).toMatch(/; and 5 more$/);
});

test("takes a thousand keys, and no more", () => {
  const lines = Array.from({ length: 1_001 }, (_, index) => `n${index} ${hex(`k${index}`)}`);
  expect(problems(lines.slice(1).join("\n"))).toBeUndefined();
  expect(problems(lines.join("\n"))).toBe("there are 1001 keys; allowed: 1000");
});

describe("of any text", () => {
  const word = fc.oneof(
    fc.string({ unit: "binary", maxLength: 80 }),
    fc.stringMatching(/^[0-9a-f]{63,65}$/),
    fc.constant(A),
    fc.stringMatching(/^[A-Za-z0-9._-]{1,65}$/),
  );
  const text = fc
    .array(fc.array(word, { maxLength: 3 }).map((words) => words.join(" ")))
    .map((lines) => lines.join("\n"));

  test("says nothing that is in it", () => {
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

  test("keys that were read are unique and well-formed", () => {
    fc.assert(
      fc.property(text, (given) => {
        const parsed = parseApiKeys(given);
        const keys = parsed.ok ? parsed.value : [];
        expect(new Set(keys.map(({ name }) => name)).size).toBe(keys.length);
        expect(new Set(keys.map(({ digest }) => digest.toString("hex"))).size).toBe(keys.length);
        expect(keys.every(({ digest }) => digest.length === 32)).toBe(true);
      }),
    );
  });

  test("what was written is read back", () => {
    const named = fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/), { maxLength: 20 });
    fc.assert(
      fc.property(named, (names) => {
        const parsed = parseApiKeys(names.map((name) => `${name} ${hex(name)}\n# ${name}\n`).join("\n"));
        expect(parsed).toEqual({ ok: true, value: names.map((name) => ({ name, digest: digestOf(name) })) });
      }),
    );
  });
});
