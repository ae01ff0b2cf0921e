import type { HeaderField } from "./header-field.js";

/** SETTINGS_HEADER_TABLE_SIZE, which we leave at its default (RFC 9113, section 6.5.2). */
export const MAX_TABLE_SIZE = 4096;

/** The most entries that a table can have, as each one has at least 32 bytes (RFC 7541, section 4.1); a power of two. */
const SLOTS = MAX_TABLE_SIZE / 32;

/** The dynamic table of a decoder (RFC 7541, section 2.3.2): a ring of fields. */
export class DynamicTable {
  readonly #fields: (HeaderField | undefined)[] = new Array(SLOTS).fill(undefined);
  #newest = 0;
  #count = 0;
  #size = 0;
  #capacity = MAX_TABLE_SIZE;

  /** The field at an index; 0 is the newest one. */
  get(index: number): HeaderField | undefined {
    return index < this.#count ? this.#fields[(this.#newest - index) & (SLOTS - 1)] : undefined;
  }

  /** Adds a field, for which the oldest ones are evicted. A field that is larger than the table empties it (section 4.4). */
  add(field: HeaderField): void {
    this.#evict(this.#capacity - field.size);
    if (field.size > this.#capacity) return;
    this.#newest = (this.#newest + 1) & (SLOTS - 1);
    this.#fields[this.#newest] = field;
    this.#count++;
    this.#size += field.size;
  }

  /** Changes the capacity (section 4.3). */
  resize(capacity: number): void {
    this.#capacity = capacity;
    this.#evict(capacity);
  }

  /** Evicts the oldest fields until the others fit in `room`. */
  #evict(room: number): void {
    while (this.#count > 0 && this.#size > room) {
      const oldest = (this.#newest - this.#count + 1) & (SLOTS - 1);
      this.#size -= this.#fields[oldest]?.size ?? 0;
      this.#fields[oldest] = undefined;
      this.#count--;
    }
  }
}
