import { type Failure, fail, ok, type Result } from "../../result.js";
import { digestOf, hasKey, isKeyName, KEY_PREFIX } from "./api-key.js";

/** A key that nobody has seen yet. */
export interface NewApiKey {
  /** What its owner shows: `ut_` and 256 random bits in base64url. */
  readonly key: string;
  /** What goes into the file of keys, without an end of line. */
  readonly line: string;
}

/** Random octets of a key. */
const KEY_SIZE = 32;

/**
 * Makes a key of this name.
 *
 * @param randomBytes gives as many octets, from a source fit for cryptography
 */
export function makeApiKey(
  name: string,
  randomBytes: (size: number) => Uint8Array,
): Result<NewApiKey, Failure<"INVALID_KEY_NAME">> {
  if (!isKeyName(name)) {
    const form = "a name has 1 to 64 characters of A-Z, a-z, 0-9, '.', '_' and '-'";
    return fail("INVALID_KEY_NAME", hasKey(name) ? `${form}, and is no key itself` : form);
  }
  const key = `${KEY_PREFIX}${Buffer.from(randomBytes(KEY_SIZE)).toString("base64url")}`;
  return ok({ key, line: `${name} ${digestOf(key).toString("hex")}` });
}
