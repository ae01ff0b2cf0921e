import { expectLinear } from "connect-transcoding-testing/linear.js";
import { test } from "vitest";
import { fieldParts, transferCodingsOf, trimField } from "../../src/core/field-values.js";
import { isAuthority } from "../../src/core/rules.js";
import { ChunkedDecoder } from "../../src/http1/chunked-decoder.js";
import { parseHead, rejectIncomplete } from "../../src/http1/head-parser.js";
import { HpackDecoder } from "../../src/http2/hpack/decoder.js";
import { readProxyHeader } from "../../src/port/proxy-protocol.js";

const LIMITS = { maxHeaderBytes: 100_000_000, maxHeaderFields: 10_000_000 };
const LINE = "POST / HTTP/1.1\r\nhost: a\r\n";

function headOf(headers: string): () => unknown {
  const bytes = Buffer.from(`${LINE}${headers}\r\n`);
  return () => parseHead(bytes, 0, bytes.length, LIMITS);
}

test.each<[string, number, (size: number) => () => unknown]>([
  ["white space in a value", 20_000, (size) => () => trimField(`a${" ".repeat(size)}b`)],
  ["the parts of a value", 5_000, (size) => () => fieldParts(" ,\t".repeat(size), ",")],
  ["transfer codings", 5_000, (size) => () => transferCodingsOf("a ;".repeat(size), "1.1")],
  [
    "a list of transfer codings",
    5_000,
    (size) => () => transferCodingsOf(`${"a,".repeat(size)}chunked`, "1.1"),
  ],
  ["an authority", 20_000, (size) => () => isAuthority(`${"a%20".repeat(size)}:x`)],
  ["a head of many fields", 2_000, (size) => headOf("a: b\r\n".repeat(size))],
  ["a head of one repeated field", 2_000, (size) => headOf("connection: a\r\n".repeat(size))],
  ["a head with white space", 20_000, (size) => headOf(`a:${" \t".repeat(size)}b\r\n`)],
  [
    "an incomplete head",
    20_000,
    (size) => {
      const bytes = Buffer.from(`${LINE}a: ${"b ".repeat(size)}`);
      return () => rejectIncomplete(bytes, 0, 0, LIMITS);
    },
  ],
  [
    "small chunks",
    2_000,
    (size) => {
      const bytes = Buffer.from("1;a=b\r\nx\r\n".repeat(size));
      return () => {
        const decoder = new ChunkedDecoder(LIMITS);
        for (let at = 0; at < bytes.length; ) {
          const next = decoder.decode(bytes, at, () => {});
          at = typeof next === "number" ? next : bytes.length;
        }
      };
    },
  ],
  [
    "a header block",
    2_000,
    (size) => {
      // A literal with a name that is not indexed: `a: b`, with indexing.
      const block = Buffer.from("4001610162".repeat(size), "hex");
      return () => new HpackDecoder(LIMITS).decode(block, 0, block.length);
    },
  ],
  [
    "a line of the PROXY protocol",
    20_000,
    (size) => () => readProxyHeader(Buffer.from(`PROXY ${" ".repeat(size)}`)),
  ],
])("%s takes linear time", (_, size, prepare) => {
  expectLinear(prepare, size);
});
