import type { SectionLimits } from "../../core/rules.js";
import { DynamicTable, MAX_TABLE_SIZE } from "./dynamic-table.js";
import { HeaderBlock, HeaderField } from "./header-block.js";
import { type HeaderName, headerName } from "./header-name.js";
import { huffmanDecode } from "./huffman.js";
import { STATIC_TABLE } from "./static-table.js";

const STATIC_FIELDS = STATIC_TABLE.map(([name, value]) => new HeaderField(headerName(name), value));

/** Decodes the header blocks of one connection, in their order (RFC 7541). */
export class HpackDecoder {
  readonly table = new DynamicTable();
  readonly #limits: SectionLimits;
  /** The position in the current block. */
  #at = 0;

  constructor(limits: SectionLimits) {
    this.#limits = limits;
  }

  /**
   * Decodes a whole header block. Returns undefined if it is invalid, which is a connection error COMPRESSION_ERROR (RFC 9113,
   * section 4.3); the decoder must not be used any more then. The time is linear in the length of the block, which the caller
   * limits. Nothing refers to `bytes` afterwards.
   */
  decode(bytes: Buffer, start: number, end: number): HeaderBlock | undefined {
    const block = new HeaderBlock();
    this.#at = start;
    if (!this.#readSizeUpdates(bytes, end)) return undefined;
    while (this.#at < end) {
      const field = this.#readField(bytes, end);
      if (field === undefined) return undefined;
      block.add(field, this.#limits);
    }
    return block;
  }

  /** Reads the size updates, which only the beginning of a block may have, and at most two (RFC 7541, section 4.2). */
  #readSizeUpdates(bytes: Buffer, end: number): boolean {
    for (let count = 0; this.#at < end && ((bytes[this.#at] as number) & 0xe0) === 0x20; count++) {
      const capacity = this.#readInteger(bytes, end, 0x1f);
      if (count === 2 || capacity < 0 || capacity > MAX_TABLE_SIZE) return false;
      this.table.resize(capacity);
    }
    return true;
  }

  /** Reads a field (section 6). Undefined if it is invalid, or a size update, which must not come here. */
  #readField(bytes: Buffer, end: number): HeaderField | undefined {
    const first = bytes[this.#at] as number;
    if (first >= 0x80) return this.#field(this.#readInteger(bytes, end, 0x7f));
    if (first >= 0x40) {
      const field = this.#readLiteral(bytes, end, 0x3f);
      if (field === undefined) return undefined;
      this.table.add(field);
      return field;
    }
    // Without indexing (0x00) and never indexed (0x10) are the same to a server that forwards nothing.
    return first < 0x20 ? this.#readLiteral(bytes, end, 0x0f) : undefined;
  }

  #readLiteral(bytes: Buffer, end: number, mask: number): HeaderField | undefined {
    const index = this.#readInteger(bytes, end, mask);
    let name: HeaderName | undefined;
    if (index === 0) {
      const text = this.#readString(bytes, end);
      name = text === undefined ? undefined : headerName(text);
    } else {
      name = this.#field(index)?.name;
    }
    const value = name === undefined ? undefined : this.#readString(bytes, end);
    return name === undefined || value === undefined ? undefined : new HeaderField(name, value);
  }

  /** The field with an index of the combined address space (section 2.3.3). An index below 1 is invalid. */
  #field(index: number): HeaderField | undefined {
    if (index < 1) return undefined;
    const { length } = STATIC_FIELDS;
    return index <= length ? STATIC_FIELDS[index - 1] : this.table.get(index - length - 1);
  }

  /** Reads an integer (section 5.1). Returns -1 if it is cut off, or has more than four bytes after its prefix. */
  #readInteger(bytes: Buffer, end: number, mask: number): number {
    let value = (bytes[this.#at++] as number) & mask;
    if (value < mask) return value;
    for (let shift = 0; shift <= 21 && this.#at < end; shift += 7) {
      const byte = bytes[this.#at++] as number;
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return -1;
  }

  #readString(bytes: Buffer, end: number): string | undefined {
    if (this.#at >= end) return undefined;
    const isHuffman = (bytes[this.#at] as number) >= 0x80;
    const length = this.#readInteger(bytes, end, 0x7f);
    const start = this.#at;
    if (length < 0 || length > end - start) return undefined;
    this.#at = start + length;
    return isHuffman ? huffmanDecode(bytes, start, this.#at) : bytes.toString("latin1", start, this.#at);
  }
}
