import { type Failure, fail, ok, type Result } from "../../../failures/result.js";
import { checkName } from "../../../text/account-name.js";
import { keyUri } from "../../../text/otp/key-uri.js";
import { parseKeyUri } from "../../../text/otp/parse-key-uri.js";
import { MAX_SECRET_LENGTH, parseSecret, replaceSeparators } from "../../../text/otp/secret.js";

/** An account with its secret, as the texts of a form. */
export interface Account {
  readonly issuer: string;
  readonly label: string;
  /** In base32, with or without spaces. */
  readonly secret: string;
  /** 5 for Steam's codes of letters. */
  readonly digits: string;
  readonly algorithm: string;
  readonly period: string;
}

/** Whether a text is meant as a link of an authenticator app: of one account, or of an export. */
export function isSetupLink(text: string): boolean {
  return /^\s*otpauth(-migration)?:/i.test(text);
}

/** Returns the secret as it stands in links: without separators and padding, in upper case. */
export function compactSecret(secret: string): string {
  return replaceSeparators(secret, "").replaceAll("=", "").toUpperCase();
}

/** Returns what is wrong with a secret, in plain words; "" for a usable one, and for none. */
export function secretProblem(secret: string): string {
  const parsed = parseSecret(secret);
  if (parsed.ok || parsed.failure.reason === "REQUIRED") {
    return "";
  }
  if (parsed.failure.reason === "SECRET_TOO_LONG") {
    return `At most ${MAX_SECRET_LENGTH} characters.`;
  }
  return /^[A-Z2-7]*$/.test(compactSecret(secret))
    ? "This secret is not complete. Most have 16 or 32 characters."
    : "Letters A–Z and digits 2–7 only.";
}

/** Reads the account in a setup link of time-based codes. Options that the link does not have get their defaults. */
export function accountOf(link: string): Result<Account, Failure<"INVALID_LINK">> {
  const parsed = parseKeyUri(link.trim());
  if (!parsed.ok) {
    return fail("INVALID_LINK", `this setup link ${parsed.failure.description}`);
  }
  const { type, issuer, label, algorithm, secret, digits, period } = parsed.value;
  const account = { issuer, label, algorithm };
  return type === "hotp"
    ? fail("INVALID_LINK", "this setup link is for codes by counter, and this page shows codes by time")
    : ok({ ...account, secret: compactSecret(secret), digits: `${digits}`, period: `${period}` });
}

/** Returns the setup link of an account; undefined if a name, the secret or the period is not valid. */
export function setupLinkOf(account: Account): string | undefined {
  const { issuer, label, digits, algorithm, period } = account;
  const secret = compactSecret(account.secret);
  const isValid =
    parseSecret(secret).ok &&
    /^[1-9]\d{0,4}$/.test(period) &&
    [issuer, label].every((name) => checkName(name).length === 0);
  const encoder = digits === "5" ? "steam" : undefined;
  return isValid
    ? keyUri({ issuer, label, secret, digits: Number(digits), algorithm, period: Number(period), encoder })
    : undefined;
}
