import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  PREFACE,
  requestBlock,
} from "../../packages/http-server/test/http2/raw-http2.js";
import { type Attack, crowd, pour, untilGone } from "./attack.js";
import { GROW, get, over, streams } from "./http2-attacks.js";

/** The bodies of batches with the maximum of items. */
const batchOf = (field: string, itemOf: (index: number) => string): string =>
  JSON.stringify({ [field]: Array.from({ length: 1000 }, (_, index) => itemOf(index)) });
const SHORT_LABELS = batchOf("emails", (index) => `a${index}@${"ا.".repeat(80)}de`);
/** With as many labels as a domain name can have, in a script for which the conversion is slow. */
const LONG_NAMES = batchOf("emails", (index) => `a${index}@${"ا.".repeat(30)}de`);
const ADDRESSES = batchOf("ip_addresses", (index) => `${1 + (index % 200)}.${index % 250}.${index % 7}.9`);

const EMAILS = "/v1/sanitizeEmail:batch";
const LOOKUPS = "/v1/geoIp:batch";
const LONG_TEXT = "aB3".repeat(682);
const BARCODE = `/v1/barcode?type=qr_code&format=png&size=2048&data=${LONG_TEXT}`;

function getOver1(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

function postOver1(path: string, body: string): string {
  const length = Buffer.byteLength(body);
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

/** The frames of a POST request. */
function postOver2(id: number, path: string, contentType: string, body: Buffer): Buffer {
  const headers = Buffer.concat([requestBlock("POST", path), headerBlock({ "content-type": contentType })]);
  const frames = [frame(FRAME.HEADERS, END_HEADERS, id, headers)];
  for (let at = 0; at < body.length; at += 16_384) {
    const isLast = at + 16_384 >= body.length;
    frames.push(frame(FRAME.DATA, isLast ? END_STREAM : 0, id, body.subarray(at, at + 16_384)));
  }
  return Buffer.concat(frames);
}

/** An attack whose clients send a request over HTTP/1.1 again and again, without waiting for the responses. */
function repeated(name: string, connections: number, request: string): Attack {
  const bytes = Buffer.from(request);
  return {
    name,
    connections,
    run: (tools, count) => crowd(count, tools, (socket) => pour(socket.resume(), tools, bytes)),
  };
}

/** An attack whose clients send a hundred requests over HTTP/2 at once, and open another connection after the responses. */
function concurrent(name: string, connections: number, requestOf: (id: number) => Uint8Array): Attack {
  return over(name, connections, async (socket, tools) => {
    const requests = streams(100, (id) => [requestOf(id)]);
    socket.write(Buffer.concat([GROW, requests]));
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 1000)), untilGone(socket, tools)]);
  });
}

const lookUp = (id: number) => postOver2(id, LOOKUPS, "application/json", Buffer.from(ADDRESSES));

export const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/** A request of gRPC reflection for the file that contains a symbol. */
const SYMBOL = Buffer.from("utilitytools.v1.GeoIpService");
export const REFLECT: Buffer = Buffer.concat([
  Buffer.from([0, 0, 0, 0, SYMBOL.length + 2, 0x22, SYMBOL.length]),
  SYMBOL,
]);

/** Attacks by valid requests that cost much processor time or memory. */
export const WORK_ATTACKS: readonly Attack[] = [
  repeated("e-mail batches of many labels", 40, postOver1(EMAILS, SHORT_LABELS)),
  repeated("e-mail batches of the longest names", 40, postOver1(EMAILS, LONG_NAMES)),
  repeated("batches of addresses over HTTP/1.1", 40, postOver1(LOOKUPS, ADDRESSES)),
  concurrent("batches of addresses over HTTP/2", 20, lookUp),
  repeated("the largest PNG codes over HTTP/1.1", 500, getOver1(BARCODE)),
  concurrent("the largest PNG codes over HTTP/2", 20, (id) => get(id, BARCODE)),
  repeated("errors over HTTP/1.1", 500, getOver1(`/v1/barcode?data=${LONG_TEXT}`)),
  concurrent("streams of reflection", 20, (id) =>
    postOver2(id, REFLECTION, "application/grpc", Buffer.concat(Array<Buffer>(100).fill(REFLECT))),
  ),
  // The prefixes of 3,200 messages without content.
  concurrent("streams of empty messages", 20, (id) =>
    postOver2(id, REFLECTION, "application/grpc", Buffer.alloc(16_000)),
  ),
  {
    name: "batches whose responses are not read over HTTP/1.1",
    connections: 1000,
    run: (tools, count) =>
      crowd(count, tools, async (socket) => {
        socket.pause().write(postOver1(LOOKUPS, ADDRESSES));
        await untilGone(socket, tools);
      }),
  },
  {
    name: "batches whose responses are not read over HTTP/2",
    connections: 50,
    run: (tools, count) =>
      crowd(count, tools, async (socket) => {
        socket.pause().write(Buffer.concat([PREFACE, GROW, streams(100, (id) => [lookUp(id)])]));
        await untilGone(socket, tools);
      }),
  },
];
