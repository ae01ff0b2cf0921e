import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { generateSecret } from "../../../src/tools/otp/generate-secret.js";

describe("generateSecret", () => {
  it("writes 20 octets of its source as 32 characters of base32", () => {
    const sizes: number[] = [];
    const secret = generateSecret((size) => {
      sizes.push(size);
      return Buffer.from("12345678901234567890");
    });
    expect(sizes).toEqual([20]);
    expect(secret).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
  });

  it("gives 10,000 different secrets from real randomness", () => {
    const secrets = Array.from({ length: 10_000 }, () => generateSecret(randomBytes));
    expect(new Set(secrets).size).toBe(10_000);
    expect(secrets.filter((secret) => !/^[A-Z2-7]{32}$/.test(secret))).toEqual([]);
  });

  it("uses every symbol of the alphabet in every place", () => {
    const seen = Array.from({ length: 32 }, () => new Set<string>());
    for (let i = 0; i < 2000; i++) {
      for (const [place, symbol] of [...generateSecret(randomBytes)].entries()) {
        seen[place]?.add(symbol);
      }
    }
    // That one of 32 × 32 is missing after 2,000 draws has a chance of about 10^-24.
    expect(seen.map((symbols) => symbols.size)).toEqual(Array.from({ length: 32 }, () => 32));
  });
});
