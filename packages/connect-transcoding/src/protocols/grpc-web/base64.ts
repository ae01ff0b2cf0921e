import { Code, ConnectError } from "@connectrpc/connect";

const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
const PADDING = 64;
const INVALID = 0xff;
/** The values of all bytes as characters. */
const VALUES = Uint8Array.from({ length: 256 }, (_, byte) => CHARACTERS.indexOf(String.fromCharCode(byte)));
const EMPTY: Uint8Array = new Uint8Array();

/**
 * Decodes base64 in parts of any length. Padding may be at the end of any group of four characters, because the text may be
 * several encoded texts in sequence.
 */
export class Base64Decoder {
  #rest: Uint8Array = EMPTY;
  /** The offset of the rest in the body. */
  #offset = 0;

  /** Decodes the next part. Throws a ConnectError for anything but the alphabet of RFC 4648. */
  decode(part: Uint8Array): Uint8Array {
    const text = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
    const end = text.length - (text.length % 4);
    this.#rest = end === text.length ? EMPTY : new Uint8Array(text.subarray(end));
    const bytes = decodeGroups(text, end, this.#offset);
    this.#offset += end;
    return bytes;
  }

  /** Throws a ConnectError if the text is incomplete. */
  end(): void {
    if (this.#rest.length > 0) {
      throw malformed("it ends within a group of 4 characters");
    }
  }
}

function decodeGroups(text: Uint8Array, end: number, offset: number): Uint8Array {
  const bytes = new Uint8Array((end / 4) * 3);
  let length = 0;
  for (let at = 0; at < end; at += 4) {
    const first = valueAt(text, at);
    const second = valueAt(text, at + 1);
    const third = valueAt(text, at + 2);
    const fourth = valueAt(text, at + 3);
    const isPadded = fourth === PADDING && third <= PADDING;
    if (first >= PADDING || second >= PADDING || !(isPadded || (third < PADDING && fourth < PADDING))) {
      throw malformed(`the group of 4 characters at offset ${offset + at} is invalid`);
    }
    bytes[length] = (first << 2) | (second >>> 4);
    bytes[length + 1] = (second << 4) | (third >>> 2);
    bytes[length + 2] = (third << 6) | fourth;
    length += third === PADDING ? 1 : isPadded ? 2 : 3;
  }
  return bytes.subarray(0, length);
}

function valueAt(text: Uint8Array, index: number): number {
  return VALUES[text[index] ?? INVALID] ?? INVALID;
}

function malformed(problem: string): ConnectError {
  return new ConnectError(
    `the body must be base64 with padding (RFC 4648, section 4), but ${problem}`,
    Code.InvalidArgument,
  );
}
