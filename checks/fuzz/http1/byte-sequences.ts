import { anyCase } from "../../differential/cases.js";
import { damage } from "../damage.js";
import type { Random } from "../random.js";

const START = "POST / HTTP/1.1\r\nHost: a\r\n";

/** What a parser looks for, and what is nearly that. */
const WORDS = [
  "\r\n",
  "\r\n\r\n",
  "\r",
  "\n",
  "\0",
  " ",
  "\t",
  ":",
  ";",
  ",",
  "=",
  '"',
  "\\",
  "0",
  "1",
  "f",
  "-1",
  "4294967296",
  "18446744073709551616",
  "GET / HTTP/1.1\r\n",
  START,
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "HTTP/1.0",
  "Host: a\r\n",
  "Content-Length: ",
  "Transfer-Encoding: ",
  "Transfer-Encoding: chunked\r\n\r\n",
  "chunked",
  "identity",
  "Connection: close\r\n",
  "Connection: keep-alive\r\n",
  "Expect: 100-continue\r\n",
  "Upgrade: h2c\r\n",
  "0\r\n\r\n",
  "5\r\nhello\r\n",
  "a: b\r\n",
  "\xe4",
  "x".repeat(200),
] as const;

/** A sequence of bytes from a client of HTTP/1.1: changed requests, words in any order, or any bytes. */
export function anyBytes(random: Random): Buffer {
  const kind = random.below(20);
  if (kind === 0) {
    return Buffer.from(Array.from({ length: 1 + random.below(300) }, () => random.below(256)));
  }
  if (kind < 4) {
    const words = Array.from({ length: 1 + random.below(40) }, () => random.pick(WORDS));
    return Buffer.from((random.oneIn(2) ? START : "") + words.join(""), "latin1");
  }
  let { bytes } = anyCase(random);
  for (let changes = random.oneIn(2) ? random.below(5) : 0; changes > 0 && bytes.length > 0; changes--) {
    bytes = damage(random, bytes);
  }
  return random.oneIn(10) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes;
}
