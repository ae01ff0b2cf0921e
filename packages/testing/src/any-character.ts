import fc from "fast-check";

/**
 * Generates any code point that is no surrogate, like the unit `binary` of fast-check. That one takes most of a second to build a
 * table of all characters.
 */
export const ANY_CHARACTER: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ffff - 0x800 })
  .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800));
