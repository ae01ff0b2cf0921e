/** Which bytes a header value has. */
export const ValueForm = {
  /** Only visible characters, and bytes above 0x7f. */
  visible: 0,
  /** A space or a control character as well. */
  spaced: 1,
  /** NUL, CR or LF, or whitespace at either end, which RFC 9113, section 8.2.1, does not allow. */
  invalid: 2,
} as const;

/** The class of each byte: 0 is visible, 1 is a space or a control character, 2 must not be in a value. */
export const BYTE_CLASSES = new Uint8Array(256);
BYTE_CLASSES.fill(1, 0, 0x21);
BYTE_CLASSES[0x7f] = 1;
for (const byte of [0x00, 0x0a, 0x0d]) BYTE_CLASSES[byte] = 2;

/**
 * The form of the value that is the first `length` bytes.
 *
 * @param classes the classes of all its bytes, combined by OR
 */
export function valueForm(bytes: Uint8Array, length: number, classes: number): number {
  if (classes === 0) return ValueForm.visible;
  if (classes > 1 || isSpace(bytes[0]) || isSpace(bytes[length - 1])) return ValueForm.invalid;
  return ValueForm.spaced;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}
