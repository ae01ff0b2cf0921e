import { isIP } from "node:net";
import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressAfter, ipAddress, networkOf, parseAddress } from "../../src/text/ip-address.js";
import { address, bounds, toBytes, toNumber } from "../tools/geoip/test-databases.js";

const ipv6Bytes = fc.array(
  fc.oneof({ weight: 2, arbitrary: fc.constant([0, 0]) }, fc.tuple(fc.nat(255), fc.nat(255))),
  { minLength: 8, maxLength: 8 },
);

describe("ipAddress", () => {
  it("formats IPv6 as a URL does", () => {
    fc.assert(
      fc.property(ipv6Bytes, (groups) => {
        const { text, family } = ipAddress(groups.flat());
        // ::ffff:0:0/96 is IPv4 here and stays IPv6 in a URL.
        fc.pre(family === 6);
        const spelledOut = groups.map(([high = 0, low = 0]) => ((high << 8) | low).toString(16)).join(":");
        expect(`[${text}]`).toBe(new URL(`http://[${spelledOut}]/`).hostname);
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  it("converts IPv4-mapped addresses, and no others, to IPv4", () => {
    expect(ipAddress([...new Array<number>(10).fill(0), 255, 255, 8, 8, 4, 4])).toEqual({
      family: 4,
      bytes: [8, 8, 4, 4],
      text: "8.8.4.4",
    });
    expect(ipAddress([...new Array<number>(12).fill(0), 8, 8, 4, 4]).text).toBe("::808:404");
    expect(ipAddress([1, ...new Array<number>(9).fill(0), 255, 255, 8, 8, 4, 4]).text).toBe(
      "100::ffff:808:404",
    );
  });
});

describe("networkOf", () => {
  it.each([
    ["8.8.8.8", 32, "8.8.8.8/32"],
    ["8.8.8.8", 24, "8.8.8.0/24"],
    ["8.8.8.255", 25, "8.8.8.128/25"],
    ["255.255.255.255", 1, "128.0.0.0/1"],
    ["255.255.255.255", 0, "0.0.0.0/0"],
    ["2001:4860:4860::8888", 42, "2001:4860:4840::/42"],
    ["2001:db8::1", 128, "2001:db8::1/128"],
    ["ffff::", 0, "::/0"],
  ])("%s/%d", (text, prefixLength, expected) => {
    expect(networkOf(address(text), prefixLength)).toBe(expected);
  });
});

describe("addressAfter", () => {
  it.each([
    ["8.8.8.8", 32, "8.8.8.9"],
    ["8.8.8.8", 24, "8.8.9.0"],
    ["8.255.255.255", 32, "9.0.0.0"],
    ["1.2.3.4", 1, "128.0.0.0"],
    ["::", 3, "2000::"],
    ["2001:4860:4860::8888", 42, "2001:4860:4880::"],
  ])("after the network of %s/%d comes %s", (text, prefixLength, expected) => {
    expect(addressAfter(address(text), prefixLength)?.text).toBe(expected);
  });

  it.each([
    ["255.255.255.255", 32],
    ["240.0.0.0", 4],
    ["1.2.3.4", 0],
    ["ffff::", 3],
  ])("after the network of %s/%d comes nothing", (text, prefixLength) => {
    expect(addressAfter(address(text), prefixLength)).toBeUndefined();
  });

  it("returns the address after the network of networkOf", () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 2n ** 128n - 1n),
        fc.integer({ min: 0, max: 128 }),
        (number, prefixLength) => {
          const bytes = toBytes(number, 128);
          const start = ipAddress(bytes);
          fc.pre(start.family === 6);
          const next = addressAfter(start, prefixLength);
          const { last } = bounds(networkOf(start, prefixLength));
          expect(next === undefined ? 2n ** 128n : toNumber(next)).toBe(last + 1n);
        },
      ),
      { seed: 1, numRuns: 1_000 },
    );
  });
});

function reason(text: string): string | undefined {
  const parsed = parseAddress(text);
  return parsed.ok ? undefined : parsed.failure.reason;
}

function canonical(text: string): string | undefined {
  const parsed = parseAddress(text);
  return parsed.ok ? parsed.value.text : undefined;
}

describe("parseAddress accepts", () => {
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
  ])("%s as %s", (text, expected) => {
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
  ])("%s as an IPv4 address", (text) => {
    expect(parseAddress(text)).toEqual({
      ok: true,
      value: { family: 4, bytes: [8, 8, 8, 8], text: "8.8.8.8" },
    });
  });

  it.each(["::8.8.8.8", "::ffff:0:808:808", "::fffe:8.8.8.8", "1::ffff:8.8.8.8"])(
    "%s as an IPv6 address",
    (text) => {
      const parsed = parseAddress(text);
      expect(parsed.ok && parsed.value.family).toBe(6);
    },
  );
});

