import type { Random } from "../random.js";
import { http1Bytes } from "./http1.js";
import {
  END_HEADERS,
  END_STREAM,
  frame,
  headersFrame,
  PING,
  PREFACE,
  pseudoHeaders,
} from "./http2-frames.js";
import type { BytesRequest, ProtocolRequest } from "./request.js";
import { inPieces, mutateBytes, randomBytes } from "./values.js";

/** Ways to corrupt an HTTP/1.1 request. */
const CORRUPTIONS: readonly [Corruption, ...Corruption[]] = [
  (text) => text.replaceAll("\r\n", "\n"),
  (text) => text.replace("\r\n", "\n"),
  (text) => text.replace("\r\n", "\r"),
  (text) => text.replace("\r\n\r\n", "\r\n"),
  (text) => text.replace(/content-length: (\d+)/, "content-length: 1$1"),
  (text) => text.replace(/content-length: (\d+)/, "content-length: $1\r\ncontent-length: 1"),
  (text) => text.replace(/content-length: (\d+)/, "content-length: -$1"),
  (text) => text.replace(/content-length: (\d+)/, "transfer-encoding: chunked\r\ncontent-length: $1"),
  (text) => text.replace(/content-length: (\d+)/, "transfer-encoding: chunked, identity"),
  (text) => text.replace(/content-length: \d+/, "transfer-encoding: chunked"),
  (text) => text.replace("HTTP/1.1", "HTTP/1.2"),
  (text) => text.replace("HTTP/1.1", "HTTP/9.9"),
  (text) => text.replace(" HTTP/1.1", ""),
  (text) => text.replace("host: ", "host : "),
  (text) => text.replace("host: ", " host: "),
  (text) => text.replace("host: ", "host: a\r\nhost: "),
  (text) => text.replace(/host: .*\r\n/, ""),
  (text) => text.replace("\r\n", `\r\n${"a: b\r\n".repeat(1500)}`),
  (text) => text.replace("\r\n", `\r\na: ${"b".repeat(17_000)}\r\n`),
  (text) =>
    text.replace(
      "\r\n",
      "\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n",
    ),
  (text) => text.replace("\r\n", "\r\nexpect: 100-continue\r\n"),
  (text) => text.replace("\r\n", "\r\nconnection: close\r\n"),
  (text) => `\r\n\r\n${text}`,
  (text) => text.replace(/\r\n0\r\n\r\n$/, "\r\nffffffffffffffffff\r\n"),
  (text) => `PRI * HTTP/1.1\r\n\r\n${text}`,
  (text) => `\x16\x03\x01\x02\x00${text}`,
];

type Corruption = (text: string) => string;

/** Pipelined HTTP/1.1 requests, some of them corrupted. */
export function anyHttp1Bytes(random: Random, anyRequest: () => ProtocolRequest): BytesRequest {
  const requests = Array.from({ length: 1 + random.size(5) }, () => {
    const bytes = http1Bytes(random, anyRequest());
    return random.oneIn(2)
      ? Buffer.from(random.pick(CORRUPTIONS)(bytes.toString("latin1")), "latin1")
      : bytes;
  });
  const bytes = Buffer.concat(requests);
  return {
    protocol: "bytes",
    http: 1,
    pieces: inPieces(random, random.oneIn(2) ? mutateBytes(random, bytes) : bytes),
  };
}

/** HTTP/2 frames (RFC 9113) after a valid preface, some of them corrupted, with a final PING. */
export function anyHttp2Bytes(random: Random, anyRequest: () => ProtocolRequest): BytesRequest {
  const frames: Uint8Array[] = [frame(4, 0, 0, anySettings(random))];
  let stream = 1;
  for (let count = 1 + random.size(6); count > 0; count--) {
    const request = anyRequest();
    frames.push(anyHeaders(random, stream, request));
    if (request.body.length > 0) {
      frames.push(frame(0, END_STREAM, stream, request.body.subarray(0, 16_000)));
    }
    for (let more = random.size(4); more > 0; more--) {
      frames.push(anyFrame(random, stream));
    }
    stream += random.oneIn(30) ? 0 : random.oneIn(30) ? 1 : 2;
  }
  if (random.oneIn(4)) {
    frames.splice(random.below(frames.length), 0, anyFrame(random, stream));
  }
  const broken = random.below(frames.length);
  const victim = frames[broken];
  if (random.oneIn(2) && victim !== undefined) {
    frames[broken] = mutateBytes(random, victim);
  }
  return { protocol: "bytes", http: 2, pieces: inPieces(random, Buffer.concat([PREFACE, ...frames, PING])) };
}

function anyHeaders(random: Random, stream: number, request: ProtocolRequest): Uint8Array {
  const { httpMethod, target, headers, body } = request;
  const pseudo = [...pseudoHeaders(httpMethod, target)];
  if (random.oneIn(10)) {
    pseudo.splice(random.below(pseudo.length), 1);
  }
  if (random.oneIn(20)) {
    pseudo.push([random.pick([":status", ":protocol", ":method", ":nope"]), "200"]);
  }
  const fields = [...pseudo, ...headers.filter(([name]) => name !== "host")];
  const flags = (random.oneIn(40) ? 0 : END_HEADERS) | (body.length === 0 ? END_STREAM : 0);
  return headersFrame(stream, fields, flags, () => random.pick([0, 0, 0x10, 0x40]));
}

function anySettings(random: Random): Uint8Array {
  return random.oneIn(4) ? randomBytes(random, 6 * random.below(4)) : new Uint8Array();
}

/** A frame of any type with arbitrary flags and payload. */
function anyFrame(random: Random, stream: number): Uint8Array {
  const type = random.oneIn(10) ? random.below(256) : random.below(11);
  const id = random.pick([0, stream, stream, stream + 2, 2, 2 ** 31 - 1]);
  const sizes = { 2: 5, 3: 4, 4: 6, 6: 8, 7: 8, 8: 4 } as const;
  const usual = Reflect.get(sizes, type);
  const length = typeof usual === "number" && !random.oneIn(6) ? usual : random.size(300);
  return frame(type, random.oneIn(3) ? random.below(256) : 0, id, randomBytes(random, length));
}
