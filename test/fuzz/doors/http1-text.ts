import type { Random } from "../random.js";
import type { DoorRequest } from "./door-request.js";

/** What a request looks like on a connection of HTTP/1.1 (RFC 9112); its length is always told as it is. */
export function http1Octets(random: Random, { verb, target, headers, body }: DoorRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${withoutBreaks(value)}`);
  const isChunked = body.length > 0 && random.oneIn(8);
  if (isChunked) {
    lines.push("transfer-encoding: chunked");
  } else if (body.length > 0 || verb === "POST") {
    lines.push(`content-length: ${body.length}`);
  }
  const version = random.oneIn(200) ? "1.0" : "1.1";
  const start = `${verb} ${withoutSpaces(target)} HTTP/${version}`;
  const head = Buffer.from(`${[start, ...lines].join("\r\n")}\r\n\r\n`, "utf8");
  return Buffer.concat([head, isChunked ? chunked(random, body) : body]);
}

function chunked(random: Random, body: Uint8Array): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < body.length; ) {
    const end = Math.min(start + 1 + random.below(body.length), body.length);
    const extension = random.oneIn(10) ? ";a=b" : "";
    parts.push(
      Buffer.from(`${(end - start).toString(16)}${extension}\r\n`),
      Buffer.from(body.subarray(start, end)),
      BREAK,
    );
    start = end;
  }
  return Buffer.concat([...parts, Buffer.from(random.oneIn(10) ? "0\r\nx-trailer: a\r\n\r\n" : "0\r\n\r\n")]);
}

const BREAK = Buffer.from("\r\n");

/** A value that ended its line would begin a header of its own. */
function withoutBreaks(value: string): string {
  return value.replaceAll(/[\r\n]/g, " ");
}

function withoutSpaces(target: string): string {
  return target === "" ? "/" : target.replaceAll(/[\r\n ]/g, "+");
}
