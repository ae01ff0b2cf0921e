import { huffmanDecodedBound, huffmanDecodeInto } from "./huffman.js";
import { BYTE_CLASSES, valueForm } from "./value-form.js";

/** Where the bytes of a string are collected. A longer string has a buffer of its own. */
const scratch = Buffer.allocUnsafeSlow(4096);

/**
 * Reads the strings of header blocks (RFC 7541, section 5.2). Their texts refer to no larger text or buffer. Use one reader for
 * all connections.
 */
export class StringReader {
  /** The `ValueForm` of the last string as a value. */
  form = 0;

  /** The string with these bytes; undefined if its Huffman code is invalid. */
  read(bytes: Uint8Array, start: number, end: number, isHuffman: boolean): string | undefined {
    return isHuffman ? this.#readHuffman(bytes, start, end) : this.#readPlain(bytes, start, end);
  }

  #readPlain(bytes: Uint8Array, start: number, end: number): string {
    const length = end - start;
    const target = targetOf(length);
    let classes = 0;
    for (let i = 0; i < length; i++) {
      const byte = bytes[start + i] as number;
      target[i] = byte;
      classes |= BYTE_CLASSES[byte] as number;
    }
    this.form = valueForm(target, length, classes);
    return toText(target, length);
  }

  #readHuffman(bytes: Uint8Array, start: number, end: number): string | undefined {
    const target = targetOf(huffmanDecodedBound(end - start));
    const result = huffmanDecodeInto(bytes, start, end, target);
    if (result < 0) return undefined;
    const length = result >>> 2;
    this.form = valueForm(target, length, result & 3);
    return toText(target, length);
  }
}

function targetOf(length: number): Buffer {
  return length <= scratch.length ? scratch : Buffer.allocUnsafe(length);
}

/** The first `length` bytes in ISO 8859-1. */
function toText(bytes: Buffer, length: number): string {
  // A call to toString takes longer than this for the 9 characters that a value of grpc-timeout has at most.
  if (length > 9) return bytes.toString("latin1", 0, length);
  let text = "";
  let at = 0;
  for (; length - at >= 4; at += 4) {
    text += String.fromCharCode(
      bytes[at] as number,
      bytes[at + 1] as number,
      bytes[at + 2] as number,
      bytes[at + 3] as number,
    );
  }
  if (length - at >= 2) {
    text += String.fromCharCode(bytes[at] as number, bytes[at + 1] as number);
    at += 2;
  }
  return at < length ? text + String.fromCharCode(bytes[at] as number) : text;
}
