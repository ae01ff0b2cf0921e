import { Secret } from "otpauth";

/** Symbols left over after whole groups of eight, for the lengths that some number of octets encodes to. */
const POSSIBLE_REMAINDERS: ReadonlySet<number> = new Set([0, 2, 4, 5, 7]);

/**
 * Writes octets as base32 in upper case, without padding.
 * https://www.rfc-editor.org/rfc/rfc4648#section-6
 */
export function encodeBase32(octets: Uint8Array): string {
  return new Secret({ buffer: Uint8Array.from(octets).buffer }).base32;
}

/**
 * Reads base32 in either case, or gives `undefined` where the text is none.
 * https://www.rfc-editor.org/rfc/rfc4648#section-6
 *
 * Strict where a mistake shows that symbols were lost or added, because a key of the wrong length yields
 * well-formed wrong codes: a length that no octets encode to (1, 3 or 6 symbols beyond groups of eight) is
 * refused, and so is padding other than none at all or exactly what completes the last group. Lenient about
 * the bits beyond the last octet: they should be zero, but section 3.5 leaves that to the decoder, secrets
 * drawn letter by letter have them set, and authenticator apps drop them too.
 */
export function decodeBase32(text: string): Uint8Array | undefined {
  const [, symbols, padding] = /^([A-Za-z2-7]*)(=*)$/.exec(text) ?? [];
  if (symbols === undefined || padding === undefined) {
    return undefined;
  }
  const remainder = symbols.length % 8;
  const completePadding = (8 - remainder) % 8;
  if (!POSSIBLE_REMAINDERS.has(remainder)) {
    return undefined;
  }
  if (padding.length !== 0 && padding.length !== completePadding) {
    return undefined;
  }
  return Secret.fromBase32(symbols).bytes;
}
