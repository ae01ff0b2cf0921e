import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { editDistance } from "../edit-distance.js";
import { type KeyUriParts, splitKeyUri } from "./key-uri.js";
import { type Options, type OtpType, parseOtpOptions } from "./options.js";
import { parseSecret } from "./secret.js";

/** The length limit of a key URI in characters: what the largest QR code holds. */
const MAX_KEY_URI_LENGTH = 2953;

/** The numbers of digits in key URIs. No request can ask for 7. */
const URI_DIGITS = [6, 7, 8];

/** The key in a key URI. */
export interface UriKey extends Omit<Options, "counter"> {
  readonly type: OtpType;
  readonly issuer: string;
  readonly label: string;
  /** As in the URI, without percent-encoding. */
  readonly secret: string;
  /** The bytes of the secret. */
  readonly key: Uint8Array;
  /** Undefined if the URI has none. */
  readonly counter: number | undefined;
  /** Undefined: codes of digits. */
  readonly encoder: "steam" | undefined;
}

/** Why a text is not a key URI with a usable key. */
export type KeyUriFailure = Failure<"KEY_URI_TOO_LONG" | "INVALID_KEY_URI">;

/** The parameters of the format on which codes depend. */
const FORMAT = ["secret", "digits", "algorithm", "period", "counter", "encoder"];

/** The parameters on which codes depend or could depend, and other names that programs and people have for them. */
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  secret: ["key", "seed"],
  digits: ["length", "size", "codedigits", "codelength", "numdigits"],
  algorithm: ["algo", "alg", "hash", "hashalgorithm", "digest", "mac"],
  period: ["interval", "step", "timestep", "stepsize", "duration", "seconds", "refresh"],
  counter: ["initialcounter", "movingfactor", "c"],
  encoder: ["encoding", "tokentype", "otptype", "type"],
  epoch: ["t0", "start", "starttime", "offset", "timeoffset", "skew", "drift"],
  pin: [],
};

/**
 * Reads a key URI: `otpauth://totp/…` or `otpauth://hotp/…`. Ignores parameters on which codes do not depend, such as `image`, and
 * rejects others that it does not know. Failures do not repeat any part of it.
 */
export function parseKeyUri(text: string): Result<UriKey, KeyUriFailure> {
  if (text.length > MAX_KEY_URI_LENGTH) {
    return fail("KEY_URI_TOO_LONG", `must have at most ${MAX_KEY_URI_LENGTH} characters, has ${text.length}`);
  }
  const parts = splitKeyUri(text);
  if (parts === undefined) {
    return invalid(
      /^otpauth-migration:/i.test(text)
        ? "must be the key URI of one account; this is an export of several"
        : "must be a key URI: otpauth://totp/… or otpauth://hotp/… with the parameter secret",
    );
  }
  const parameters = new Map(parts.parameters);
  if (parameters.size < parts.parameters.length) {
    return invalid("must not have a parameter twice");
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
  const encoder = parameters.get("encoder")?.toLowerCase();
  const isSteam = parts.type === "steam" || encoder === "steam";
  if (encoder !== undefined && encoder !== "steam") {
    return invalid("has a parameter encoder that must be steam");
  }
  const hasSteamDigits = [undefined, `${STEAM_LETTERS}`].includes(parameters.get("digits"));
  if (parts.type === "totp" && !isSteam && hasSteamDigits && parts.issuer.toLowerCase() === "steam") {
    return invalid(
      "has the issuer Steam without encoder=steam: add it for Steam's codes of letters, or digits=6 for others",
    );
  }
  const options = parseOtpOptions(
    {
      digits: number("digits") ?? (isSteam ? STEAM_LETTERS : undefined),
      algorithm: parameters
        .get("algorithm")
        ?.toUpperCase()
        .replace(/^(?:HMAC-?)?SHA-?/, "SHA"),
      period: number("period"),
      counter: number("counter"),
    },
    isSteam ? [STEAM_LETTERS] : URI_DIGITS,
  );
  if (!options.ok) {
    const [failure] = options.failure;
    const [rule = ""] = failure?.description.split(", is ") ?? [];
    return invalid(`has a parameter ${failure?.field} that ${rule}`);
  }
  const { algorithm, period, counter } = options.value;
  const problem = parameterProblem(parts, {
    ...options.value,
    secret,
    encoder: parts.type,
    epoch: 0,
    pin: "",
  });
  if (problem !== undefined) {
    return invalid(problem);
  }
  if (isSteam && (algorithm !== "SHA1" || period !== 30 || parts.type === "hotp")) {
    return invalid("must have SHA1, a period of 30 and the type totp for Steam's codes");
  }
  return ok({
    ...options.value,
    type: parts.type === "hotp" ? "hotp" : "totp",
    issuer: parts.issuer,
    label: parts.label,
    secret,
    key: key.value,
    counter: parameters.has("counter") ? counter : undefined,
    encoder: isSteam ? "steam" : undefined,
  });
}

/** The length of Steam's codes. */
const STEAM_LETTERS = 5;

/**
 * Returns why the codes might be wrong: a parameter that the format does not have, with another value than the one in effect.
 */
function parameterProblem(
  { parameters }: KeyUriParts,
  inEffect: Readonly<Record<string, string | number>>,
): string | undefined {
  for (const [name, value] of parameters) {
    if (name.startsWith("amp;")) {
      return "has &amp; in the place of &";
    }
    const meant = meaningOf(name);
    if (meant !== undefined && value.toLowerCase() !== `${inEffect[meant]}`.toLowerCase()) {
      return `has an unknown parameter that may mean ${meant}`;
    }
  }
  return undefined;
}

/** Returns what a parameter may mean that the format does not have; undefined if no code depends on it. */
function meaningOf(name: string): string | undefined {
  const word = name.replaceAll(/[^a-z\d]/g, "");
  const edits = word.length > 4 ? 2 : 0;
  const [meant] =
    Object.entries(MEANINGS).find(
      ([known, synonyms]) => synonyms.includes(word) || editDistance(known, word, edits) <= edits,
    ) ?? [];
  return FORMAT.includes(name) ? undefined : meant;
}

function invalid(description: string): Result<never, KeyUriFailure> {
  return fail("INVALID_KEY_URI", description);
}
