import { STATIC_TABLE } from "../../../src/http2/hpack/static-table.js";
import { bytesOfBits } from "./bytes.js";
import { HUFFMAN_CODES } from "./huffman-codes.js";

/** How a field is encoded, as far as the tables allow. */
export interface Form {
  /** Whether an index stands for the whole field where a table has it. */
  readonly usesIndex: boolean;
  /** Whether an index stands for the name where a table has it. */
  readonly usesNameIndex: boolean;
  /** Of several entries that fit, whether the last one is used. */
  readonly usesLast: boolean;
  readonly literal: "indexing" | "plain" | "never";
  readonly isNameHuffman: boolean;
  readonly isValueHuffman: boolean;
}

/** A slow encoder that follows RFC 7541 word by word, and takes each decision from its input. */
export class ReferenceEncoder {
  #table: [name: string, value: string][] = [];
  #capacity = 4096;

  /** The dynamic table, newest entry first. */
  get table(): readonly (readonly [name: string, value: string])[] {
    return this.#table;
  }

  resize(capacity: number): number[] {
    this.#capacity = capacity;
    this.#evict();
    return integer(capacity, 5, 0x20);
  }

  field(name: string, value: string, form: Form): number[] {
    const entries = [...STATIC_TABLE, ...this.#table];
    const find = (isMatch: (entry: readonly [string, string]) => boolean) =>
      (form.usesLast ? entries.findLastIndex(isMatch) : entries.findIndex(isMatch)) + 1;
    const index = find((entry) => entry[0] === name && entry[1] === value);
    if (form.usesIndex && index > 0) return integer(index, 7, 0x80);
    const nameIndex = form.usesNameIndex ? find((entry) => entry[0] === name) : 0;
    const [bits, flags] = { indexing: [6, 0x40], plain: [4, 0x00], never: [4, 0x10] }[form.literal] as [
      number,
      number,
    ];
    if (form.literal === "indexing") {
      this.#table.unshift([name, value]);
      this.#evict();
    }
    return [
      ...integer(nameIndex, bits, flags),
      ...(nameIndex === 0 ? string(name, form.isNameHuffman) : []),
      ...string(value, form.isValueHuffman),
    ];
  }

  #evict(): void {
    const sizeOf = () =>
      this.#table.reduce((size, [name, value]) => size + name.length + value.length + 32, 0);
    while (sizeOf() > this.#capacity) this.#table.pop();
  }
}

/** RFC 7541, section 5.1. */
export function integer(value: number, prefixBits: number, flags: number): number[] {
  const max = 2 ** prefixBits - 1;
  if (value < max) return [flags | value];
  const bytes = [flags | max];
  let rest = value - max;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}

/** RFC 7541, section 5.2. */
export function string(text: string, isHuffman: boolean): number[] {
  const codes = Array.from(text, (char) => char.charCodeAt(0));
  const bytes = isHuffman ? [...bytesOfBits(codes.map((code) => HUFFMAN_CODES[code]).join(""))] : codes;
  return [...integer(bytes.length, 7, isHuffman ? 0x80 : 0), ...bytes];
}
