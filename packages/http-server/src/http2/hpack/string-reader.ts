import { BytesMap } from "./bytes-map.js";
import { huffmanDecodedBound, huffmanDecodeInto } from "./huffman.js";
import { BYTE_CLASSES, valueForm } from "./value-form.js";

/** Where the bytes of a string are collected. A longer string has a buffer of its own. */
const scratch = Buffer.allocUnsafeSlow(4096);

/** Shorter strings are decoded faster than they are found. */
const MIN_KNOWN_LENGTH = 12;
const MAX_KNOWN_LENGTH = 128;
const MAX_KNOWN = 32;

/** A string of a header block. */
export interface HeaderString {
  readonly text: string;
  /** The `ValueForm` of the string as a value. */
  readonly form: number;
}

/**
 * Reads the strings of the header blocks of a connection (RFC 7541, section 5.2). It remembers some: clients that never put
 * `:path` in the dynamic table send the same bytes for it each time.
 */
export class StringReader {
  readonly #known = new BytesMap<HeaderString>(MAX_KNOWN_LENGTH, MAX_KNOWN);

  /** The string with these bytes; undefined if its Huffman code is invalid. */
  read(bytes: Uint8Array, start: number, end: number, isHuffman: boolean): HeaderString | undefined {
    if (!isHuffman) return readPlain(bytes, start, end);
    if (end - start < MIN_KNOWN_LENGTH) return readHuffman(bytes, start, end);
    let string = this.#known.get(bytes, start, end);
    if (string === undefined) {
      string = readHuffman(bytes, start, end);
      if (string !== undefined) this.#known.add(bytes, start, end, string);
    }
    return string;
  }
}

function readPlain(bytes: Uint8Array, start: number, end: number): HeaderString {
  const length = end - start;
  const target = targetOf(length);
  let classes = 0;
  for (let i = 0; i < length; i++) {
    const byte = bytes[start + i] as number;
    target[i] = byte;
    classes |= BYTE_CLASSES[byte] as number;
  }
  return { text: toText(target, length), form: valueForm(target, length, classes) };
}

function readHuffman(bytes: Uint8Array, start: number, end: number): HeaderString | undefined {
  const target = targetOf(huffmanDecodedBound(end - start));
  const result = huffmanDecodeInto(bytes, start, end, target);
  if (result < 0) return undefined;
  const length = result >>> 2;
  return { text: toText(target, length), form: valueForm(target, length, result & 3) };
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
