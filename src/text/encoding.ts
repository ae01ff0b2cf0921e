import { type Failure, fail, ok, type Result } from "../failures/result.js";

/** How a text is encoded. */
export interface TextEncoding {
  readonly name: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";
  /** The length of the byte order mark in bytes; 0 without one. */
  readonly markLength: number;
}

/** Files that are no text, by their first bytes, and what to do with them. */
const OTHER_FILES: readonly (readonly [start: readonly number[], problem: string])[] = [
  [[0x50, 0x4b, 3, 4], "a ZIP archive or a spreadsheet (XLSX): save it as CSV"],
  [[0xd0, 0xcf, 0x11, 0xe0], "an old spreadsheet (XLS): save it as CSV"],
  [[0x1f, 0x8b], "compressed (gzip): decompress it with gunzip -c"],
  [[0x28, 0xb5, 0x2f, 0xfd], "compressed (zstd): decompress it with zstd -dc"],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], "compressed (xz): decompress it with xz -dc"],
  [[0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59], "compressed (bzip2): decompress it with bzip2 -dc"],
  [[0x25, 0x50, 0x44, 0x46], "a PDF document: save it as text"],
  [[0xff, 0xfe, 0, 0], "UTF-32: save it as UTF-8"],
];

/** The bytes that the encoding is detected from. */
const SAMPLE_BYTES = 65_536;

/**
 * Detects the encoding of a text by its first bytes: by a byte order mark, else UTF-8 unless most characters that are not ASCII have
 * another form. The failure says what the bytes are, and what to do.
 */
export function detectEncoding(bytes: Uint8Array): Result<TextEncoding, Failure<"NOT_TEXT">> {
  const startsWith = (start: readonly number[]) => start.every((byte, index) => bytes[index] === byte);
  const other = OTHER_FILES.find(([start]) => startsWith(start));
  if (other !== undefined) {
    return fail("NOT_TEXT", other[1]);
  }
  if (startsWith([0xef, 0xbb, 0xbf])) {
    return ok({ name: "utf-8", markLength: 3 });
  }
  if (startsWith([0xff, 0xfe]) || startsWith([0xfe, 0xff])) {
    return ok({ name: bytes[0] === 0xff ? "utf-16le" : "utf-16be", markLength: 2 });
  }
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (let index = sample.indexOf(0); index !== -1; index = sample.indexOf(0, index + 1)) {
    zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  }
  // In UTF-16, every second byte of an ASCII character is zero.
  const [even = 0, odd = 0] = zeros;
  if (Math.max(even, odd) > sample.length / 4) {
    const order = even > odd ? "big-endian" : "little-endian";
    return fail("NOT_TEXT", `UTF-16 without a byte order mark: save it as UTF-8 (it seems to be ${order})`);
  }
  return ok({ name: isWindows1252(sample) ? "windows-1252" : "utf-8", markLength: 0 });
}

/** Whether most of the characters of a sample that are not ASCII are no UTF-8. A character at the end may be cut. */
export function isWindows1252(sample: Uint8Array): boolean {
  const text = new TextDecoder().decode(sample, { stream: true });
  const invalid = text.split("\ufffd").length - 1;
  return invalid > 0 && invalid >= text.replaceAll(/[\0-\x7f\ufffd]+/g, "").length;
}

/** The characters of Windows-1252 from 0x80 to 0x9f. Versions of Node differ in what their decoder makes of these bytes. */
const WINDOWS_1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Decodes Windows-1252. */
export function decodeWindows1252(bytes: Uint8Array): string {
  const codes = Uint16Array.from(bytes, (byte) =>
    byte > 0x7f && byte < 0xa0 ? WINDOWS_1252.charCodeAt(byte - 0x80) : byte,
  );
  return new TextDecoder("utf-16le").decode(codes);
}

/** Encodes a text in Windows-1252. A letter that it lacks loses its accent; any other character becomes a question mark. */
export function encodeWindows1252(text: string): Uint8Array {
  const codes: number[] = [];
  for (const character of text) {
    codes.push(codeOf(character) ?? codeOf(character.normalize("NFKD").charAt(0)) ?? 0x3f);
  }
  return Uint8Array.from(codes);
}

function codeOf(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0;
  const index = WINDOWS_1252.indexOf(character);
  return code < 0x80 || (code > 0x9f && code < 0x100) ? code : index === -1 ? undefined : 0x80 + index;
}
