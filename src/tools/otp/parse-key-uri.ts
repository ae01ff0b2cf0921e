import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import {
  type Algorithm,
  type Digits,
  type OtpType,
  parseAlgorithm,
  parseCounter,
  parseDigits,
  parsePeriod,
} from "./options.js";
import { parseSecret } from "./secret.js";

/** The length limit of a key URI in characters: what the largest QR code holds. */
const MAX_KEY_URI_LENGTH = 2953;

/** The key in a key URI. */
export interface UriKey {
  readonly type: OtpType;
  /** As in the URI, without percent-encoding. */
  readonly secret: string;
  /** The bytes of the secret. */
  readonly key: Uint8Array;
  readonly algorithm: Algorithm;
  readonly digits: Digits;
  /** The time step in seconds. */
  readonly period: number;
  /** Undefined if the URI has none. */
  readonly counter: number | undefined;
}

/** Why a text is not a key URI with a usable key. */
export type KeyUriFailure = Failure<"KEY_URI_TOO_LONG" | "INVALID_KEY_URI">;

/**
 * Reads a key URI: `otpauth://totp/…` or `otpauth://hotp/…`. Ignores its label and parameters that are not of the format, such as
 * `image`. Failures do not repeat any part of it.
 * https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function parseKeyUri(text: string): Result<UriKey, KeyUriFailure> {
  if (text.length > MAX_KEY_URI_LENGTH) {
    return fail("KEY_URI_TOO_LONG", `must have at most ${MAX_KEY_URI_LENGTH} characters, has ${text.length}`);
  }
  const [, typeText, query] = /^otpauth:\/\/(totp|hotp)\/[^?#]*\?([^#]*)$/i.exec(text) ?? [];
  if (typeText === undefined || query === undefined) {
    return invalid(
      /^otpauth-migration:/i.test(text)
        ? "must be the key URI of one account, is an export of several"
        : "must be a key URI: otpauth://totp/… or otpauth://hotp/… with the parameter secret",
    );
  }
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const lowerCase = name.toLowerCase();
    if (parameters.has(lowerCase)) {
      return invalid("must not have a parameter twice");
    }
    parameters.set(lowerCase, value);
  }
  const number = (name: string): number | undefined => {
    const value = parameters.get(name);
    return value === undefined ? undefined : /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  };
  const secret = parameters.get("secret") ?? "";
  const key = parseSecret(secret);
  const algorithm = parseAlgorithm(parameters.get("algorithm")?.toUpperCase());
  const digits = parseDigits(number("digits"));
  const period = parsePeriod(number("period"));
  const counter = parseCounter(number("counter"));
  if (!key.ok) {
    return invalid(`has a parameter secret that ${key.failure.description}`);
  }
  if (!algorithm.ok) {
    return invalid(`has a parameter algorithm that ${algorithm.failure.description}`);
  }
  if (!digits.ok) {
    return invalid("has a parameter digits that must be 6 or 8");
  }
  if (!period.ok) {
    return invalid("has a parameter period that must be from 1 to 86400");
  }
  if (!counter.ok) {
    return invalid("has a parameter counter that must be from 0 to 2147483647");
  }
  return ok({
    type: typeText.toLowerCase() === "totp" ? "totp" : "hotp",
    secret,
    key: key.value,
    algorithm: algorithm.value,
    digits: digits.value,
    period: period.value,
    counter: parameters.has("counter") ? counter.value : undefined,
  });
}

function invalid(description: string): Result<never, KeyUriFailure> {
  return fail("INVALID_KEY_URI", description);
}
