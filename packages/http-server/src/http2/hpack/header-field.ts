/** A header of a block or of a table. */
export class HeaderField {
  /** The size of the field in a table (RFC 7541, section 4.1) and in a list (RFC 9113, section 6.5.2). */
  readonly size: number;

  constructor(
    readonly name: string,
    /** The `NameKind` of the name. */
    readonly kind: number,
    readonly value: string,
    /** The `ValueForm` of the value. */
    readonly form: number,
  ) {
    this.size = name.length + value.length + 32;
  }
}
