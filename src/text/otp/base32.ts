const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Encodes bytes as base32 in upper case, without padding. https://www.rfc-editor.org/rfc/rfc4648#section-6 */
export function encodeBase32(bytes: Uint8Array): string {
  let text = "";
  let value = 0;
  let pending = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    pending += 8;
    while (pending >= 5) {
      pending -= 5;
      text += ALPHABET[(value >> pending) & 31];
    }
    // The bits that are not written yet.
    value &= 31;
  }
  return pending === 0 ? text : text + ALPHABET[(value << (5 - pending)) & 31];
}

/** The value of each symbol of base32 in either case, by character code. */
const SYMBOL_VALUES = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, ALPHABET.indexOf(String.fromCharCode(code).toUpperCase())),
);

/** The possible numbers of symbols after the last complete group of eight. */
const POSSIBLE_REMAINDERS: ReadonlySet<number> = new Set([0, 2, 4, 5, 7]);

/**
 * Decodes base32 in either case. Returns undefined for other text. https://www.rfc-editor.org/rfc/rfc4648#section-6
 *
 * Rejects lengths that no number of bytes encodes to, and padding that is neither absent nor complete: both show that
 * symbols were lost or added, and a wrong key generates well-formed wrong codes. Ignores the bits after the last byte:
 * section 3.5 leaves them to the decoder, secrets drawn letter by letter have them set, and authenticator apps ignore
 * them too.
 */
export function decodeBase32(text: string): Uint8Array | undefined {
  const [, symbols, padding] = /^([A-Za-z2-7]*)(=*)$/.exec(text) ?? [];
  if (symbols === undefined || padding === undefined) {
    return undefined;
  }
  const remainder = symbols.length % 8;
  const completePadding = (8 - remainder) % 8;
  if (!POSSIBLE_REMAINDERS.has(remainder) || (padding !== "" && padding.length !== completePadding)) {
    return undefined;
  }
  const bytes = new Uint8Array((symbols.length * 5) >> 3);
  let size = 0;
  let value = 0;
  let pending = 0;
  for (let index = 0; index < symbols.length; index++) {
    value = (value << 5) | (SYMBOL_VALUES[symbols.charCodeAt(index)] ?? 0);
    pending += 5;
    if (pending >= 8) {
      pending -= 8;
      bytes[size++] = value >> pending;
    }
  }
  return bytes;
}
