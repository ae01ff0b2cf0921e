import { HeaderField } from "./header-block.js";
import { headerName } from "./header-name.js";

/** SETTINGS_HEADER_TABLE_SIZE, which we leave at its default (RFC 9113, section 6.5.2). */
export const MAX_TABLE_SIZE = 4096;

/** The memory of a table, and of a field beyond its size in the table. */
const TABLE_BYTES = 200;
const FIELD_BYTES = 80;

/** The dynamic table of a decoder (RFC 7541, section 2.3.2). */
export class DynamicTable {
  /** The oldest one first. There are at most 128, as each one has at least 32 bytes (RFC 7541, section 4.1). */
  readonly #fields: HeaderField[] = [];
  #size = 0;
  #capacity = MAX_TABLE_SIZE;
  /** The fields of a packed table: the lengths of name and value, and both. */
  #packed = "";

  get heldBytes(): number {
    const { length } = this.#fields;
    return length === 0 ? this.#packed.length : TABLE_BYTES + this.#size + FIELD_BYTES * length;
  }

  /** The field at an index; 0 is the newest one. */
  get(index: number): HeaderField | undefined {
    this.#unpack();
    return this.#fields[this.#fields.length - 1 - index];
  }

  /** Adds a field, for which the oldest ones are evicted. A field that is larger than the table empties it (section 4.4). */
  add(field: HeaderField): void {
    this.#evict(this.#capacity - field.size);
    if (field.size <= this.#capacity) {
      this.#fields.push(field);
      this.#size += field.size;
    }
  }

  /** Changes the capacity (section 4.3). */
  resize(capacity: number): void {
    this.#capacity = capacity;
    this.#evict(capacity);
  }

  /** Evicts the oldest fields until the others fit in `room`. */
  #evict(room: number): void {
    this.#unpack();
    while (this.#size > Math.max(0, room)) {
      this.#size -= this.#fields.shift()?.size ?? 0;
    }
  }

  /** Moves all fields to one text: short strings take three times their length. The next use takes them out again. */
  pack(): void {
    if (this.#fields.length > 0) {
      const texts = this.#fields.map(({ name, value }) => {
        const lengths = `${name.text.length} ${value.length} `;
        return lengths + name.text + value;
      });
      this.#packed = texts.join("");
      this.#fields.length = 0;
    }
  }

  #unpack(): void {
    const packed = this.#packed;
    if (packed === "") return;
    this.#packed = "";
    // Strings are cut from bytes, because a part of a string retains all of it.
    const bytes = Buffer.from(packed, "latin1");
    const lengths = /(\d+) (\d+) /y;
    while (lengths.lastIndex < packed.length) {
      const [, nameLength, valueLength] = lengths.exec(packed) ?? [];
      const nameAt = lengths.lastIndex;
      const valueAt = nameAt + Number(nameLength);
      const end = valueAt + Number(valueLength);
      const name = headerName(bytes.toString("latin1", nameAt, valueAt));
      this.#fields.push(new HeaderField(name, bytes.toString("latin1", valueAt, end)));
      lengths.lastIndex = end;
    }
  }
}
