import type { HeaderList } from "../../request.js";
import type { HeaderField } from "./header-field.js";
import { isPseudo } from "./header-name.js";

/** The limits of a header list. */
export interface HeaderLimits {
  /** SETTINGS_MAX_HEADER_LIST_SIZE: the names and values, plus 32 bytes for each field (RFC 9113, section 6.5.2). */
  readonly maxListSize: number;
  /** The most fields, not counting `:method`, `:scheme`, `:path` and `:authority`. */
  readonly maxFields: number;
}

/** A decoded header block. Requests with the same block may share one object. */
export class HeaderBlock {
  /** The fields within the limits: all of them unless the list is too large. */
  readonly fields: HeaderField[] = [];
  /** How many of them are pseudo-headers of requests. */
  pseudoCount = 0;
  /** The size of the whole list (RFC 9113, section 6.5.2), also of what is not kept. */
  size = 0;
  /** Whether the list exceeds a limit. */
  isTooLarge = false;
  /** A cached value of the next layer for this block. */
  memo: object | undefined = undefined;

  /** Adds a field. Once one exceeds a limit, no other is kept. */
  add(field: HeaderField, limits: HeaderLimits): void {
    this.size += field.size;
    const isRegular = !isPseudo(field.kind);
    if (this.size > limits.maxListSize) this.isTooLarge = true;
    if (isRegular && this.fields.length - this.pseudoCount >= limits.maxFields) this.isTooLarge = true;
    if (this.isTooLarge) return;
    if (!isRegular) this.pseudoCount++;
    this.fields.push(field);
  }

  /** Names and values in turn, with pseudo-headers. */
  get list(): HeaderList {
    return this.fields.flatMap(({ name, value }) => [name, value]);
  }
}
