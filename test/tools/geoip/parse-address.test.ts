import { isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../src/tools/geoip/parse-address.js";

function reason(text: string): string | undefined {
  const parsed = parseAddress(text);
  return parsed.ok ? undefined : parsed.failure.reason;
}

function canonical(text: string): string | undefined {
  const parsed = parseAddress(text);
  return parsed.ok ? parsed.value.text : undefined;
}

describe("an address", () => {
  it.each([
    ["8.8.8.8", "8.8.8.8"],
    ["0.0.0.0", "0.0.0.0"],
    ["255.255.255.255", "255.255.255.255"],
    // RFC 4291, section 2.2
    ["ABCD:EF01:2345:6789:ABCD:EF01:2345:6789", "abcd:ef01:2345:6789:abcd:ef01:2345:6789"],
    ["2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"],
    ["FF01:0:0:0:0:0:0:101", "ff01::101"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["0:0:0:0:0:0:0:0", "::"],
    ["::13.1.68.3", "::d01:4403"],
    // RFC 5952, section 4
    ["2001:0db8::0001", "2001:db8::1"],
    ["2001:db8:0:0:0:0:2:1", "2001:db8::2:1"],
    ["2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["2001:DB8:AAAA::", "2001:db8:aaaa::"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
    ["::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"],
    ["1:2:3:4:5:6:8.8.8.8", "1:2:3:4:5:6:808:808"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
  ])("%s is %s", (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  it.each([
    "::ffff:8.8.8.8",
    "::FFFF:8.8.8.8",
    "::ffff:808:808",
    "::ffff:0808:0808",
    "0:0:0:0:0:ffff:8.8.8.8",
    "0000:0000:0000:0000:0000:ffff:0808:0808",
    "0:0::ffff:808:808",
  ])("%s is the IPv4 address in it", (text) => {
    expect(parseAddress(text)).toEqual({
      ok: true,
      value: { family: 4, bytes: [8, 8, 8, 8], text: "8.8.8.8" },
    });
  });

  it.each(["::8.8.8.8", "::ffff:0:808:808", "::fffe:8.8.8.8", "1::ffff:8.8.8.8"])("%s is IPv6", (text) => {
    const parsed = parseAddress(text);
    expect(parsed.ok && parsed.value.family).toBe(6);
  });
});

describe("what is not an address", () => {
  it.each([
    ["", "REQUIRED"],
    ["8.8.8.0/24", "IP_PREFIX_NOT_ALLOWED"],
    ["8.8.8.8/32", "IP_PREFIX_NOT_ALLOWED"],
    ["8.8.8.8/", "IP_PREFIX_NOT_ALLOWED"],
    ["8.8.8.8/255.255.255.0", "IP_PREFIX_NOT_ALLOWED"],
    ["2001:db8::/32", "IP_PREFIX_NOT_ALLOWED"],
    ["::/0", "IP_PREFIX_NOT_ALLOWED"],
    ["::ffff:8.8.8.8/128", "IP_PREFIX_NOT_ALLOWED"],
    ["fe80::1%eth0", "IP_ZONE_NOT_ALLOWED"],
    ["fe80::1%", "IP_ZONE_NOT_ALLOWED"],
    ["fe80::1%25en0", "IP_ZONE_NOT_ALLOWED"],
    ["fe80::1%eth0/64", "IP_ZONE_NOT_ALLOWED"],
    ["8.8.8.8%eth0", "INVALID_IP_ADDRESS"],
    ["999.1.1.1/24", "INVALID_IP_ADDRESS"],
    ["example.com", "INVALID_IP_ADDRESS"],
    ["localhost", "INVALID_IP_ADDRESS"],
    ["http://8.8.8.8/", "INVALID_IP_ADDRESS"],
    ["999.1.1.1", "INVALID_IP_ADDRESS"],
    ["256.0.0.1", "INVALID_IP_ADDRESS"],
    ["8.8.8", "INVALID_IP_ADDRESS"],
    ["8.8.8.8.8", "INVALID_IP_ADDRESS"],
    ["8.8.8.", "INVALID_IP_ADDRESS"],
    ["8.8.8.8.", "INVALID_IP_ADDRESS"],
    ["134744072", "INVALID_IP_ADDRESS"],
    ["0x08080808", "INVALID_IP_ADDRESS"],
    ["0x8.8.8.8", "INVALID_IP_ADDRESS"],
    ["08.8.8.8", "INVALID_IP_ADDRESS"],
    ["010.8.8.8", "INVALID_IP_ADDRESS"],
    ["-1.8.8.8", "INVALID_IP_ADDRESS"],
    ["+1.8.8.8", "INVALID_IP_ADDRESS"],
    ["1e1.8.8.8", "INVALID_IP_ADDRESS"],
    ["٨.٨.٨.٨", "INVALID_IP_ADDRESS"],
    ["8。8。8。8", "INVALID_IP_ADDRESS"],
    [" 8.8.8.8", "INVALID_IP_ADDRESS"],
    ["8.8.8.8\n", "INVALID_IP_ADDRESS"],
    ["8.8.8.8\0", "INVALID_IP_ADDRESS"],
    [" ", "INVALID_IP_ADDRESS"],
    ["8.8.8.8:53", "INVALID_IP_ADDRESS"],
    ["8.8.8.8,1.1.1.1", "INVALID_IP_ADDRESS"],
    ["[::1]", "INVALID_IP_ADDRESS"],
    [":", "INVALID_IP_ADDRESS"],
    [":::", "INVALID_IP_ADDRESS"],
    ["1:2:3:4:5:6:7", "INVALID_IP_ADDRESS"],
    ["1:2:3:4:5:6:7:8:9", "INVALID_IP_ADDRESS"],
    ["1:2:3:4:5:6:7:8::", "INVALID_IP_ADDRESS"],
    ["::1:2:3:4:5:6:7:8", "INVALID_IP_ADDRESS"],
    ["1:2:3:4::5:6:7:8", "INVALID_IP_ADDRESS"],
    ["1::2::3", "INVALID_IP_ADDRESS"],
    ["1::2::x", "INVALID_IP_ADDRESS"],
    ["12345::", "INVALID_IP_ADDRESS"],
    ["g::", "INVALID_IP_ADDRESS"],
    ["1:2:3:4:5:6:7:8.8.8.8", "INVALID_IP_ADDRESS"],
    ["::8.8.8.8:1", "INVALID_IP_ADDRESS"],
    ["::08.8.8.8", "INVALID_IP_ADDRESS"],
    ["::8.8.8", "INVALID_IP_ADDRESS"],
    ["8.8.8.8::", "INVALID_IP_ADDRESS"],
    ["1".repeat(100_000), "INVALID_IP_ADDRESS"],
    [":".repeat(100_000), "INVALID_IP_ADDRESS"],
    [`::1%${"e".repeat(100_000)}`, "IP_ZONE_NOT_ALLOWED"],
    [`8.8.8.8/${"1".repeat(100_000)}`, "IP_PREFIX_NOT_ALLOWED"],
  ])("%j: %s", (text, expected) => {
    expect(reason(text)).toBe(expected);
  });

  it("is told what to send instead", () => {
    expect(parseAddress("8.8.8.0/24")).toEqual({
      ok: false,
      failure: {
        reason: "IP_PREFIX_NOT_ALLOWED",
        description: 'must be one address without a prefix length: 8.8.8.0, with nothing from "/" on',
      },
    });
    expect(parseAddress("fe80::1%eth0")).toEqual({
      ok: false,
      failure: {
        reason: "IP_ZONE_NOT_ALLOWED",
        description: 'must be an address without a zone: fe80::1, with nothing from "%" on',
      },
    });
  });
});

describe("any text", () => {
  // Pieces of addresses, put together in right and wrong ways.
  const piece = fc.constantFrom(
    ...["::", ":", ":", ".", "1", "ffff", "0", "00000", "A", "8.8.8.8", "08.8.8.8", "255.255.255.256"],
    ...["::ffff:", "g", "-1", "+1", "0x1", " ", "1.2.3", "1:2:3:4:5:6:7", "1:2:3:4:5:6", "٨"],
  );
  const almostAddress = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    almostAddress,
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV4Extended(),
  );

  it("is an address here when it is one for node:net and has no zone", () => {
    fc.assert(
      fc.property(text, (candidate) => {
        const expected = candidate.includes("%") ? 0 : isIP(candidate);
        expect(parseAddress(candidate).ok).toBe(expected !== 0);
      }),
      { seed: 1, numRuns: 20_000 },
    );
  });

  it("has a canonical form that is its own", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (candidate) => {
        const parsed = parseAddress(candidate);
        expect(parsed.ok && parseAddress(parsed.value.text)).toEqual(parsed);
      }),
      { seed: 1, numRuns: 5_000 },
    );
  });

  it("means what a URL takes it for", () => {
    fc.assert(
      fc.property(fc.ipV6(), (candidate) => {
        const parsed = parseAddress(candidate);
        fc.pre(parsed.ok && parsed.value.family === 6);
        expect(parsed.ok && `[${parsed.value.text}]`).toBe(new URL(`http://[${candidate}]/`).hostname);
      }),
      { seed: 1, numRuns: 5_000 },
    );
  });
});
