import { type Failure, ok, type Result } from "../../failures/result.js";
import {
  type Algorithm,
  type Digits,
  type OtpType,
  parseAlgorithm,
  parseCounter,
  parseDigits,
  parsePeriod,
} from "./options.js";
import { type KeyUriFailure, parseKeyUri, type UriKey } from "./parse-key-uri.js";
import { parseSecret, type SecretFailure } from "./secret.js";

/** A key in a request: a secret with its options, or a key URI. */
export interface KeyRequest {
  readonly secret: string;
  /** Empty: the request has a secret. */
  readonly keyUri: string;
  readonly algorithm?: string | undefined;
  readonly digits?: number | undefined;
  readonly period?: number | undefined;
  readonly counter?: number | undefined;
}

/** A key, and how its codes are computed. */
export interface Key {
  /** The secret as in the request or its key URI. */
  readonly secret: string;
  /** The bytes of the secret. */
  readonly key: Uint8Array;
  readonly algorithm: Algorithm;
  readonly digits: Digits;
  /** The time step in seconds. */
  readonly period: number;
  readonly counter: number;
}

/** An invalid field of a {@link KeyRequest}, as the proto file names it. */
export type KeyFailure = (
  | SecretFailure
  | KeyUriFailure
  | Failure<"INVALID_ALGORITHM" | "INVALID_DIGITS" | "INVALID_PERIOD" | "INVALID_COUNTER">
  | Failure<"KEY_URI_OF_OTHER_TYPE" | "CONTRADICTS_KEY_URI">
) & { readonly field: "secret" | "key_uri" | "algorithm" | "digits" | "period" | "counter" };

/**
 * Reads the key of a request for codes of a type. Fails with all invalid fields. What a request has besides a key URI must not
 * contradict it, except for the counter: that of the URI is the one at which the account was created.
 */
export function readKey(request: KeyRequest, type: OtpType): Result<Key, readonly KeyFailure[]> {
  const isUri = request.keyUri !== "";
  const failures: KeyFailure[] = [];
  const check = <T, F extends Omit<KeyFailure, "field">>(
    field: KeyFailure["field"],
    result: Result<T, F>,
  ): T | undefined => {
    if (result.ok) {
      return result.value;
    }
    failures.push({ field, ...result.failure } as KeyFailure);
    return undefined;
  };
  const key = isUri && request.secret === "" ? undefined : check("secret", parseSecret(request.secret));
  const digits = check("digits", parseDigits(request.digits));
  const algorithm = check("algorithm", parseAlgorithm(request.algorithm));
  const period = check("period", parsePeriod(request.period));
  const counter = check("counter", parseCounter(request.counter));
  const uri = isUri ? check("key_uri", parseKeyUri(request.keyUri)) : undefined;
  if (uri !== undefined) {
    failures.push(...contradictions(request, key, uri, type));
  }
  if (failures.length > 0) {
    return { ok: false, failure: failures };
  }
  if (uri !== undefined) {
    return ok({ ...uri, counter: request.counter ?? uri.counter ?? 0 });
  }
  if (
    key === undefined ||
    digits === undefined ||
    algorithm === undefined ||
    period === undefined ||
    counter === undefined
  ) {
    throw new Error("a request without failures has all values");
  }
  return ok({ secret: request.secret, key, digits, algorithm, period, counter });
}

/** The fields of a request that contradict its key URI. */
function contradictions(
  request: KeyRequest,
  key: Uint8Array | undefined,
  uri: UriKey,
  type: OtpType,
): KeyFailure[] {
  if (uri.type !== type) {
    const [is, other] = type === "totp" ? ["counter-based", "counter_based"] : ["time-based", "time_based"];
    return [
      {
        field: "key_uri",
        reason: "KEY_URI_OF_OTHER_TYPE",
        description: `is that of a ${is} account (${uri.type}): its type is ${other}`,
      },
    ];
  }
  const isOther = {
    secret: key !== undefined && Buffer.compare(key, uri.key) !== 0,
    digits: request.digits !== undefined && request.digits !== uri.digits,
    algorithm: request.algorithm !== undefined && request.algorithm !== uri.algorithm,
    period: request.period !== undefined && request.period !== uri.period,
  };
  return (["secret", "digits", "algorithm", "period"] as const)
    .filter((field) => isOther[field])
    .map((field) => ({
      field,
      reason: "CONTRADICTS_KEY_URI",
      description: "must not differ from that of key_uri",
    }));
}
