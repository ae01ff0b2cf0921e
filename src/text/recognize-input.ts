import { replaceSeparators } from "./otp/secret.js";

/** What a text is meant as, as far as its form says. */
export type InputKind = "ip" | "email" | "secret" | "text";

/** Texts that are meant as IP addresses, also mistyped ones. */
export const IP_ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|[\da-f]*:[\da-f]*:[\da-f:.]*(%\w+)?)$/i;

/** Texts that are meant as e-mail addresses. A link has a scheme. */
export const EMAIL_ADDRESS = /^(?![a-z][a-z\d+.-]*:)\S[^\s@]*@\S+$/i;

/** Links of authenticator apps: of one account, or of an export. */
const SETUP_LINK = /^otpauth(-migration)?:/i;

/** Returns what a text is meant as. A text can turn out to be a country: only the data knows their names. */
export function kindOfInput(text: string): InputKind {
  const trimmed = text.trim();
  if (IP_ADDRESS.test(trimmed)) {
    return "ip";
  }
  if (SETUP_LINK.test(trimmed) || isBase32Secret(trimmed)) {
    return "secret";
  }
  return EMAIL_ADDRESS.test(trimmed) ? "email" : "text";
}

/**
 * Whether a text is a Base32 secret: 16 or more characters, in one word of capitals, or with digits in groups, as authenticator apps
 * show it. A sentence has no digits in its words.
 */
function isBase32Secret(text: string): boolean {
  const groups = replaceSeparators(text, " ");
  const characters = groups.replaceAll(/[ =]/g, "");
  return (
    /^[A-Z2-7]{16,}=*$/.test(text) ||
    (/^[a-z2-7]{16,}$/i.test(characters) &&
      /[2-7]/.test(characters) &&
      /^([a-z2-7]{4} +)*[a-z2-7]+=*$/i.test(groups))
  );
}
