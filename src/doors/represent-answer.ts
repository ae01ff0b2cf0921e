import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { HttpAnswer } from "../transcoding/answer.js";
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
  preferences: AnswerPreferences,
): Promise<HttpAnswer> {
  if (answer.status !== 200) {
    return answer;
  }
  const body = Buffer.from(answer.body);
  const compressible = isCompressible(answer.headers, body.length);
  const mayBeKept = answer.safe && !/\bno-store\b/.test(answer.headers["cache-control"] ?? "");
  const entityTag = mayBeKept ? entityTagOf(body) : undefined;
  const headers: Record<string, string> = {
    ...answer.headers,
    ...(entityTag === undefined ? {} : { etag: entityTag }),
    ...(compressible ? { vary: "accept-encoding" } : {}),
  };
  const { ifNoneMatch, acceptEncoding } = preferences;
  if (entityTag !== undefined && ifNoneMatch !== undefined && matchesEntityTag(ifNoneMatch, entityTag)) {
    const { "content-type": _, ...withoutType } = headers;
    return { status: 304, headers: withoutType, body: "" };
  }
  const coding = compressible ? negotiateContentCoding(acceptEncoding) : undefined;
  if (coding === undefined) {
    return { status: 200, headers, body };
  }
  return {
    status: 200,
    headers: { ...headers, "content-encoding": coding },
    body: await compress(body, coding),
  };
}

// Brotli's own default quality is made for files that are compressed once: it takes 20 times as long as this one.
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

function compress(body: Buffer, coding: ContentCoding): Promise<Buffer> {
  return coding === "br" ? promisify(brotliCompress)(body, BROTLI_OPTIONS) : promisify(gzip)(body);
}
