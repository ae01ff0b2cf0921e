import { expect, test } from "vitest";
import { isCompressible, negotiateContentCoding } from "../../../src/routes/encoding/content-negotiation.js";

// RFC 9110, section 12.5.3.
/** The name of the selected coding. */
const select = (header: string | undefined) =>
  negotiateContentCoding(header, [{ name: "br" }, { name: "gzip" }])?.name;

test.each([
  [undefined, undefined],
  ["", undefined],
  ["gzip", "gzip"],
  ["br", "br"],
  ["x-gzip", "gzip"],
  ["gzip, deflate, br", "br"],
  ["GZIP", "gzip"],
  ["br;q=0.5, gzip", "gzip"],
  ["br;q=0.5, gzip;q=0.5", "br"],
  ["gzip;q=0", undefined],
  ["br;q=0, gzip;q=0.001", "gzip"],
  ["*", "br"],
  ["*;q=0.1, br;q=0", "gzip"],
  ["*;q=0", undefined],
  ["identity", undefined],
  ["identity;q=1, gzip;q=0.5", undefined],
  ["identity;q=0.5, gzip;q=1.0", "gzip"],
  ["identity;q=0, *", "br"],
  ["deflate", undefined],
  ["gzip;q=2", undefined],
  ["gzip;q=x", undefined],
  ["gzip ; q=0.8", "gzip"],
  ["gzip\xa0", undefined],
  ["br;\xa0q=0, gzip;q=0.5", "br"],
  ["gzip;q=1\xa0", undefined],
  [",,gzip,", "gzip"],
])("Accept-Encoding %j selects %s", (header, coding) => {
  expect(select(header)).toBe(coding);
});

test("a repeated header selects the same coding, regardless of other headers in between", () => {
  const headers = Array.from({ length: 300 }, (_, index) => `gzip;q=0.${index}, br;q=0.${(index * 7) % 300}`);
  const longOnes = headers.map((header) => `${header}${", x".repeat(100)}`);
  const once = [...headers, ...longOnes].map(select);
  expect([...headers, ...longOnes].map(select)).toEqual(once);
  expect(headers.slice(-3).map(select)).toEqual(once.slice(297, 300));
  expect(new Set(once)).toEqual(new Set([undefined, "gzip", "br"]));
});

test.each([
  ["application/json; charset=utf-8", undefined, 1024, true],
  ["application/json; charset=utf-8", undefined, 1023, false],
  ["application/json; charset=utf-8", "max-age=5", 5000, true],
  ["application/json; charset=utf-8", "no-store", 5000, false],
  ["text/plain; charset=utf-8", undefined, 5000, true],
  ["image/svg+xml", undefined, 5000, true],
  ["image/png", undefined, 5000, false],
  ["application/octet-stream", undefined, 5000, false],
])("%s, %s, %i bytes: compressible is %s", (contentType, cacheControl, length, compressible) => {
  const headers = { "content-type": contentType, ...(cacheControl && { "cache-control": cacheControl }) };
  expect(isCompressible(headers, length)).toBe(compressible);
});
