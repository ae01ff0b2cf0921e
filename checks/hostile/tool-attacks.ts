import {
  type Attack,
  always,
  attack,
  forMilliseconds,
  pour,
  untilGone,
} from "../../packages/http-server/checks/hostile/attack.js";
import {
  GROW,
  get1,
  get2,
  JSON_TYPE,
  preface,
  streams,
  whole1,
  whole2,
} from "../../packages/http-server/checks/hostile/bytes.js";

/** The bodies of batches with the maximum of items. */
const batchOf = (field: string, itemOf: (index: number) => string): string =>
  JSON.stringify({ [field]: Array.from({ length: 1000 }, (_, index) => itemOf(index)) });
const EMAILS = "/v1/sanitizeEmail:batch";
const LOOKUPS = "/v1/geoIp:batch";
const SHORT_LABELS = batchOf("emails", (index) => `a${index}@${"ا.".repeat(80)}de`);
/** With as many labels as a domain name can have, in a script for which the conversion is slow. */
const LONG_NAMES = batchOf("emails", (index) => `a${index}@${"ا.".repeat(30)}de`);
const ADDRESSES = batchOf("ip_addresses", (index) => `${1 + (index % 200)}.${index % 250}.${index % 7}.9`);
const LONG_TEXT = "aB3".repeat(682);
const BARCODE = `/v1/barcode?type=qr_code&format=png&size=2048&data=${LONG_TEXT}`;

/** An attack whose clients send a request over HTTP/1.1 again and again, without waiting for the responses. */
const repeated = (name: string, connections: number, request: string): Attack =>
  attack(name, connections, () => "", pour(always(Buffer.from(request))));

/** An attack whose clients send a hundred requests over HTTP/2 at once, and open another connection after the responses. */
const concurrent = (name: string, requestOf: (id: number) => Uint8Array): Attack =>
  attack(name, 20, () => preface(GROW, streams(100, requestOf)), forMilliseconds(1000));

const lookUp = (id: number) => whole2(id, LOOKUPS, JSON_TYPE, Buffer.from(ADDRESSES));

/** Attacks by valid requests of tools that cost much processor time or memory. */
export const ATTACKS: readonly Attack[] = [
  repeated("e-mail batches of many labels", 40, whole1(EMAILS, SHORT_LABELS)),
  repeated("e-mail batches of the longest names", 40, whole1(EMAILS, LONG_NAMES)),
  repeated("batches of addresses over HTTP/1.1", 40, whole1(LOOKUPS, ADDRESSES)),
  concurrent("batches of addresses over HTTP/2", lookUp),
  repeated("the largest PNG codes over HTTP/1.1", 500, get1("", BARCODE)),
  concurrent("the largest PNG codes over HTTP/2", (id) => get2(id, BARCODE)),
  repeated("errors over HTTP/1.1", 500, get1("", `/v1/barcode?data=${LONG_TEXT}`)),
  attack(
    "batches whose responses are not read over HTTP/1.1",
    1000,
    () => whole1(LOOKUPS, ADDRESSES),
    untilGone,
    { reads: false },
  ),
  attack(
    "batches whose responses are not read over HTTP/2",
    50,
    () => preface(GROW, streams(100, lookUp)),
    untilGone,
    { reads: false },
  ),
];
