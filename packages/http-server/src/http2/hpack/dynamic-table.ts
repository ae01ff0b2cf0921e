import { HeaderField } from "./header-field.js";
import { headerName } from "./header-name.js";

/** SETTINGS_HEADER_TABLE_SIZE, which we leave at its default (RFC 9113, section 6.5.2). */
export const MAX_TABLE_SIZE = 4096;

/** The most entries that a table can have, as each one has at least 32 bytes (RFC 7541, section 4.1); a power of two. */
const SLOTS = MAX_TABLE_SIZE / 32;

/** What a packed field has besides its name and value: their lengths, and the form of the value. */
const PACKED_OVERHEAD = 5;

/** The memory of a ring, of each of its slots (the array grows in steps), and of a field beyond its size in the table. */
const RING_BYTES = 150;
const SLOT_BYTES = 9;
const FIELD_BYTES = 64;

/** The memory of a string without its characters. */
const STRING_BYTES = 20;

/** For packed tables, which are smaller than others: each field counts 32 bytes more than its texts. */
const scratch = Buffer.allocUnsafeSlow(MAX_TABLE_SIZE);

/** The dynamic table of a decoder (RFC 7541, section 2.3.2): a ring of fields, or a text with all of them. */
export class DynamicTable {
  #fields: (HeaderField | undefined)[] = [];
  /** The position of the newest field. */
  #newest = -1;
  #count = 0;
  #size = 0;
  #capacity = MAX_TABLE_SIZE;
  /** The fields of a packed table, the oldest one first. */
  #packed = "";

  /** The memory of the table. */
  get heldBytes(): number {
    const slots = this.#fields.length;
    if (slots === 0) return this.#packed === "" ? 0 : STRING_BYTES + this.#packed.length;
    return RING_BYTES + SLOT_BYTES * slots + this.#size + FIELD_BYTES * this.#count;
  }

  /** The field at an index; 0 is the newest one. */
  get(index: number): HeaderField | undefined {
    if (this.#packed !== "") this.#unpack();
    return index < this.#count ? this.#fields[(this.#newest - index) & (SLOTS - 1)] : undefined;
  }

  /** Adds a field, for which the oldest ones are evicted. A field that is larger than the table empties it (section 4.4). */
  add(field: HeaderField): void {
    const { size } = field;
    this.#evict(this.#capacity - size);
    if (size > this.#capacity) return;
    this.#newest = (this.#newest + 1) & (SLOTS - 1);
    this.#fields[this.#newest] = field;
    this.#count++;
    this.#size += size;
  }

  /** Changes the capacity (section 4.3). */
  resize(capacity: number): void {
    this.#capacity = capacity;
    this.#evict(capacity);
  }

  /** Evicts the oldest fields until the others fit in `room`. */
  #evict(room: number): void {
    if (this.#packed !== "") this.#unpack();
    while (this.#count > 0 && this.#size > room) {
      const oldest = (this.#newest - this.#count + 1) & (SLOTS - 1);
      const field = this.#fields[oldest] as HeaderField;
      this.#fields[oldest] = undefined;
      this.#count--;
      this.#size -= field.size;
    }
  }

  /**
   * Moves all fields to one text, which has at most the size of the table; short fields take three times as much. The next use
   * takes them out again.
   */
  pack(): void {
    if (this.#fields.length === 0) return;
    let at = 0;
    for (let index = this.#count - 1; index >= 0; index--) {
      const { name, value, form } = this.get(index) as HeaderField;
      at = scratch.writeUInt16LE(name.length, at);
      at = scratch.writeUInt16LE(value.length, at);
      at = scratch.writeUInt8(form, at);
      at += scratch.write(name, at, "latin1");
      at += scratch.write(value, at, "latin1");
    }
    this.#fields = [];
    this.#newest = -1;
    this.#count = 0;
    this.#size = 0;
    this.#packed = scratch.toString("latin1", 0, at);
  }

  #unpack(): void {
    // The strings are cut from the buffer, as a part of a string may keep all of it in memory.
    const end = scratch.write(this.#packed, "latin1");
    this.#packed = "";
    for (let at = 0; at < end; ) {
      const nameAt = at + PACKED_OVERHEAD;
      const valueAt = nameAt + scratch.readUInt16LE(at);
      const next = valueAt + scratch.readUInt16LE(at + 2);
      const name = headerName(scratch.toString("latin1", nameAt, valueAt));
      const value = scratch.toString("latin1", valueAt, next);
      this.add(new HeaderField(name.text, name.kind, value, scratch.readUInt8(at + 4)));
      at = next;
    }
  }
}
