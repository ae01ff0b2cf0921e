import type { HeaderList } from "@utility-tools/http-server";
import { compressions } from "#platform";
import type { MessageInit } from "../../codec/message-field.js";
import { preconditionFailed } from "../../errors/http-error.js";
import { encodeCached } from "./cached-encodings.js";
import {
  type ContentCoding,
  entityTagOf,
  isCompressible,
  matchesEntityTag,
  matchesStrongly,
  negotiateContentCoding,
} from "./content-negotiation.js";
import { forbidsStoring, type HttpResponse, type ResponseEncoder } from "./response-encoder.js";

/** A whole response as it is sent, without the headers that the connection adds. */
export interface OutgoingResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string | Uint8Array;
  /** The length of the body in bytes. */
  readonly length: number;
  /** Trailers, which only HTTP/2 sends. */
  readonly trailers?: HeaderList;
}

/** The request headers that select a form of a response. */
export interface ConditionalRequest {
  header(name: string): string | undefined;
}

/** A response with its validators and the forms in which it can be sent. */
export interface Representation {
  readonly identity: OutgoingResponse;
  readonly entityTag: string | undefined;
  readonly isCompressible: boolean;
  /** Keeps the compressed forms; undefined for a response that is sent once. */
  readonly compressed: Map<string, OutgoingResponse | Promise<OutgoingResponse>> | undefined;
}

/** Derives the entity tag of a response, if it can be stored, and whether its content coding varies. */
export function representationOf(response: HttpResponse): Representation {
  const { status, body } = response;
  const headers = headerList(response.headers).slice();
  const isStorable = status === 200 && response.safe && !forbidsStoring(response.headers["cache-control"]);
  const entityTag = isStorable ? entityTagOf(body) : undefined;
  // The number of code units is close enough to the number of bytes to tell short from long.
  const varies = status < 300 && isCompressible(response.headers, body.length);
  if (entityTag !== undefined) {
    headers.push("etag", entityTag);
  }
  if (varies) {
    headers.push("vary", "accept-encoding");
  }
  const identity = outgoingResponse(status, headers, body);
  return { identity, entityTag, isCompressible: varies, compressed: undefined };
}

/** The representation of a message; kept for messages that are marked with `cacheEncodings`. */
export function representMessage(message: MessageInit, encode: ResponseEncoder): Representation {
  return encodeCached(message, encode, representOnce, representToKeep);
}

function representOnce(message: MessageInit, encode: ResponseEncoder): Representation {
  return representationOf(encode(message));
}

function representToKeep(message: MessageInit, encode: ResponseEncoder): Representation {
  return keptRepresentationOf(encode(message));
}

/** From this many code units on, a kept text is stored as bytes; shorter texts are faster to send as text. */
const MIN_KEPT_AS_BYTES = 4096;

/** The representation of a response that is sent repeatedly, which keeps its compressed forms. */
export function keptRepresentationOf(response: HttpResponse): Representation {
  const representation = representationOf(response);
  const { identity, isCompressible: varies } = representation;
  return {
    ...representation,
    identity: { ...identity, body: keptBodyOf(identity.body) },
    compressed: varies ? new Map() : undefined,
  };
}

function keptBodyOf(body: string | Uint8Array): string | Uint8Array {
  if (typeof body === "string" && body.length < MIN_KEPT_AS_BYTES) {
    return body;
  }
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  // A view of a larger buffer would retain all of it.
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

/** The content codings of a response. */
export interface CodingChoice {
  /** Default: those of the runtime. */
  readonly codings?: readonly ContentCoding[];
  /** What a client accepts that does not say it, as in `Accept-Encoding`. */
  readonly otherwise?: string | undefined;
}

/**
 * Selects the form of a response for a request: 304 without a body if the client has it already, compressed if that is
 * worthwhile and accepted. Throws a ConnectError (412) if the client wants another version. https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2
 */
export function selectResponse(
  representation: Representation,
  request: ConditionalRequest,
  { codings = compressions, otherwise }: CodingChoice = {},
): OutgoingResponse | Promise<OutgoingResponse> {
  const { identity, entityTag } = representation;
  if (entityTag !== undefined) {
    const ifMatch = request.header("if-match");
    if (ifMatch !== undefined && !matchesStrongly(ifMatch, entityTag)) {
      throw preconditionFailed();
    }
    const ifNoneMatch = request.header("if-none-match");
    if (ifNoneMatch !== undefined && matchesEntityTag(ifNoneMatch, entityTag)) {
      return outgoingResponse(304, without(identity.headers, ["content-type", "content-length"]), "");
    }
  }
  if (!representation.isCompressible) {
    return identity;
  }
  const coding = negotiateContentCoding(request.header("accept-encoding") ?? otherwise, codings);
  return coding === undefined ? identity : compressed(representation, coding);
}

function compressed({ identity, compressed: kept }: Representation, coding: ContentCoding) {
  const known = kept?.get(coding.name);
  if (known !== undefined) {
    return known;
  }
  const pending = compress(identity, coding);
  if (kept !== undefined) {
    kept.set(coding.name, pending);
    // Replaces the promise, so that later requests get the response synchronously.
    pending.then(
      (response) => kept.set(coding.name, response),
      () => kept.delete(coding.name),
    );
  }
  return pending;
}

async function compress(
  { status, headers, body }: OutgoingResponse,
  coding: ContentCoding,
): Promise<OutgoingResponse> {
  return outgoingResponse(
    status,
    [...without(headers, ["content-length"]), "content-encoding", coding.name],
    await coding.compress(typeof body === "string" ? Buffer.from(body) : body),
  );
}

function without(headers: HeaderList, names: readonly string[]): string[] {
  return headers.filter((_, index) => !names.includes(headers[index - (index % 2)] ?? ""));
}

/** The header lists of headers objects, which the responses of an encoder share. */
const lists = new WeakMap<HttpResponse["headers"], HeaderList>();

/** A response as it is sent, without content negotiation. */
export function toOutgoing({ status, headers, body }: HttpResponse): OutgoingResponse {
  return outgoingResponse(status, headerList(headers).slice(), body);
}

/** Creates a response; adds its content length to `headers`, which must not be shared. */
export function outgoingResponse(
  status: number,
  headers: string[],
  body: OutgoingResponse["body"],
): OutgoingResponse {
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  // RFC 9110, section 8.6: 204 and 304 have no content length of their own.
  if (status !== 204 && status !== 304) {
    headers.push("content-length", String(length));
  }
  return { status, headers, body, length };
}

/** Keeps browsers from guessing content types. */
export const NO_SNIFFING = ["x-content-type-options", "nosniff"] as const;

/** An image or a text that a browser shows as a document must not run, load or be framed by anything. */
const NO_PAGE: HeaderList = ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"];

/** Headers as a list, with the security headers of every response. */
export function headerList(headers: HttpResponse["headers"]): HeaderList {
  const known = lists.get(headers);
  if (known !== undefined) {
    return known;
  }
  const policy = headers["content-security-policy"] === undefined && isDocument(headers) ? NO_PAGE : [];
  const list = [...Object.entries(headers).flat(), ...NO_SNIFFING, ...policy];
  lists.set(headers, list);
  return list;
}

/** Whether browsers render the response as more than plain data. */
function isDocument(headers: HttpResponse["headers"]): boolean {
  return /^(?:image|text)\//.test(headers["content-type"] ?? "");
}
