import { domainToASCII } from "node:url";
import fc from "fast-check";
import { toASCII } from "tr46";
import { describe, expect, it } from "vitest";
import { normalizeDomain } from "../../../src/tools/email/normalize-domain.js";
import { domains } from "./generators.js";

const UTS46 = { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true };

/** Expects the result of UTS #46, or a failure for one of the other rules. */
function expectUts46(domain: string): void {
  const result = normalizeDomain(domain);
  const ascii = toASCII(domain, UTS46);
  const isRejected = !result.ok && result.failure.description.startsWith("the domain must be made of");
  if (result.ok ? result.value !== ascii : isRejected && ascii !== null) {
    throw new Error(`${domain} should become ${ascii}`);
  }
}

describe("normalizeDomain", () => {
  it("agrees with Node's UTS #46 for accepted domains", () => {
    let accepted = 0;
    fc.assert(
      fc.property(domains, (domain) => {
        const result = normalizeDomain(domain);
        if (result.ok) {
          accepted += 1;
          expect(result.value).toBe(domainToASCII(domain));
        }
      }),
      { numRuns: 1_000 },
    );
    expect(accepted).toBeGreaterThan(800);
  });

  it("may skip UTS #46 for plain ASCII, which it only converts to lower case", () => {
    const plain = fc.stringMatching(/^[A-Za-z0-9.-]{1,40}$/).filter((domain) => !/xn--/i.test(domain));
    const strict = { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true };
    fc.assert(
      fc.property(plain, (domain) => {
        expect(toASCII(domain, strict)).toBe(domain.toLowerCase());
      }),
      { numRuns: 1_000 },
    );
  });

  it("agrees with UTS #46 for the letters that Node converts, each alone and among others", () => {
    const letters = /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}가-힣]/u;
    const scripts = new Map<string, string[]>();
    // Ideographs and Hangul syllables. None is mapped to another character, so that one of eight is enough.
    const alike = /[\u3400-\u9fff가-힣\u{20000}-\u{2f7ff}\u{30000}-\u{31fff}]/u;
    for (let codePoint = 0x80; codePoint < 0x32_000; codePoint++) {
      const character = String.fromCodePoint(codePoint);
      if (letters.test(character) && (codePoint % 8 === 0 || !alike.test(character))) {
        const block = `${codePoint >> 12}`;
        const characters = scripts.get(block) ?? [];
        characters.push(character);
        scripts.set(block, characters);
        expectUts46(`a${character}.example`);
      }
    }
    const label = fc
      .constantFrom(...scripts.values())
      .chain((characters) =>
        fc.array(fc.constantFrom(...characters, "a", "0", "-"), { minLength: 1, maxLength: 8 }),
      )
      .map((characters) => characters.join(""));
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 3 }), (labels) => {
        expectUts46([...labels, "de"].join("."));
      }),
      { numRuns: 2_000 },
    );
  });

  it("rejects only names that are too long before it converts them", () => {
    const name = `${"a".repeat(62)}.`.repeat(3);
    const wrong: string[] = [];
    // The blocks with characters that the conversion removes or maps to ASCII.
    const blocks = [
      [0x80, 0x600],
      [0x17b0, 0x1820],
      [0x1d00, 0x2500],
      [0xfe00, 0xffff],
      [0x1d400, 0x1d800],
    ] as const;
    for (const codePoint of blocks.flatMap(([from, to]) =>
      Array.from({ length: to - from }, (_, index) => from + index),
    )) {
      // A character that the conversion removes, or maps to one letter, leaves a name of 252 or 253 bytes.
      const domain = `${name}${"b".repeat(60)}${String.fromCodePoint(codePoint)}.de`;
      const result = normalizeDomain(domain);
      if (!result.ok && result.failure.reason === "DOMAIN_TOO_LONG") {
        const ascii = toASCII(domain, UTS46);
        if (ascii !== null && ascii.length <= 253) {
          wrong.push(domain);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ["80 labels", `${"ا.".repeat(80)}de`, "DOMAIN_TOO_LONG"],
    ["as many labels as can be too long", `${"ا.".repeat(36)}de`, "DOMAIN_TOO_LONG"],
    ["80 labels of letters that Node converts", `${"ü.".repeat(80)}de`, "DOMAIN_TOO_LONG"],
  ])("rejects %s", (_name, domain, reason) => {
    expect(normalizeDomain(domain)).toMatchObject({ ok: false, failure: { reason } });
  });

  it("limits the length of labels and names in A-labels", () => {
    const label = "ü".repeat(53);
    expect(normalizeDomain(`${label}.de`)).toEqual({ ok: true, value: domainToASCII(`${label}.de`) });
    const name = `${"a".repeat(63)}.`.repeat(3);
    expect(normalizeDomain(`${name}${"b".repeat(58)}.de`)).toMatchObject({ ok: true });
    expect(normalizeDomain(`${name}${"b".repeat(59)}.de`)).toMatchObject({
      failure: { reason: "DOMAIN_TOO_LONG" },
    });
  });
});
