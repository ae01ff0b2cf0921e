import { createRegistry } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { BatchSanitizeEmailsRequestSchema } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { check, conclude } from "connect-transcoding-testing/checks.mjs";
import { createBinaryReaders } from "../../packages/connect-transcoding/src/codec/binary/reader.js";
import { createJsonMessageReader } from "../../packages/connect-transcoding/src/codec/json/reader.js";
import { createMessageBinder } from "../../packages/connect-transcoding/src/routes/binding/message-binder.js";
import {
  parseFormUrlEncoded,
  readPath,
} from "../../packages/connect-transcoding/src/routes/binding/request-path.js";
import { negotiateContentCoding } from "../../packages/connect-transcoding/src/routes/encoding/content-negotiation.js";
import { parseFields } from "../../packages/connect-transcoding/src/routes/encoding/partial-response.js";
import { pathSuggestions } from "../../packages/connect-transcoding/src/routes/path-suggestions.js";
import { ChunkedDecoder } from "../../packages/http-server/src/http1/chunked-decoder.js";
import { parseHead } from "../../packages/http-server/src/http1/head-parser.js";
import { HpackDecoder } from "../../packages/http-server/src/http2/hpack/decoder.js";
import { createCsvReader } from "../../src/cli/input/csv-records.js";
import { parseCsv } from "../../src/text/csv.js";
import { findAddresses } from "../../src/text/find-address.js";
import { findEmails } from "../../src/text/find-email.js";
import { searchCountries } from "../../src/tools/countries/search/search-countries.js";
import { createSearchIndex } from "../../src/tools/countries/search/search-index.js";
import { extractAddress } from "../../src/tools/email/extract-address.js";
import { normalizeDomain } from "../../src/tools/email/normalize-domain.js";
import { sanitizeEmail } from "../../src/tools/email/sanitize-email.js";
import { loadCountries, loadNames } from "../../test/data/load-countries.js";

// Measures how the processor time of parsers grows with their input, from a quarter of the largest size that the limits allow to that size.

/** A quadratic parser has 2. On a busy machine, linear ones have up to 1.4: the larger input leaves the caches, and has more garbage. */
const MAX_EXPONENT = 1.5;
/** Milliseconds that the work of one measurement takes at least, and the number of measurements, of which the shortest counts. */
const SHORTEST = 4;
const ATTEMPTS = 7;

type Prepare = (bytes: number) => () => unknown;

const KIB = 1024;
const EMAIL_BATCH = 256 * KIB;
const BODY = 64 * KIB;
const HEAD = 16 * KIB;
/** Lines of files can be longer than requests. */
const LINE = 64 * KIB;
const EMAIL = 254;
const QUERY = 100;

const LIMITS = { maxHeaderBytes: 10 * HEAD, maxHeaderFields: 100_000 };
const OPTIONS = { registry: createRegistry(), unknownParameters: "reject" } as const;
const readJson = createJsonMessageReader(BatchSanitizeEmailsRequestSchema, OPTIONS);
// As in the service.
const readBinary = createBinaryReaders(false).ofMessage(BatchSanitizeEmailsRequestSchema);
const binder = createMessageBinder(BatchSanitizeEmailsRequestSchema, OPTIONS);
const suggest = pathSuggestions(["/v1/geoIp", "/v1/countries"]);
const index = createSearchIndex(loadCountries(), loadNames());

const fill = (piece: string, bytes: number): string =>
  piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)));
/** Work on bytes that may be invalid. */
const onBytes =
  (run: (bytes: Buffer) => unknown, textOf: (bytes: number) => string): Prepare =>
  (size) => {
    const bytes = Buffer.from(textOf(size));
    return () => {
      try {
        run(bytes);
      } catch {
        // Many of the inputs are invalid.
      }
    };
  };
const onText =
  (run: (text: string) => unknown, textOf: (bytes: number) => string): Prepare =>
  (size) => {
    const text = textOf(size);
    return () => run(text);
  };
