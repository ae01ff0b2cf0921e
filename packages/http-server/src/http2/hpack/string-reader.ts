import { hashOf, isEqual } from "./bytes.js";
import { huffmanDecodedBound, huffmanDecodeInto } from "./huffman.js";
import { BYTE_CLASSES, valueForm } from "./value-form.js";

/** Where the bytes of a string are collected. A longer string has a buffer of its own. */
const scratch = Buffer.allocUnsafeSlow(4096);

/** Shorter strings are decoded faster than they are found. */
const MIN_KNOWN_LENGTH = 12;
const MAX_KNOWN_LENGTH = 64;
/** A power of two. */
const SLOTS = 64;

interface KnownString {
  readonly key: Uint8Array;
  readonly text: string;
  readonly form: number;
}

/**
 * Reads the strings of header blocks (RFC 7541, section 5.2). Their texts refer to no larger text or buffer. Use one reader for
 * all connections.
 */
export class StringReader {
  /** The `ValueForm` of the last string as a value. */
  form = 0;
  /** By slot: the hash of a path in Huffman code; once it has come twice, also its bytes, and what was decoded from them. */
  readonly #hashes = new Int32Array(SLOTS);
  readonly #known: (KnownString | undefined)[] = new Array(SLOTS).fill(undefined);

  /** The string with these bytes; undefined if its Huffman code is invalid. */
  read(bytes: Uint8Array, start: number, end: number, isHuffman: boolean): string | undefined {
    return isHuffman ? this.#readHuffman(bytes, start, end) : this.#readPlain(bytes, start, end);
  }

  /**
   * The same for a value of `:path`. Clients that never put it in the dynamic table send the same bytes for each call of a
   * method, so that they are looked up before they are decoded.
   */
  readPath(bytes: Uint8Array, start: number, end: number, isHuffman: boolean): string | undefined {
    const length = end - start;
    if (!isHuffman || length < MIN_KNOWN_LENGTH || length > MAX_KNOWN_LENGTH)
      return this.read(bytes, start, end, isHuffman);
    const hash = hashOf(bytes, start, end);
    const slot = hash & (SLOTS - 1);
    const known = this.#known[slot];
    if (known !== undefined && isEqual(known.key, bytes, start, end)) {
      this.form = known.form;
      return known.text;
    }
    const text = this.#readHuffman(bytes, start, end);
    if (this.#hashes[slot] !== hash) {
      this.#hashes[slot] = hash;
    } else if (text !== undefined) {
      this.#known[slot] = { key: new Uint8Array(bytes.subarray(start, end)), text, form: this.form };
    }
    return text;
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
