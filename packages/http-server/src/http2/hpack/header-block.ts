import type { HeaderList } from "../../request.js";
import type { HeaderField } from "./header-field.js";

/** A decoded header block. Requests with the same block share one object. */
export class HeaderBlock {
  /** A cached value of the next layer for this block. */
  memo: object | undefined;

  constructor(
    readonly fields: readonly HeaderField[],
    /** The size of the whole list (RFC 9113, section 6.5.2), also of what is not kept. */
    readonly size: number,
    /** Whether the list is larger than the limit. Then `fields` has only those within the limit. */
    readonly isTooLarge: boolean,
  ) {
    this.memo = undefined;
  }

  /** Names and values in turn, with pseudo-headers. */
  get list(): HeaderList {
    return this.fields.flatMap((field) => [field.name.text, field.value]);
  }
}
