import { hash } from "node:crypto";

/** A key that callers may show. The key itself is known to nobody but them. */
export interface ApiKey {
  /** Who has it, for limits and logs: 1 to 64 characters of A–Z, a–z, 0–9, `.`, `_` and `-`. */
  readonly name: string;
  /** The SHA-256 of the key's octets. */
  readonly digest: Buffer;
}

/** What every key begins with that is made here, so that people and secret scanners know one when they see it. */
export const KEY_PREFIX = "ut_";

/** Keys that one file may have: each costs a comparison with every key that is shown, about 0.1 µs. */
export const MAX_API_KEYS = 1_000;

/** A key that is made here: the prefix, and 256 bits in base64url. */
const KEY = new RegExp(`${KEY_PREFIX}[\\w-]{43}`);

/** Whether there is a key that was made here in a text, which is then not to be shown. */
export function hasKey(text: string): boolean {
  return KEY.test(text);
}

/** Whether a text can be the name of a key. A key itself cannot, for names are in logs and in stores. */
export function isKeyName(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text) && !hasKey(text);
}

/** What is kept of a key: its SHA-256. A slow hash is for secrets that people choose; these have 256 random bits. */
export function digestOf(key: string): Buffer {
  return hash("sha256", key, "buffer");
}
