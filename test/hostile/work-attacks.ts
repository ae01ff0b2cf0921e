import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  PREFACE,
  requestBlock,
  settings,
  uint32,
} from "../../packages/http-server/test/http2/raw-http2.js";
import { type Attack, crowd, untilGone } from "./attack.js";

/** The names of an e-mail batch whose domains have many labels, each of which must be processed. */
const ADDRESSES = Array.from({ length: 1000 }, (_, index) => `a${index}@${"ا.".repeat(80)}de`);
/** The same with as many labels as a domain name can have. */
const LONG_NAMES = Array.from({ length: 1000 }, (_, index) => `a${index}@${"ا.".repeat(30)}de`);
const IPS = Array.from({ length: 1000 }, (_, index) => `${1 + (index % 200)}.${index % 250}.${index % 7}.9`);
/** A text for the largest QR code. */
const LONG_TEXT = "aB3".repeat(682);

const batchOf = (field: string, items: readonly string[]) => JSON.stringify({ [field]: items });

function post(path: string, body: string, type = "application/json"): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** An attack whose clients send a request over HTTP/1.1 and read the response, again and again. */
function repeated(name: string, connections: number, request: string): Attack {
  return {
    name,
    connections,
    run: (tools, count) =>
      crowd(count, tools, async (socket) => {
        const bytes = Buffer.from(request);
        socket.on("data", () => {});
        while (!socket.closed && performance.now() < tools.until) {
          if (!socket.write(bytes)) {
            await Promise.race([
              new Promise((resolve) => socket.once("drain", resolve)),
              untilGone(socket, tools),
            ]);
          }
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }),
  };
}

const BIG_WINDOWS = Buffer.concat([
  frame(FRAME.SETTINGS, 0, 0, settings([4, 2 ** 31 - 1])),
  frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(2 ** 30)),
]);

/** An attack whose clients send requests on 100 streams of an HTTP/2 connection at once, again and again. */
function concurrent(
  name: string,
  connections: number,
  requestsOf: (id: number) => readonly Uint8Array[],
  reads = true,
): Attack {
  return {
    name,
    connections,
    run: (tools, count) =>
      crowd(count, tools, async (socket) => {
        socket.write(Buffer.concat([PREFACE, BIG_WINDOWS]));
        if (reads) {
          socket.resume();
        } else {
          socket.pause();
        }
        for (let id = 1; !socket.closed && performance.now() < tools.until; ) {
          const parts: Uint8Array[] = [];
          for (let index = 0; index < 100; index++, id += 2) {
            parts.push(...requestsOf(id));
          }
          if (!socket.write(Buffer.concat(parts))) {
            await Promise.race([
              new Promise((resolve) => socket.once("drain", resolve)),
              untilGone(socket, tools),
            ]);
          }
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }),
  };
}

function postFrames(id: number, path: string, body: string): Uint8Array[] {
  const bytes = Buffer.from(body);
  const parts: Uint8Array[] = [
    frame(
      FRAME.HEADERS,
      END_HEADERS,
      id,
      Buffer.concat([requestBlock("POST", path), headerBlock({ "content-type": "application/json" })]),
    ),
  ];
  for (let at = 0; at < bytes.length; at += 16_384) {
    const part = bytes.subarray(at, at + 16_384);
    parts.push(frame(FRAME.DATA, at + 16_384 >= bytes.length ? END_STREAM : 0, id, part));
  }
  return parts;
}

const get = (id: number, path: string) => [
  frame(FRAME.HEADERS, END_HEADERS | END_STREAM, id, requestBlock("GET", path)),
];

const EMAILS = "/v1/sanitizeEmail:batch";
const LOOKUPS = "/v1/geoIp:batch";
const BARCODE = `/v1/barcode?type=qr_code&format=png&data=${LONG_TEXT}`;

/** Attacks by valid requests that cost much processor time or memory. */
export const WORK_ATTACKS: readonly Attack[] = [
  repeated("e-mail batches of many labels", 40, post(EMAILS, batchOf("emails", ADDRESSES))),
  repeated("e-mail batches of the longest names", 40, post(EMAILS, batchOf("emails", LONG_NAMES))),
  repeated("batches of addresses", 40, post(LOOKUPS, batchOf("ipAddresses", IPS))),
  repeated("the largest PNG codes over HTTP/1.1", 500, `GET ${BARCODE} HTTP/1.1\r\nHost: a\r\n\r\n`),
  concurrent("the largest PNG codes over HTTP/2", 20, (id) => get(id, BARCODE)),
  concurrent("batches of addresses over HTTP/2", 4, (id) =>
    postFrames(id, LOOKUPS, batchOf("ipAddresses", IPS)),
  ),
  repeated("errors over HTTP/1.1", 500, `GET /v1/barcode?data=${LONG_TEXT} HTTP/1.1\r\nHost: a\r\n\r\n`),
  {
    name: "batches whose responses are not read over HTTP/1.1",
    connections: 1000,
    run: (tools, count) =>
      crowd(count, tools, async (socket) => {
        socket.pause().write(post(LOOKUPS, batchOf("ipAddresses", IPS)));
        await untilGone(socket, tools);
      }),
  },
  concurrent(
    "batches whose responses are not read over HTTP/2",
    50,
    (id) => postFrames(id, LOOKUPS, batchOf("ipAddresses", IPS)),
    false,
  ),
];
