import { describe, expect, it } from "vitest";
import { normalizeDomain } from "../../../src/tools/email/normalize-domain.js";
import { MAIL_PROVIDERS, mailProviderOf } from "../../../src/tools/email/provider-rules.js";

const ALL_DOMAINS = MAIL_PROVIDERS.flatMap(({ domains }) => domains);

describe("MAIL_PROVIDERS", () => {
  it.each(ALL_DOMAINS)("contains %s in its normal form", (domain) => {
    expect(normalizeDomain(domain)).toEqual({ ok: true, value: domain });
  });

  it("has no duplicate domains and no subdomains of others", () => {
    expect(new Set(ALL_DOMAINS).size).toBe(ALL_DOMAINS.length);
    const parents = ALL_DOMAINS.map((domain) => domain.slice(domain.indexOf(".") + 1));
    expect(parents.filter((parent) => mailProviderOf(parent) !== undefined)).toEqual([]);
  });

  it.each(MAIL_PROVIDERS)(
    "folds $name to one of its own domains, and says where that is written",
    (provider) => {
      expect(provider.domains).toContain(provider.mailboxDomain ?? provider.domains[0]);
      expect(provider.sources.length).toBeGreaterThan(0);
      for (const source of provider.sources) {
        expect(new URL(source).protocol).toBe("https:");
      }
    },
  );

  it("never ignores the plus sign of the suffix", () => {
    expect(
      MAIL_PROVIDERS.filter(({ ignored = "", likeDot = "" }) => (ignored + likeDot).includes("+")),
    ).toEqual([]);
  });
});

describe("mailProviderOf", () => {
  it("matches only exact domains", () => {
    expect(mailProviderOf("googlemail.com")?.name).toBe("Gmail");
    expect(mailProviderOf("sent.com")?.name).toBe("Fastmail");
    expect(mailProviderOf("mail.gmail.com")).toBeUndefined();
    expect(mailProviderOf("constructor")).toBeUndefined();
  });
});
