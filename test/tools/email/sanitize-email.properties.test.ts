import fc from "fast-check";
import { toUnicode } from "tr46";
import { describe, expect, it } from "vitest";
import { isDotAtom, parseEmailAddress } from "../../../src/tools/email/email-address.js";
import { normalizeDomain } from "../../../src/tools/email/normalize-domain.js";
import { sanitizeEmail } from "../../../src/tools/email/sanitize-email.js";
import { addresses, anyStrings, domains } from "./generators.js";

describe("sanitizeEmail", () => {
  it("is idempotent, and returns addresses within the limits", () => {
    let results = 0;
    let changed = 0;
    fc.assert(
      fc.property(addresses, (input) => {
        const first = sanitizeEmail(input);
        if (!first.ok) {
          return;
        }
        const email = first.value;
        results += 1;
        changed += email === input ? 0 : 1;
        mustEqual(sanitizeEmail(email), email);
        mustEqual({ ok: true, value: email.normalize("NFC") }, email);
        const at = email.lastIndexOf("@");
        if (Buffer.byteLength(email) > 254 || Buffer.byteLength(email.slice(0, at)) > 64) {
          throw new Error(`too long: ${email}`);
        }
        const parsed = parseEmailAddress(email);
        if (!parsed.ok || parsed.value.quoted === isDotAtom(parsed.value.localPart)) {
          throw new Error(`not in normal form: ${email}`);
        }
        mustEqual(normalizeDomain(parsed.value.domain), email.slice(at + 1));
      }),
      { numRuns: 2_000 },
    );
    expect(results).toBeGreaterThan(1_667);
    expect(changed).toBeGreaterThan(834);
  });

  it("never throws for any string", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(anyStrings, (input) => {
        const result = sanitizeEmail(input);
        if (result.ok) {
          mustEqual(sanitizeEmail(result.value), result.value);
        } else if (!/^[A-Z_]+$/.test(result.failure.reason) || result.failure.description === "") {
          throw new Error(`no reason for ${JSON.stringify(input)}`);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("only lower-cases ordinary addresses and removes their suffix", () => {
    const ordinary = fc.stringMatching(/^[A-Za-z0-9_-]{1,8}([.+-][A-Za-z0-9_]{1,8}){0,3}$/);
    fc.assert(
      fc.property(ordinary, (localPart) => {
        const [name] = localPart.toLowerCase().split("+");
        expect(sanitizeEmail(`${localPart}@Example.COM`)).toEqual({ ok: true, value: `${name}@example.com` });
      }),
      { numRuns: 2_000 },
    );
  });

  it("returns one address for canonically equivalent spellings", () => {
    alike(addresses, (address) => address.normalize("NFD"));
  });

  it("returns one address for a domain in A-labels and in U-labels", () => {
    fc.assert(
      fc.property(domains, (domain) => {
        const ascii = normalizeDomain(domain);
        if (ascii.ok) {
          const unicode = toUnicode(ascii.value).domain;
          expect(sanitizeEmail(`user@${unicode}`)).toEqual(sanitizeEmail(`user@${ascii.value}`));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("returns one address with and without unnecessary quotes", () => {
    alike(UNQUOTED, (address) => address.replace(/^(.*)@/u, '"$1"@'));
  });

  it("returns one address with and without a suffix", () => {
    alike(UNQUOTED, (address) => address.replace("@", "+suffix@"));
  });

  it("returns one address for the dots of Gmail and the dots, hyphens and underscores of Proton Mail", () => {
    const names = fc.stringMatching(/^[a-z]{2,10}$/);
    fc.assert(
      fc.property(names, fc.constantFrom(".", "-", "_"), fc.nat(), (name, character, seed) => {
        const place = 1 + (seed % (name.length - 1));
        const written = name.slice(0, place) + character + name.slice(place);
        const gmail = character === "." ? name : written;
        expect(sanitizeEmail(`${written}@gmail.com`)).toEqual({ ok: true, value: `${gmail}@gmail.com` });
        expect(sanitizeEmail(`${written}@proton.me`)).toEqual({ ok: true, value: `${name}@proton.me` });
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Generates addresses that are short enough for quotes or a suffix, without a suffix that stays (`+x`, `a.+x`). */
const UNQUOTED = addresses.filter((address) => {
  const parsed = parseEmailAddress(address);
  return (
    parsed.ok &&
    !parsed.value.quoted &&
    Buffer.byteLength(parsed.value.localPart) <= 50 &&
    !/^\+|\.\+/.test(parsed.value.localPart) &&
    sanitizeEmail(address).ok
  );
});

function alike(inputs: fc.Arbitrary<string>, respell: (input: string) => string): void {
  fc.assert(
    fc.property(inputs, (input) => {
      const result = sanitizeEmail(input);
      const other = sanitizeEmail(respell(input));
      if (result.ok && other.ok) {
        expect(other.value).toBe(result.value);
      } else {
        // A longer spelling may exceed a limit.
        const reasons = [result, other].flatMap((each) => (each.ok ? [] : [each.failure.reason]));
        expect(reasons.every((reason) => reason.endsWith("_TOO_LONG") || reasons[0] === reasons[1])).toBe(
          true,
        );
      }
    }),
    { numRuns: 1_000 },
  );
}

// Plain comparisons, because matchers for so many addresses would take most of the time.
function mustEqual(actual: { readonly ok: boolean; readonly value?: string }, expected: string): void {
  if (!actual.ok || actual.value !== expected) {
    throw new Error(`${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
  }
}
