import { expect, test } from "vitest";
import { transferCodingsOf } from "../../src/hosts/transfer-codings.js";

test.each([
  [undefined, "supported"],
  ["chunked", "supported"],
  ["CHUNKED", "supported"],
  ["gzip, chunked", "unsupported"],
  ["gzip,chunked", "unsupported"],
  ["gzip;q=1 ,\tdeflate, Chunked", "unsupported"],
  ["identity, chunked", "unsupported"],
  ["chunked, chunked", "unsupported"],
  ["", "invalid"],
  ["gzip", "invalid"],
  ["chunked, gzip", "invalid"],
  ["xchunked", "invalid"],
  ["x chunked", "invalid"],
  ["gzip, xchunked", "invalid"],
  ["chunked;a=b", "invalid"],
  [", chunked", "invalid"],
  ["gzip, , chunked", "invalid"],
  ["chunked, ", "invalid"],
])("the transfer codings %j are %s", (codings, expected) => {
  const headers = codings === undefined ? {} : { "transfer-encoding": codings };
  expect(transferCodingsOf({ headers, httpVersion: "1.1" })).toBe(expected);
});

test.each([
  [undefined, "supported"],
  ["chunked", "invalid"],
  ["gzip, chunked", "invalid"],
])("over HTTP/1.0, the transfer codings %j are %s", (codings, expected) => {
  const headers = codings === undefined ? {} : { "transfer-encoding": codings };
  expect(transferCodingsOf({ headers, httpVersion: "1.0" })).toBe(expected);
});
