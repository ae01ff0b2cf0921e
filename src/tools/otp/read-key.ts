import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import {
  type GivenOptions,
  type OptionFailure,
  type Options,
  type OtpType,
  parseOtpOptions,
} from "../../text/otp/options.js";
import { type KeyUriFailure, parseKeyUri, type UriKey } from "../../text/otp/parse-key-uri.js";
import { parseSecret, type SecretFailure } from "../../text/otp/secret.js";

/** A key in a request: a secret with its options, or a key URI. */
export interface KeyRequest extends GivenOptions {
  readonly secret: string;
  /** Empty but for white space: the request has a secret. */
  readonly keyUri: string;
}

/** A key, and how its codes are computed. */
export interface Key extends Options {
  /** The secret as in the request or its key URI. */
  readonly secret: string;
  /** The bytes of the secret. */
  readonly key: Uint8Array;
  /** Undefined: codes of digits. */
  readonly encoder?: "steam" | undefined;
}

/** An invalid field of a {@link KeyRequest}, as the proto file names it. */
export type KeyFailure =
  | OptionFailure
  | (SecretFailure & { readonly field: "secret" })
  | ((KeyUriFailure | Failure<"KEY_URI_OF_OTHER_TYPE">) & { readonly field: "key_uri" })
  | (Failure<"CONTRADICTS_KEY_URI"> & { readonly field: "secret" | keyof Options });

/**
 * Reads the key of a request for codes of a type. Fails with all invalid fields. What a request has besides a key URI must not
 * contradict it, except for the counter: that of the URI is the one at which the account was created.
 */
export function readKey(request: KeyRequest, type: OtpType): Result<Key, readonly KeyFailure[]> {
  const keyUri = request.keyUri.trim();
  const hasUri = keyUri !== "";
  const key = hasUri && request.secret === "" ? undefined : readSecret(request.secret);
  const options = parseOtpOptions(request);
  const uri = hasUri ? parseKeyUri(keyUri) : undefined;
  const failures: KeyFailure[] = [
    ...(key === undefined || key.ok ? [] : [{ field: "secret", ...key.failure } as const]),
    ...(options.ok ? [] : options.failure),
    ...(uri === undefined || uri.ok ? [] : [{ field: "key_uri", ...uri.failure } as const]),
    ...(uri?.ok ? contradictions(request, key?.ok ? key.value : undefined, uri.value, type) : []),
  ];
  if (failures.length === 0 && uri?.ok) {
    return ok({ ...uri.value, counter: request.counter ?? uri.value.counter ?? 0 });
  }
  return failures.length === 0 && key?.ok && options.ok
    ? ok({ secret: request.secret, key: key.value, ...options.value })
    : { ok: false, failure: failures };
}

/** Decodes a secret; the failure for a key URI names the field for it. */
function readSecret(text: string): Result<Uint8Array, SecretFailure> {
  return /^\s*otpauth:/i.test(text)
    ? fail("SECRET_NOT_BASE32", "must be base32, is a key URI: send it as key_uri")
    : parseSecret(text);
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
