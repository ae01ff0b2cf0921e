import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { HttpAnswer } from "../transcoding/answer.js";
import { forbidsStoring } from "../transcoding/cache-control.js";
import { type ContentCoding, isCompressible, negotiateContentCoding } from "../transcoding/content-coding.js";
import { entityTagOf, matchesEntityTag } from "../transcoding/entity-tag.js";

/** What a request says about the form of its answer; undefined for a header that was not sent. */
export interface AnswerPreferences {
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/**
 * The answer in the form that a request wants it: 304 without a body where the caller has it already, compressed where
 * that is worth its while and asked for.
 */
export async function representAnswer(
  answer: HttpAnswer,
  { acceptEncoding, ifNoneMatch }: AnswerPreferences,
): Promise<HttpAnswer> {
  const wanted = unlessKept(labelAnswer(answer), ifNoneMatch);
  return compressAnswer(wanted, negotiateContentCoding(acceptEncoding));
}

/** The answer with what caches need to know of it: its entity tag, if it may be kept, and what it varies by. */
export function labelAnswer(answer: HttpAnswer): HttpAnswer {
  if (answer.status !== 200) {
    return answer;
  }
  const body = Buffer.from(answer.body);
  const mayBeKept = answer.safe && !forbidsStoring(answer.headers["cache-control"]);
  const headers = {
    ...answer.headers,
    ...(mayBeKept ? { etag: entityTagOf(body) } : {}),
    ...(isCompressible(answer.headers, body.length) ? { vary: "accept-encoding" } : {}),
  };
  return { ...answer, headers, body };
}

/** A labelled answer, or 304 without its body where `If-None-Match` names its entity tag. */
export function unlessKept(answer: HttpAnswer, ifNoneMatch: string | undefined): HttpAnswer {
  const { etag } = answer.headers;
  if (etag === undefined || ifNoneMatch === undefined || !matchesEntityTag(ifNoneMatch, etag)) {
    return answer;
  }
  const { "content-type": _type, "content-encoding": _coding, ...headers } = answer.headers;
  return { status: 304, headers, body: "" };
}

/** The answer in a content coding, where it is one that gains from it. */
export async function compressAnswer(
  answer: HttpAnswer,
  coding: ContentCoding | undefined,
): Promise<HttpAnswer> {
  if (coding === undefined || answer.status !== 200) {
    return answer;
  }
  const body = Buffer.from(answer.body);
  if (!isCompressible(answer.headers, body.length)) {
    return answer;
  }
  const headers = { ...answer.headers, "content-encoding": coding };
  return { ...answer, headers, body: await compress(body, coding) };
}

// Brotli's own default quality is made for files that are compressed once: it takes 20 times as long as this one.
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

function compress(body: Buffer, coding: ContentCoding): Promise<Buffer> {
  return coding === "br" ? promisify(brotliCompress)(body, BROTLI_OPTIONS) : promisify(gzip)(body);
}
