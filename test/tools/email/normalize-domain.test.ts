import { domainToASCII } from "node:url";
import fc from "fast-check";
import { toASCII } from "tr46";
import { describe, expect, it } from "vitest";
import { normalizeDomain } from "../../../src/tools/email/normalize-domain.js";
import { domains } from "./generators.js";

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
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(4_000);
  });

  it("may skip UTS #46 for plain ASCII, which it only converts to lower case", () => {
    const plain = fc.stringMatching(/^[A-Za-z0-9.-]{1,40}$/).filter((domain) => !/xn--/i.test(domain));
    const strict = { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true };
    fc.assert(
      fc.property(plain, (domain) => {
        expect(toASCII(domain, strict)).toBe(domain.toLowerCase());
      }),
      { numRuns: 5_000 },
    );
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
