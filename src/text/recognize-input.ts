import { AS_NUMBER } from "./as-number.js";
import { replaceSeparators } from "./otp/secret.js";

/** What a text is meant as, as far as its form says. */
export type InputKind = "ip" | "asn" | "email" | "secret" | "text";

/** The address of a network card: `00:1A:2B:3C:4D:5E`, with hyphens, or as `001a.2b3c.4d5e`. */
export const MAC_ADDRESS =
  /^([\da-f]{2}(?:(?::[\da-f]{2}){5}|(?:-[\da-f]{2}){5})|[\da-f]{4}(?:\.[\da-f]{4}){2})$/i;

/** Texts that are meant as IP addresses, also mistyped ones. */
export const IP_ADDRESS =
  /^(?!(?:[\da-f]{2}:){5}[\da-f]{2}$)(\d{1,3}(\.\d{1,3}){3}|[\da-f]*:[\da-f]*:[\da-f:.]*(%\w+)?)$/i;

/** Texts that are meant as e-mail addresses. A link has a scheme. */
export const EMAIL_ADDRESS = /^(?![a-z][a-z\d+.-]*:)\S[^\s@]*@\S+$/i;

/** Texts with one e-mail address: a link to it, or a name before it. The service takes the address out. */
const MAILBOX = /^(mailto:[^\s@]+@\S+|[^<>@]*<[^\s<>@]+@[^\s<>@]+>)$/i;

/** Links of authenticator apps: of one account, or of an export. */
const SETUP_LINK = /^otpauth(-migration)?:/i;

/** Returns what a text is meant as. A text can turn out to be a country: only the data knows their names. */
export function kindOfInput(text: string): InputKind {
  const trimmed = text.trim();
  if (IP_ADDRESS.test(trimmed)) {
    return "ip";
  }
  if (AS_NUMBER.test(trimmed)) {
    return "asn";
  }
  if (SETUP_LINK.test(trimmed) || isBase32Secret(trimmed)) {
    return "secret";
  }
  return EMAIL_ADDRESS.test(trimmed) || MAILBOX.test(trimmed) ? "email" : "text";
}

/**
 * Whether a text is a Base32 secret: 16 or more characters, in one word of capitals, or in groups of equal length, as authenticator apps
 * show it, with digits or of capitals with hyphens. A sentence has no digits in its words.
 */
function isBase32Secret(text: string): boolean {
  const spaced = replaceSeparators(text, " ").replace(/(?<!=)=+$/, "");
  const groups = spaced.split(/ +/);
  const [{ length } = ""] = groups;
  const areEqual = groups.every((group, index) =>
    index < groups.length - 1 ? group.length === length : group.length <= length,
  );
  return (
    /^[A-Z2-7]{16,}=*$/.test(text) ||
    (/^[a-z2-7]{16,}$/i.test(groups.join("")) &&
      length > 2 &&
      areEqual &&
      (/[2-7]/.test(spaced) || /^[A-Z]+(?:-[A-Z]+)+$/.test(text)))
  );
}
