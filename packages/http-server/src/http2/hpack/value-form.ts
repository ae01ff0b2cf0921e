/** Which bytes a header value has. */
export const ValueForm = {
  /** Only visible ASCII characters except `#`: those that a path may have (RFC 9112, section 3.2). */
  target: 0,
  /** Any other valid value. */
  text: 1,
  /** A control character except a tab (RFC 9110, section 5.5), or whitespace at either end (RFC 9113, section 8.2.1). */
  invalid: 2,
} as const;

/** The `ValueForm` of each byte inside a value. */
export const BYTE_CLASSES: Uint8Array = new Uint8Array(256).fill(ValueForm.text);
BYTE_CLASSES.fill(ValueForm.invalid, 0x00, 0x20);
BYTE_CLASSES.fill(ValueForm.target, 0x21, 0x7f);
BYTE_CLASSES[0x7f] = ValueForm.invalid;
for (const char of "\t#") BYTE_CLASSES[char.charCodeAt(0)] = ValueForm.text;

/**
 * The form of the value that is the first `length` bytes.
 *
 * @param classes the classes of all its bytes, combined by OR
 */
export function valueForm(bytes: Uint8Array, length: number, classes: number): number {
  if (classes === 0) return ValueForm.target;
  if (classes > 1 || isSpace(bytes[0]) || isSpace(bytes[length - 1])) return ValueForm.invalid;
  return ValueForm.text;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}
