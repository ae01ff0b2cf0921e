import type { HeaderName } from "./header-name.js";

/** Which bytes a header value has. */
export const ValueForm = {
  /** Only visible characters, and bytes above 0x7f. */
  visible: 0,
  /** A space or a control character as well. */
  spaced: 1,
  /** NUL, CR or LF, or whitespace at either end, which RFC 9113, section 8.2.1, does not allow. */
  invalid: 2,
} as const;

/** A header of a block or of a table. */
export class HeaderField {
  /** The size of the field in a table (RFC 7541, section 4.1) and in a list (RFC 9113, section 6.5.2). */
  readonly size: number;

  constructor(
    readonly name: HeaderName,
    readonly value: string,
    readonly form: number,
  ) {
    this.size = name.text.length + value.length + 32;
  }
}

const CLASSES = new Uint8Array(256);
CLASSES.fill(1, 0, 0x21);
CLASSES[0x7f] = 1;
for (const byte of [0x00, 0x0a, 0x0d]) CLASSES[byte] = 2;

/** The form of the value that is the first `length` bytes. */
export function valueForm(bytes: Uint8Array, length: number): number {
  let classes = 0;
  for (let i = 0; i < length; i++) classes |= CLASSES[bytes[i] as number] as number;
  if (classes === 0) return ValueForm.visible;
  if (classes > 1 || isSpace(bytes[0]) || isSpace(bytes[length - 1])) return ValueForm.invalid;
  return ValueForm.spaced;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}
