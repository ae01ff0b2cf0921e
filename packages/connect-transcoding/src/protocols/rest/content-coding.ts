import { compressions } from "#platform";
import { bodyTooLarge, malformed, unsupportedContentEncoding } from "../../errors/http-error.js";
import { contentCodingsOf } from "../../routes/binding/request-parameters.js";
import { inflateWithin } from "../compression.js";

const gzip = compressions.find(({ name }) => name === "gzip");

/** Whether gzip is the only content coding of a body (RFC 9110, section 8.4.1.3). */
export function isGzip(contentEncoding: string | undefined): boolean {
  if (contentEncoding === undefined) {
    return false;
  }
  const [coding = "", ...others] = contentCodingsOf(contentEncoding);
  return others.length === 0 && /^(?:x-)?gzip$/i.test(coding);
}

/** Inflates a body. Throws or rejects with a ConnectError: 413 for more than `limit` bytes, before it has inflated them, 400 for other data. */
export function inflateBody(body: Uint8Array, limit: number): Uint8Array | Promise<Uint8Array> {
  if (gzip === undefined) {
    throw unsupportedContentEncoding("identity");
  }
  if (body.length === 0) {
    return body;
  }
  return inflateWithin(gzip, body, limit, (problem) =>
    problem === undefined ? bodyTooLarge(limit) : malformed("MALFORMED_BODY", `the body ${problem}`),
  );
}
