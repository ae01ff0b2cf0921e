import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { type AccountResult, exportedAccount, unsupported } from "./exported-account.js";
import { replaceSeparators } from "./secret.js";

/** Whether a text is meant as a file of an authenticator app: JSON. */
export function isAppExport(text: string): boolean {
  return /^\s*\{/.test(text);
}

/**
 * Reads the accounts in a file that Aegis or 2FAS exports without encryption.
 *
 * - Aegis: https://github.com/beemdevelopment/Aegis/blob/master/docs/vault.md
 * - 2FAS: https://github.com/twofas/2fas-android, the backup's schema version 4
 */
export function readAppExport(text: string): Result<readonly AccountResult[], Failure<"INVALID_EXPORT">> {
  const file = objectIn(parseJson(text));
  if (typeof file.db === "string") {
    return fail("INVALID_EXPORT", "is encrypted: export it from Aegis without encryption");
  }
  if (typeof file.servicesEncrypted === "string") {
    return fail("INVALID_EXPORT", "is encrypted: export it from 2FAS without a password");
  }
  const { entries } = objectIn(file.db);
  if (Array.isArray(entries)) {
    return ok(entries.map(objectIn).map(readAegis));
  }
  return Array.isArray(file.services)
    ? ok(file.services.map(objectIn).map(readTwoFas))
    : fail("INVALID_EXPORT", "must be a JSON file of Aegis or 2FAS, not encrypted");
}

type Members = Readonly<Record<string, unknown>>;

function readAegis({ type, name, issuer, info }: Members): AccountResult {
  const { secret, algo, digits, period, counter } = objectIn(info);
  return readAccount({ type, label: name, issuer, secret, algorithm: algo, digits, period, counter });
}

function readTwoFas({ name, secret, otp }: Members): AccountResult {
  const { tokenType = "totp", account, issuer, algorithm, digits, period, counter } = objectIn(otp);
  const service = issuer || name;
  return readAccount({
    type: tokenType,
    label: account,
    issuer: service,
    secret,
    algorithm,
    digits,
    period,
    counter,
  });
}

function readAccount(account: Members): AccountResult {
  const kind = textIn(account.type).toLowerCase();
  if (kind !== "totp" && kind !== "hotp" && kind !== "steam") {
    return unsupported("is neither time-based nor counter-based");
  }
  const type = kind === "hotp" ? "hotp" : "totp";
  return exportedAccount({
    type,
    label: textIn(account.label),
    issuer: textIn(account.issuer),
    secret: replaceSeparators(textIn(account.secret), "").replace(/=+$/, "").toUpperCase(),
    algorithm: textIn(account.algorithm) || "SHA1",
    digits: kind === "steam" ? 5 : numberIn(account.digits, 6),
    ...(type === "totp"
      ? { period: numberIn(account.period, 30) }
      : { counter: numberIn(account.counter, 0) }),
    ...(kind === "steam" && { encoder: "steam" }),
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectIn(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

/** A lone surrogate has no place in a URI. */
function textIn(value: unknown): string {
  return typeof value === "string" ? value.replaceAll(/\p{Cs}/gu, "\ufffd") : "";
}

function numberIn(value: unknown, byDefault: number): number {
  return typeof value === "number" ? value : byDefault;
}