const json = (textOf: (bytes: number) => string): Prepare => onBytes(readJson, textOf);
const distinct = (bytes: number, shape: (name: string) => string, separator: string): string =>
  Array.from({ length: Math.floor(bytes / 8) }, (_, number) =>
    shape(number.toString(36).padStart(4, "0")),
  ).join(separator);

const PARSERS: readonly (readonly [name: string, largest: number, prepare: Prepare])[] = [
  ["JSON, elements of a list", EMAIL_BATCH, json((bytes) => `{"emails":[${fill('"",', bytes)}""]}`)],
  ["JSON, members", EMAIL_BATCH, json((bytes) => `{${distinct(bytes, (name) => `"${name}":1`, ",")}}`)],
  ["JSON, depth", EMAIL_BATCH, json((bytes) => `{"a":${fill("[", bytes / 2)}${fill("]", bytes / 2)}}`)],
  ["JSON, escapes", EMAIL_BATCH, json((bytes) => `{"emails":["${fill("\\u0627", bytes)}"]}`)],
  [
    "JSON, long integers",
    EMAIL_BATCH,
    json((bytes) => `{"emails":[${fill("12345678901234567890,", bytes)}1]}`),
  ],
  ["JSON, digits of one number", EMAIL_BATCH, json((bytes) => `{"emails":[${fill("1", bytes)}]}`)],
  ["JSON, colons in text", EMAIL_BATCH, json((bytes) => `{"emails":["${fill(":", bytes)}"]}`)],
  ["protobuf, elements of a list", EMAIL_BATCH, onBytes(readBinary, (bytes) => fill("\n\0", bytes))],
  ["protobuf, unknown fields", EMAIL_BATCH, onBytes(readBinary, (bytes) => fill("\x18\0", bytes))],
  [
    "protobuf, groups",
    EMAIL_BATCH,
    onBytes(readBinary, (bytes) => fill("\x1b", bytes / 2) + fill("\x1c", bytes / 2)),
  ],
  [
    "forms",
    BODY,
    onBytes(
      (bytes) =>
        binder.bind(
          (parseFormUrlEncoded(bytes.toString()) ?? []).map(([name, value]) => ({
            name,
            value,
            source: "text",
          })),
        ),
      (bytes) => distinct(bytes, (name) => `${name}=1`, "&"),
    ),
  ],
  [
    "paths",
    HEAD,
    onText(
      (text) => readPath(text, new Set(["a"])),
      (bytes) => fill("/%61:a", bytes),
    ),
  ],
  ["suggestions for paths", HEAD, onText(suggest, (bytes) => `/v1/${fill("a/", bytes)}`)],
  [
    "field masks",
    4_000,
    onBytes(
      (bytes) => parseFields(bytes.toString(), StructSchema),
      (bytes) => `a(${distinct(bytes, (name) => name, ",")})`,
    ),
  ],
  [
    "Accept-Encoding",
    HEAD,
    onText(
      (text) => negotiateContentCoding(text, [{ name: "gzip" }]),
      (bytes) => fill("a;q=0,", bytes),
    ),
  ],
  [
    "HTTP/1, header fields",
    HEAD,
    onBytes(
      (bytes) => parseHead(bytes, 0, bytes.length, LIMITS),
      (bytes) => `GET / HTTP/1.1\r\nhost: a\r\n${distinct(bytes, (name) => `${name}: b`, "\r\n")}\r\n\r\n`,
    ),
  ],
  [
    "HTTP/1, chunks",
    BODY,
    onBytes(
      (bytes) => {
        const decoder = new ChunkedDecoder(LIMITS);
        for (let at = 0; at < bytes.length; ) {
          const next = decoder.decode(bytes, at, () => {});
          at = typeof next === "number" ? next : bytes.length;
        }
      },
      (bytes) => fill("1\r\nx\r\n", bytes),
    ),
  ],
  [
    "HPACK",
    HEAD,
    onBytes(
      (bytes) => new HpackDecoder(LIMITS).decode(bytes, 0, bytes.length),
      (bytes) => fill("\x40\x01a\x01b", bytes),
    ),
  ],
  [
    "search, words",
    QUERY,
    onText(
      (text) => searchCountries(index, text, 250),
      (bytes) => fill("rep ", bytes).trim(),
    ),
  ],
  [
    "search, one word",
    QUERY,
    onText(
      (text) => searchCountries(index, text, 250),
      (bytes) => fill("republica", bytes),
    ),
  ],
  [
    "e-mail, quotes",
    EMAIL,
    onText(sanitizeEmail, (bytes) => `"${fill('\\"', Math.min(bytes, 60))}"@${fill("a.", bytes / 2)}de`),
  ],
  ["e-mail, in a text", EMAIL, onText(extractAddress, (bytes) => fill('"\\"', bytes))],
  ["IDN, labels", EMAIL, onText(normalizeDomain, (bytes) => `${fill("ا.", (bytes / 8) * 3)}de`)],
  ["IDN, A-labels", EMAIL, onText(normalizeDomain, (bytes) => `${fill("xn--mgb.", bytes)}de`)],
  ["IDN, letters of a label", 58, onText(normalizeDomain, (bytes) => `${fill("ا", 2 * bytes)}.de`)],
  [
    "IDN, different letters",
    28,
    onText(
      normalizeDomain,
      (bytes) =>
        `${Array.from({ length: bytes }, (_, at) => String.fromCodePoint(0x5d0 + (at % 27))).join("")}.de`,
    ),
  ],
  ["IDN, letters with a context", 58, onText(normalizeDomain, (bytes) => `ア${fill("・", 3 * bytes)}.de`)],
  [
    "CSV, quotes",
    LINE,
    onText(
      (text) => parseCsv(text, ","),
      (bytes) => fill('""",', bytes),
    ),
  ],
  [
    "CSV, lines",
    LINE,
    onBytes(
      (bytes) => createCsvReader(1e9).push(bytes),
      (bytes) => fill("a,b\n", bytes),
    ),
  ],
  [
    "CSV, an open value",
    LINE,
    onBytes(
      (bytes) => createCsvReader(1e9).push(bytes),
      (bytes) => `"a\n${fill('""\n', bytes)}`,
    ),
  ],
  [
    "log lines, addresses",
    LINE,
    onText(
      (text) => findAddresses(text, "all"),
      (bytes) => fill("1.2.3.4 ::a ", bytes),
    ),
  ],
  [
    "log lines, dots",
    LINE,
    onText(
      (text) => findAddresses(text, "client"),
      (bytes) => fill("1.1:", bytes),
    ),
  ],
  ["log lines, e-mail addresses", LINE, onText(findEmails, (bytes) => fill("a@a-", bytes))],
];

