import { isIP } from "node:net";
import { anyNoise, anyValue, listOf, type Random, randomAddress, randomSecret } from "../../lib/random.js";

/** A secret that requests contain and no error may repeat: valid base32 of 160 bits. */
export const MARKER = "FUZZMARKERSECRETFUZZMARKERSECRET";

/** Returns whether a text contains the marker, plain or in base64. */
export function containsMarker(text: string): boolean {
  return (
    text.includes(MARKER) ||
    (text.match(/[A-Za-z0-9+/_-]{40,}/g) ?? []).some((each) => Buffer.from(each, "base64").includes(MARKER))
  );
}

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

const JSON_VALUES = 'null true [] {} [[[]]] 1e999 -0 1.5 {"a":{"b":[1]}} "\\ud800"'.split(" ");

/** Returns any JSON value. */
export function jsonValue(random: Random): string {
  return random.oneIn(2) ? random.pick(JSON_VALUES) : JSON.stringify(anyValue(random));
}

/** Headers that are meaningful to the service or a proxy, with valid and invalid values. */
const HEADERS = `
accept-encoding | gzip | br | gzip;q=0, br;q=1.0 | * | identity;q=0 | *;q=0 | gzip;q=2 | ;;,,q | deflate
if-none-match | * | "a" | W/"a", "b" | a | " | W/" | "a" "b"
x-forwarded-for | 1.2.3.4 | 1.2.3.4, ::1 | unknown | [::1]:80 | ,,, | 999.1.1.1
x-forwarded-proto | https | http | javascript | https, http
x-forwarded-host | example.com | a/b | example.com:99999 | a, b | [::1]
x-forwarded-port | 443 | -1 | 99999999 | a
forwarded | for=1.2.3.4;proto=https | for="[::1]" | ;;= | for
traceparent | 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 | 00-0-0-0 | ff- | 00-
tracestate | a=b | a=b,c=d | = | ,,,,
baggage | a=b | a=b;c | ==
x-request-id | abc | a b | é | 0
origin | https://example.com | null | file:// | a b
access-control-request-method | POST | BREW
access-control-request-headers | content-type | a,,b | *
accept | */* | text/html | application/json;q=0 | a/b/c
authorization | Bearer ${MARKER} | Basic !!!! | Bearer | Digest a=b
cookie | session=${MARKER} | a=b; a=b; ;; | =
x-api-key | ${MARKER} | a b
range | bytes=0-1 | bytes=- | bytes=9-1 | lines=1
if-modified-since | Thu, 01 Jan 1970 00:00:00 GMT | yesterday
expect | 100-continue | 200-ok
user-agent | fuzz/${MARKER} | ${"\u0080"}
__proto__ | a | {}
constructor | a
x-http-method-override | DELETE | BREW
grpc-timeout | 1S | 1n | 99999999H | 999999999H | -1S | 1 | S | 1x | 0m
grpc-encoding | gzip | identity | br | snappy | gzip,gzip | GZIP
connect-timeout-ms | 1000 | 0 | -1 | 1.5 | 99999999999 | x
connect-protocol-version | 1 | 2 | one
content-encoding | gzip | br | identity | deflate | gzip, br
x-grpc-web | 1 | 0
a-bin | AAAA | !!! | A | AA==,AA== | =`
  .trim()
  .split("\n")
  .map((line) => line.split(" | "));

/** Valid and invalid hosts. */
const HOSTS = [
  ..."example.com example.com:80 [::1]:8080 [::1 user@example.com example.com:99999 1.2.3 .. é %41 a/b".split(
    " ",
  ),
  ..."a?b xn-- 0x7f.1".split(" "),
  ...["", "a b"],
];

type Headers = readonly (readonly [name: string, value: string])[];

/** Adds the host, and adds, removes or repeats headers. Never changes the length of the body. */
export function changedHeaders(random: Random, headers: Headers): Headers {
  const host = random.oneIn(80) ? anyNoise(random, 20) : random.oneIn(25) ? random.pick(HOSTS) : "localhost";
  const changed = [["host", host] as const, ...headers];
  if (random.oneIn(3)) {
    for (let more = 1 + random.below(3); more > 0; more--) {
      const [name = "", ...values] = random.pick(HEADERS);
      changed.push([name, anyHeaderValue(random, ["", ...values, ...values])]);
    }
  }
  if (random.oneIn(40)) {
    changed.splice(random.below(changed.length), 1);
  }
  if (random.oneIn(60)) {
    changed.push(random.pick([["x-twice", "a"] as const, ...changed]));
  }
  if (random.oneIn(300)) {
    changed.push(...listOf(random, 150, (index) => [`x-${index}`, "a".repeat(40)] as const));
  }
  return changed;
}

function anyHeaderValue(random: Random, values: readonly string[]): string {
  switch (random.below(60)) {
    case 0:
      return random.pick(values).repeat(random.below(400)).slice(0, 12_000);
    case 1:
    case 2:
      return anyValue(random).slice(0, 1000);
    case 3:
    case 4:
    case 5:
      return anyNoise(random, 40);
    default:
      return random.pick(values);
  }
}
