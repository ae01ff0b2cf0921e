import { FIELD_OVERHEAD, type SectionLimits } from "../../core/rules.js";
import type { HeaderName } from "./header-name.js";

/** A control character except a tab (RFC 9110, section 5.5), or whitespace at either end (RFC 9113, section 8.2.1). */
const INVALID_VALUE = /[^\t\x20-\x7e\x80-\xff]|^[\t ]|[\t ]$/;

export class HeaderField {
  /** The size of the field in a table (RFC 7541, section 4.1) and in a list (RFC 9113, section 6.5.2). */
  readonly size: number;
  /** Whether no section may have it (RFC 9113, sections 8.2.1 and 8.2.2). */
  readonly isMalformed: boolean;

  constructor(
    readonly name: HeaderName,
    readonly value: string,
  ) {
    this.size = name.text.length + value.length + FIELD_OVERHEAD;
    this.isMalformed =
      name.isForbidden ||
      INVALID_VALUE.test(value) ||
      (name.text === "te" && value !== "trailers" && value.toLowerCase() !== "trailers");
  }
}

const NO_VALUES: readonly (string | undefined)[] = new Array(8).fill(undefined);

export class HeaderBlock {
  /** Names and values in turn, of the fields within the limits: all of them unless the list is too large. */
  readonly list: string[] = [];
  /** The values of the pseudo-headers, `host`, `content-length` and `expect`, in the order of their names; joined by commas. */
  readonly special: (string | undefined)[] = NO_VALUES.slice();
  /** How many of the fields are pseudo-headers. They come first, unless the block is malformed. */
  pseudoCount = 0;
  /** The size of the whole list (RFC 9113, section 6.5.2), also of what is not kept. */
  size = 0;
  /** Whether the list exceeds a limit. */
  isTooLarge = false;
  /** Whether a field is malformed, or a pseudo-header follows another header (RFC 9113, section 8.3). */
  isMalformed = false;

  /** Adds a field. Once one exceeds a limit, no other is kept. */
  add(
    { name, value, size, isMalformed }: HeaderField,
    { maxHeaderBytes, maxHeaderFields }: SectionLimits,
  ): void {
    const { list } = this;
    const regularLength = list.length - 2 * this.pseudoCount;
    this.size += size;
    // Pseudo-headers do not count for the number of fields.
    if (this.size > maxHeaderBytes || (!name.isPseudo && regularLength >= 2 * maxHeaderFields)) {
      this.isTooLarge = true;
    }
    if (this.isTooLarge) return;
    if (isMalformed || (name.isPseudo && regularLength > 0)) this.isMalformed = true;
    if (name.isPseudo) this.pseudoCount++;
    list.push(name.text, value);
    if (name.special >= 0) {
      const first = this.special[name.special];
      this.special[name.special] = first === undefined ? value : `${first}, ${value}`;
    }
  }
}