/** Milliseconds of processor time of all threads of the process. */
function timeOf(work: () => unknown, runs: number): number {
  const start = process.cpuUsage();
  for (let run = 0; run < runs; run++) {
    work();
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** Returns the exponent, and the milliseconds for the largest size. */
function measure(largest: number, prepare: Prepare): readonly [exponent: number, time: number] {
  const [small, large] = [prepare(Math.floor(largest / 4)), prepare(largest)];
  let runs = 4;
  // The first runs also compile the code.
  while (timeOf(small, runs) < SHORTEST) {
    runs *= 2;
  }
  let [shortest, longest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    shortest = Math.min(shortest, timeOf(small, runs) / runs);
    longest = Math.min(longest, timeOf(large, runs / 4) / (runs / 4));
  }
  return [Math.log(longest / shortest) / Math.log(4), longest];
}

const found = PARSERS.map(([name, largest, prepare]) => {
  const [exponent, time] = measure(largest, prepare);
  return { name, largest, exponent, time };
}).toSorted((a, b) => b.exponent - a.exponent);
console.log("| Parser | Largest input, bytes | Time for it, ms | Exponent |\n|---|---:|---:|---:|");
for (const { name, largest, exponent, time } of found) {
  console.log(`| ${name} | ${largest} | ${time.toFixed(time < 1 ? 3 : 1)} | ${exponent.toFixed(2)} |`);
}
for (const { name, exponent } of found) {
  check(`${name}: the exponent is at most ${MAX_EXPONENT}`, exponent <= MAX_EXPONENT, exponent.toFixed(2));
}
conclude();
