import { BytesMap } from "./bytes-map.js";
import { DynamicTable, MAX_TABLE_SIZE } from "./dynamic-table.js";
import { HeaderBlock } from "./header-block.js";
import { HeaderField } from "./header-field.js";
import { type HeaderName, headerName } from "./header-name.js";
import { STATIC_TABLE } from "./static-table.js";
import { type HeaderString, StringReader } from "./string-reader.js";

const STATIC_COUNT = STATIC_TABLE.length;

/** The limits of the cache of repeated blocks. */
const MAX_KNOWN_LENGTH = 512;
const MAX_KNOWN_LIST_SIZE = 4096;
const MAX_KNOWN = 32;

/** Decodes the header blocks of one connection, in their order (RFC 7541). */
export class HpackDecoder {
  readonly #maxListSize: number;
  readonly #table = new DynamicTable();
  readonly #strings = new StringReader();
  /** Blocks that have come more than once since the dynamic table changed: the same bytes have the same meaning. */
  readonly #known = new BytesMap<HeaderBlock>(MAX_KNOWN_LENGTH, MAX_KNOWN);
  /** The position in the current block. */
  #at = 0;
  #hasTableChanged = false;

  /** @param maxListSize SETTINGS_MAX_HEADER_LIST_SIZE: how much is kept of a list */
  constructor(maxListSize: number) {
    this.#maxListSize = maxListSize;
  }

  /**
   * Decodes a whole header block. A block that repeats is one object from the second time on, while the dynamic table does
   * not change. Returns undefined if it is invalid, which is a connection error COMPRESSION_ERROR (RFC
   * 9113, section 4.3); the decoder must not be used any more then. The time is linear in the length of the block, which the
   * caller limits. Nothing refers to `bytes` afterwards.
   */
  decode(bytes: Uint8Array, start: number, end: number): HeaderBlock | undefined {
    const known = this.#known.get(bytes, start, end);
    if (known !== undefined) return known;
    this.#at = start;
    this.#hasTableChanged = false;
    const block = this.#decodeBlock(bytes, end);
    if (this.#hasTableChanged) this.#known.clear();
    else if (block !== undefined && block.size <= MAX_KNOWN_LIST_SIZE)
      this.#known.add(bytes, start, end, block);
    return block;
  }

  #decodeBlock(bytes: Uint8Array, end: number): HeaderBlock | undefined {
    if (!this.#readSizeUpdates(bytes, end)) return undefined;
    const fields: HeaderField[] = [];
    let size = 0;
    while (this.#at < end) {
      const field = this.#readField(bytes, end);
      if (field === undefined) return undefined;
      size += field.size;
      if (size <= this.#maxListSize) fields.push(field);
    }
    return new HeaderBlock(fields, size, size > this.#maxListSize);
  }

  /** Reads the size updates, which only the beginning of a block may have, and at most two (RFC 7541, section 4.2). */
  #readSizeUpdates(bytes: Uint8Array, end: number): boolean {
    for (let count = 0; this.#at < end && ((bytes[this.#at] as number) & 0xe0) === 0x20; count++) {
      const capacity = this.#readInteger(bytes, end, 0x1f);
      if (count === 2 || capacity < 0 || capacity > MAX_TABLE_SIZE) return false;
      this.#hasTableChanged = true;
      this.#table.resize(capacity);
    }
    return true;
  }

  /** Reads a field (section 6). Undefined if it is invalid, or a size update, which must not come here. */
  #readField(bytes: Uint8Array, end: number): HeaderField | undefined {
    const first = bytes[this.#at] as number;
    if (first >= 0x80) return this.#field(this.#readInteger(bytes, end, 0x7f));
    if (first >= 0x40) {
      const field = this.#readLiteral(bytes, end, 0x3f);
      if (field === undefined) return undefined;
      this.#hasTableChanged = true;
      this.#table.add(field);
      return field;
    }
    // Without indexing (0x00) and never indexed (0x10) are the same to a server that forwards nothing.
    return first < 0x20 ? this.#readLiteral(bytes, end, 0x0f) : undefined;
  }

  #readLiteral(bytes: Uint8Array, end: number, mask: number): HeaderField | undefined {
    const index = this.#readInteger(bytes, end, mask);
    let name: HeaderName | undefined;
    if (index !== 0) {
      name = this.#field(index)?.name;
    } else {
      const string = this.#readString(bytes, end);
      if (string !== undefined) name = headerName(string.text);
    }
    if (name === undefined) return undefined;
    const value = this.#readString(bytes, end);
    return value === undefined ? undefined : new HeaderField(name, value.text, value.form);
  }

  /** The field with an index of the combined address space (section 2.3.3). An index below 1 is invalid. */
  #field(index: number): HeaderField | undefined {
    if (index < 1) return undefined;
    return index <= STATIC_COUNT ? STATIC_TABLE[index - 1] : this.#table.get(index - STATIC_COUNT - 1);
  }

  /** Reads an integer (section 5.1). Returns -1 if it is cut off, or has more than four bytes after its prefix. */
  #readInteger(bytes: Uint8Array, end: number, mask: number): number {
    let value = (bytes[this.#at++] as number) & mask;
    if (value < mask) return value;
    for (let shift = 0; shift <= 21 && this.#at < end; shift += 7) {
      const byte = bytes[this.#at++] as number;
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return -1;
  }

  #readString(bytes: Uint8Array, end: number): HeaderString | undefined {
    if (this.#at >= end) return undefined;
    const isHuffman = (bytes[this.#at] as number) >= 0x80;
    const length = this.#readInteger(bytes, end, 0x7f);
    const start = this.#at;
    if (length < 0 || length > end - start) return undefined;
    this.#at = start + length;
    return this.#strings.read(bytes, start, this.#at, isHuffman);
  }
}
