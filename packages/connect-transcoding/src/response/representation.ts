import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { DescMessage, DescMethod, MessageInitShape } from "@bufbuild/protobuf";
import type { Exchange, HeaderList, Reply } from "../node/exchange.js";
import type { Answer } from "../node/methods.js";
import {
  type ContentCoding,
  entityTagOf,
  forbidsStoring,
  isCompressible,
  matchesEntityTag,
  negotiateContentCoding,
} from "./content-negotiation.js";
import { KeptAnswer } from "./kept-response.js";
import type { HttpAnswer } from "./response-encoder.js";

/** An answer with what caches need to know of it, and the forms in which it can go out. */
export interface Representation {
  readonly identity: Reply;
  readonly entityTag: string | undefined;
  readonly isCompressible: boolean;
  /** Where compressed forms are kept; undefined for an answer that is given once. */
  readonly compressed: Map<ContentCoding, Reply | Promise<Reply>> | undefined;
}

/** What can be made of an answer: its entity tag, if it may be kept, and whether its encoding varies. */
export function representationOf(answer: HttpAnswer): Representation {
  const { status, body } = answer;
  const headers = headerList(answer.headers).slice();
  const mayBeKept = status === 200 && answer.safe && !forbidsStoring(answer.headers["cache-control"]);
  const entityTag = mayBeKept ? entityTagOf(body) : undefined;
  // A text has as many octets as code units or more, which is near enough to tell long from short.
  const varies = status === 200 && isCompressible(answer.headers, body.length);
  if (entityTag !== undefined) {
    headers.push("etag", entityTag);
  }
  if (varies) {
    headers.push("vary", "accept-encoding");
  }
  const identity = createReply(status, headers, body);
  return { identity, entityTag, isCompressible: varies, compressed: undefined };
}

/** What can be made of what a handler gave; of an answer that it gives more than once, this is kept with it. */
export function representationOfGiven(
  given: Answer<DescMethod>,
  encode: (message: MessageInitShape<DescMessage>) => HttpAnswer,
): Representation {
  return given instanceof KeptAnswer
    ? given.form(encode, (message) => keptRepresentationOf(encode(message)))
    : representationOf(encode(given));
}

/** From this many code units on a text is kept as octets, so that it is encoded once; a short one is sooner sent as text. */
const MIN_KEPT_AS_OCTETS = 4096;

/** What can be made of an answer that is given more than once, with room for its compressed forms. */
export function keptRepresentationOf(answer: HttpAnswer): Representation {
  const representation = representationOf(answer);
  const { identity, isCompressible: varies } = representation;
  return {
    ...representation,
    identity: { ...identity, body: keptBodyOf(identity.body) },
    compressed: varies ? new Map() : undefined,
  };
}

function keptBodyOf(body: string | Uint8Array): string | Uint8Array {
  if (typeof body === "string" && body.length < MIN_KEPT_AS_OCTETS) {
    return body;
  }
  const octets = typeof body === "string" ? Buffer.from(body) : body;
  // A part of a larger block would keep all of it from being freed.
  return octets.length === octets.buffer.byteLength ? octets : new Uint8Array(octets);
}

/**
 * The answer in the form that a request wants it: 304 without a body where the caller has it already, compressed where
 * that is worth its while and asked for.
 */
export function represent(representation: Representation, exchange: Exchange): Reply | Promise<Reply> {
  const { identity, entityTag } = representation;
  if (entityTag !== undefined) {
    const ifNoneMatch = exchange.header("if-none-match");
    if (ifNoneMatch !== undefined && matchesEntityTag(ifNoneMatch, entityTag)) {
      return createReply(304, without(identity.headers, ["content-type", "content-length"]), "");
    }
  }
  if (!representation.isCompressible) {
    return identity;
  }
  const coding = negotiateContentCoding(exchange.header("accept-encoding"));
  return coding === undefined ? identity : compressed(representation, coding);
}

function compressed({ identity, compressed: kept }: Representation, coding: ContentCoding) {
  const known = kept?.get(coding);
  if (known !== undefined) {
    return known;
  }
  const made = compress(identity, coding);
  if (kept !== undefined) {
    kept.set(coding, made);
    // From then on nobody needs to wait for it.
    made.then(
      (reply) => kept.set(coding, reply),
      () => kept.delete(coding),
    );
  }
  return made;
}

// Brotli's own default quality is made for files that are compressed once: it takes 20 times as long as this one.
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** A reply in a content coding. */
async function compress({ status, headers, body }: Reply, coding: ContentCoding): Promise<Reply> {
  const octets =
    coding === "br" ? await promisify(brotliCompress)(body, BROTLI_OPTIONS) : await promisify(gzip)(body);
  return createReply(status, [...without(headers, ["content-length"]), "content-encoding", coding], octets);
}

/** Headers but those of some names. */
function without(headers: readonly string[], names: readonly string[]): string[] {
  return headers.filter((_, index) => !names.includes(headers[index - (index % 2)] ?? ""));
}

/** Lists of headers by their objects, which are the same for each answer of an encoder; gone when those are. */
const lists = new WeakMap<HttpAnswer["headers"], HeaderList>();

/** An answer as it goes out, just as it is. */
export function toReply({ status, headers, body }: HttpAnswer): Reply {
  return createReply(status, headerList(headers).slice(), body);
}

/** Makes a reply of headers that nobody else has, to which that of its length is added. */
export function createReply(status: number, headers: string[], body: Reply["body"]): Reply {
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  // RFC 9110, section 8.6: neither 204 nor 304 has a length of its own.
  if (status !== 204 && status !== 304) {
    headers.push("content-length", String(length));
  }
  return { status, headers, body, length };
}

/** Browsers are told to take content types at their word. */
export const NO_SNIFFING = ["x-content-type-options", "nosniff"] as const;

/** Nothing in an image or a text may run, load anything or be framed, should a browser show it as a document. */
const NO_PAGE: HeaderList = ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"];

/** Headers as a list, with those that every answer has. */
export function headerList(headers: HttpAnswer["headers"]): HeaderList {
  const known = lists.get(headers);
  if (known !== undefined) {
    return known;
  }
  const policy = headers["content-security-policy"] === undefined && isDocument(headers) ? NO_PAGE : [];
  const list = [...Object.entries(headers).flat(), ...NO_SNIFFING, ...policy];
  lists.set(headers, list);
  return list;
}

/** Whether browsers show an answer as more than its text. */
function isDocument(headers: HttpAnswer["headers"]): boolean {
  return /^(?:image|text)\//.test(headers["content-type"] ?? "");
}
