import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { splitKeyUri } from "../../text/key-uri.js";
import { type Options, type OtpType, parseOtpOptions } from "./options.js";
import { parseSecret } from "./secret.js";

/** The length limit of a key URI in characters: what the largest QR code holds. */
const MAX_KEY_URI_LENGTH = 2953;

/** The key in a key URI. */
export interface UriKey extends Omit<Options, "counter"> {
  readonly type: OtpType;
  /** As in the URI, without percent-encoding. */
  readonly secret: string;
  /** The bytes of the secret. */
  readonly key: Uint8Array;
  /** Undefined if the URI has none. */
  readonly counter: number | undefined;
}

/** Why a text is not a key URI with a usable key. */
export type KeyUriFailure = Failure<"KEY_URI_TOO_LONG" | "INVALID_KEY_URI">;

/**
 * Reads a key URI: `otpauth://totp/…` or `otpauth://hotp/…`. Ignores its label and parameters that are not of the format, such as
 * `image`. Failures do not repeat any part of it.
 */
export function parseKeyUri(text: string): Result<UriKey, KeyUriFailure> {
  if (text.length > MAX_KEY_URI_LENGTH) {
    return fail("KEY_URI_TOO_LONG", `must have at most ${MAX_KEY_URI_LENGTH} characters, has ${text.length}`);
  }
  const parts = splitKeyUri(text);
  if (parts === undefined) {
    return invalid(
      /^otpauth-migration:/i.test(text)
        ? "must be the key URI of one account, is an export of several"
        : "must be a key URI: otpauth://totp/… or otpauth://hotp/… with the parameter secret",
    );
  }
  const parameters = new Map<string, string>();
  for (const [name, value] of parts.parameters) {
    if (parameters.has(name)) {
      return invalid("must not have a parameter twice");
    }
    parameters.set(name, value);
  }
  const number = (name: string): number | undefined => {
    const value = parameters.get(name);
    return value === undefined ? undefined : /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  };
  const secret = parameters.get("secret") ?? "";
  const key = parseSecret(secret);
  if (!key.ok) {
    return invalid(`has a parameter secret that ${key.failure.description}`);
  }
  const options = parseOtpOptions({
    digits: number("digits"),
    algorithm: parameters.get("algorithm")?.toUpperCase(),
    period: number("period"),
    counter: number("counter"),
  });
  if (!options.ok) {
    const [failure] = options.failure;
    const [rule = ""] = failure?.description.split(", is ") ?? [];
    return invalid(`has a parameter ${failure?.field} that ${rule}`);
  }
  return ok({
    ...options.value,
    type: parts.type,
    secret,
    key: key.value,
    counter: parameters.has("counter") ? options.value.counter : undefined,
  });
}

function invalid(description: string): Result<never, KeyUriFailure> {
  return fail("INVALID_KEY_URI", description);
}