describe("the message of an invalid address", () => {
  const MESSAGE = "must be an IPv4 or IPv6 address, such as 8.8.8.8 or 2001:4860:4860::8888";

  it.each([
    ["x", ""],
    ["999.1.1.1", ""],
    ["999.1.1.1:80", ""],
    ["1:2:3:4:5:6:7:8:9", ""],
    ["a@example.com", ""],
    ["0x8.8.8.8", ""],
    ["8.8.8.0", undefined],
    [" 8.8.8.8", "; white space is not accepted: use 8.8.8.8"],
    ["2001:db8::1\t", "; white space is not accepted: use 2001:db8::1"],
    ["8.8.8.8:53", "; ports are not accepted: use 8.8.8.8"],
    ["[2001:db8::1]", "; brackets are not accepted: use 2001:db8::1"],
    ["[2001:db8::1]:443", "; brackets and ports are not accepted: use 2001:db8::1"],
    ["08.8.8.8", "; leading zeros are not accepted, because some programs read such numbers as octal"],
    ["dns.google", "; host names are not looked up"],
    ["www.example.com.", "; host names are not looked up"],
    [`${"a.".repeat(100)}com`, ""],
  ])("of %j ends with %j", (text, problem) => {
    const parsed = parseAddress(text);
    expect(parsed.ok ? undefined : parsed.failure.description).toBe(
      problem === undefined ? undefined : MESSAGE + problem,
    );
  });
});

describe("parseAddress rejects", () => {
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

  it("describes what to send instead", () => {
    expect(parseAddress("8.8.8.0/24")).toEqual({
      ok: false,
      failure: { reason: "IP_PREFIX_NOT_ALLOWED", description: "must not have a prefix length: use 8.8.8.0" },
    });
    expect(parseAddress("fe80::1%eth0")).toEqual({
      ok: false,
      failure: { reason: "IP_ZONE_NOT_ALLOWED", description: "must not have a zone: use fe80::1" },
    });
  });
});

describe("parseAddress on any text", () => {
  // Parts of addresses, combined in valid and invalid ways.
  const piece = fc.constantFrom(
    ...["::", ":", ":", ".", "1", "ffff", "0", "00000", "A", "8.8.8.8", "08.8.8.8", "255.255.255.256"],
    ...["::ffff:", "g", "-1", "+1", "0x1", " ", "1.2.3", "1:2:3:4:5:6:7", "1:2:3:4:5:6", "٨"],
  );
  const almostAddress = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  const text = fc.oneof(
    fc.string({ unit: ANY_CHARACTER, maxLength: 200 }),
    almostAddress,
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV4Extended(),
  );

  it("accepts what node:net accepts, except zones", () => {
    fc.assert(
      fc.property(text, (candidate) => {
        const expected = candidate.includes("%") ? 0 : isIP(candidate);
        expect(parseAddress(candidate).ok).toBe(expected !== 0);
      }),
      { seed: 1, numRuns: 5_000 },
    );
  });

  it("parses its canonical form to the same address", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (candidate) => {
        const parsed = parseAddress(candidate);
        expect(parsed.ok && parseAddress(parsed.value.text)).toEqual(parsed);
      }),
      { seed: 1, numRuns: 5_000 },
    );
  });

  it("agrees with the URL parser", () => {
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
