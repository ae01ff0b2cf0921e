import { httpDate } from "../../core/http-date.js";
import type { HeaderList } from "../../request.js";
import { encodeHeaders, encodeStatus } from "../hpack/encoder.js";
import { FRAME_HEADER, FrameFlag, FrameType, MAX_FRAME, writeFrameHeader } from "./frames.js";

/** A dynamic table size update to zero (RFC 7541, section 6.3): our header blocks do not use the table. */
const NO_TABLE = 0x20;

/** The maximum overhead of a field in a header block: its first byte, and two lengths. */
const FIELD_OVERHEAD = 12;

/** What a header section begins with: the status of a response, the encoded pseudo-headers of a request, or 0 for trailers. */
export type SectionStart = number | Uint8Array;

/** The maximum length of the frames of a header section in bytes, with `:status` and `date`. */
export function sectionBound(list: HeaderList): number {
  let bound = 64;
  for (const text of list) {
    bound += text.length + FIELD_OVERHEAD;
  }
  return bound + FRAME_HEADER * (1 + Math.ceil(bound / MAX_FRAME));
}

/**
 * Writes a header section at a position, and returns the position after it. The caller has made room. Throws a TypeError for an
 * invalid header.
 *
 * @param hasTable whether the other side may still expect header blocks that use a table
 */
export function writeSection(
  target: Buffer,
  position: number,
  streamId: number,
  flags: number,
  start: SectionStart,
  list: HeaderList,
  hasTable: boolean,
): number {
  const blockStart = position + FRAME_HEADER;
  let at = blockStart;
  if (hasTable) {
    target[at++] = NO_TABLE;
  }
  if (typeof start !== "number") {
    target.set(start, at);
    at += start.length;
  } else if (start !== 0) {
    at = encodeStatus(start, target, at);
    at = start < 200 ? at : encodeHeaders(["date", httpDate()], target, at);
  }
  at = encodeHeaders(list, target, at);
  const length = at - blockStart;
  if (length <= MAX_FRAME) {
    writeFrameHeader(target, position, length, FrameType.HEADERS, flags | FrameFlag.END_HEADERS, streamId);
    return at;
  }
  return writeLongBlock(target, position, Buffer.from(target.subarray(blockStart, at)), flags, streamId);
}

/** Writes a header block in several frames (RFC 9113, section 6.10). */
function writeLongBlock(
  target: Buffer,
  start: number,
  block: Buffer,
  flags: number,
  streamId: number,
): number {
  let at = start;
  for (let offset = 0; offset < block.length; offset += MAX_FRAME) {
    const part = block.subarray(offset, offset + MAX_FRAME);
    const type = offset === 0 ? FrameType.HEADERS : FrameType.CONTINUATION;
    const end = offset + MAX_FRAME >= block.length ? FrameFlag.END_HEADERS : 0;
    at = writeFrameHeader(target, at, part.length, type, end | (offset === 0 ? flags : 0), streamId);
    target.set(part, at);
    at += part.length;
  }
  return at;
}
