import { isIP } from "node:net";
import { type Random, randomAddress, randomSecret } from "../random.js";
import { anyNoise, anyValue } from "../texts.js";
import { type HeaderEntries, MARKER } from "./request.js";

/** Returns a value for a field: usually a valid one, based on an example; sometimes the marker, or anything. */
export function fieldText(random: Random, name: string, examples: readonly string[]): string {
  if (random.oneIn(12)) {
    return MARKER;
  }
  if (random.oneIn(8)) {
    return anyValue(random);
  }
  const example = examples[random.below(examples.length)] ?? random.pick(["", "a", "FR", "8.8.8.8"]);
  if (isIP(example) !== 0) {
    return randomAddress(random);
  }
  if (name === "secret") {
    return randomSecret(random);
  }
  if (/^[a-z]{2,3}$/i.test(example)) {
    const letter = () => String.fromCharCode(65 + random.below(26));
    return random.oneIn(2) ? example : letter() + letter();
  }
  return random.oneIn(6) ? example.repeat(1 + random.size(300)) : example;
}

/** Headers that are meaningful to the service or a proxy, with valid and invalid values. */
const HEADERS: readonly [HeaderChoice, ...HeaderChoice[]] = [
  [
    "accept-encoding",
    ["gzip", "br", "gzip;q=0, br;q=1.0", "*", "identity;q=0", "*;q=0", "gzip;q=2", ";;,,q", "deflate"],
  ],
  ["if-none-match", ["*", '"a"', 'W/"a", "b"', "a", '"', 'W/"', "", '"a" "b"']],
  ["x-forwarded-for", ["1.2.3.4", "1.2.3.4, ::1", "unknown", "[::1]:80", ",,,", "999.1.1.1"]],
  ["x-forwarded-proto", ["https", "http", "javascript", "https, http", ""]],
  ["x-forwarded-host", ["example.com", "a/b", "example.com:99999", "a, b", "[::1]"]],
  ["x-forwarded-port", ["443", "-1", "99999999", "a"]],
  ["forwarded", ["for=1.2.3.4;proto=https", 'for="[::1]"', ";;=", "for"]],
  ["traceparent", ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0-0-0", "ff-", "", "00-"]],
  ["tracestate", ["a=b", "a=b,c=d", "=", ",,,,"]],
  ["baggage", ["a=b", "a=b;c", "=="]],
  ["x-request-id", ["abc", "a b", "é", "a".repeat(300), "", "0"]],
  ["origin", ["https://example.com", "null", "file://", "a b", ""]],
  ["access-control-request-method", ["POST", "BREW", ""]],
  ["access-control-request-headers", ["content-type", "a,,b", "*"]],
  ["accept", ["*/*", "text/html", "application/json;q=0", "a/b/c", ""]],
  ["accept-language", ["en", "*", "de-DE;q=7"]],
  ["authorization", [`Bearer ${MARKER}`, "Basic !!!!", "Bearer", "", "Digest a=b"]],
  ["cookie", [`session=${MARKER}`, "a=b; a=b; ;;", "="]],
  ["x-api-key", [MARKER, "", "a b"]],
  ["range", ["bytes=0-1", "bytes=-", "bytes=9-1", "lines=1"]],
  ["if-modified-since", ["Thu, 01 Jan 1970 00:00:00 GMT", "yesterday"]],
  ["expect", ["100-continue", "200-ok", ""]],
  ["content-language", ["en", "\u00ff"]],
  ["user-agent", [`fuzz/${MARKER}`, "\u0080", ""]],
  ["__proto__", ["a", "{}"]],
  ["constructor", ["a"]],
  ["x-http-method-override", ["DELETE", "BREW"]],
  ["grpc-timeout", ["1S", "1n", "99999999H", "999999999H", "-1S", "1", "S", "1x", "0m"]],
  ["grpc-encoding", ["gzip", "identity", "br", "snappy", "", "gzip,gzip", "GZIP"]],
  ["grpc-accept-encoding", ["gzip", "identity", ",", "br,gzip,zip"]],
  ["connect-timeout-ms", ["1000", "0", "-1", "1.5", "99999999999", "9999999999", "x"]],
  ["connect-protocol-version", ["1", "2", "", "one"]],
  ["connect-content-encoding", ["gzip", "identity", "br", "zip"]],
  ["connect-accept-encoding", ["gzip", "br", ","]],
  ["content-encoding", ["gzip", "br", "identity", "deflate", "gzip, br", ""]],
  ["x-grpc-web", ["1", "0"]],
  ["a-bin", ["AAAA", "!!!", "A", "AA==,AA==", "="]],
];

type HeaderChoice = readonly [name: string, values: readonly [string, ...string[]]];

/** Valid and invalid hosts. */
const HOSTS = [
  "example.com",
  "example.com:80",
  "[::1]:8080",
  "[::1",
  "a b",
  "user@example.com",
  "example.com:99999",
  "1.2.3",
  "..",
  "",
  "é",
  "%41",
  "a/b",
  "a?b",
  "xn--",
  "0x7f.1",
] as const;

/** Adds, removes or repeats headers. Never changes the length of the body. */
export function mutateHeaders(random: Random, headers: HeaderEntries): HeaderEntries {
  const mutated = [...headers];
  if (random.oneIn(3)) {
    for (let more = 1 + random.below(3); more > 0; more--) {
      const [name, values] = random.pick(HEADERS);
      mutated.push([name, anyHeaderValue(random, values)]);
    }
  }
  if (random.oneIn(40) && mutated.length > 0) {
    mutated.splice(random.below(mutated.length), 1);
  }
  const twice = mutated[random.below(mutated.length)];
  if (random.oneIn(60) && twice !== undefined) {
    mutated.push(twice);
  }
  if (random.oneIn(300)) {
    mutated.push(
      ...Array.from({ length: random.below(150) }, (_, index) => [`x-${index}`, "a".repeat(40)] as const),
    );
  }
  return mutated;
}

function anyHeaderValue(random: Random, values: readonly [string, ...string[]]): string {
  if (random.oneIn(12)) {
    return anyNoise(random, 40);
  }
  if (random.oneIn(60)) {
    return random
      .pick(values)
      .repeat(1 + random.below(400))
      .slice(0, 12_000);
  }
  return random.oneIn(20) ? anyValue(random).slice(0, 1000) : random.pick(values);
}

/** Returns the authority of a request, usually that of the service. */
export function anyHost(random: Random, usual: string): string {
  if (random.oneIn(80)) {
    return anyNoise(random, 20);
  }
  return random.oneIn(25) ? random.pick(HOSTS) : usual;
}

const EDGES = [0, 1, 0x0a, 0x0d, 0x20, 0x7f, 0x80, 0xff] as const;

/** Flips bits, truncates, deletes, inserts or duplicates, once or several times. */
export function mutateBytes(random: Random, bytes: Uint8Array): Buffer {
  let mutated = Buffer.from(bytes);
  for (let times = 1 + random.size(8); times > 0; times--) {
    const start = random.below(mutated.length + 1);
    const end = Math.min(start + 1 + random.size(64), mutated.length);
    const [before, middle, after] = [
      mutated.subarray(0, start),
      mutated.subarray(start, end),
      mutated.subarray(end),
    ];
    switch (random.below(6)) {
      case 0:
        if (start < mutated.length) {
          mutated[start] = (mutated[start] ?? 0) ^ (1 << random.below(8));
        }
        break;
      case 1:
        if (start < mutated.length) {
          mutated[start] = random.pick(EDGES);
        }
        break;
      case 2:
        mutated = Buffer.from(before);
        break;
      case 3:
        mutated = Buffer.concat([before, after]);
        break;
      case 4:
        mutated = Buffer.concat([before, middle, middle, after]);
        break;
      default:
        mutated = Buffer.concat([before, randomBytes(random, 1 + random.size(64)), middle, after]);
    }
  }
  return mutated;
}

/** Returns random bytes. */
export function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

/** Splits bytes into at most four pieces. */
export function inPieces(random: Random, bytes: Uint8Array): Uint8Array[] {
  const cuts = Array.from({ length: random.below(4) }, () => random.below(bytes.length + 1));
  const ends = [...cuts, bytes.length].sort((a, b) => a - b);
  return ends
    .map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
    .filter((piece) => piece.length > 0);
}
