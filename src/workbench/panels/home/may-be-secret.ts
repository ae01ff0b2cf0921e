import { replaceSeparators } from "../../../text/otp/secret.js";

/**
 * Whether a text can be a secret, or a part of one that is being typed: it is in no link. It is one word of capitals or with a digit,
 * also in groups, a text with a whole secret, or a part of the scheme of a link with one; or it names a password or a key, or is as long and
 * mixed as a key of a service.
 */
export function mayBeSecret(text: string): boolean {
  return (
    /^(?=.*[2-7])[A-Z2-7]{6,}=*$/i.test(replaceSeparators(text, "")) ||
    /^[A-Z2-7]{8,}$/.test(text.trim()) ||
    /\b[A-Z2-7]{16,}\b/.test(text) ||
    /otpauth|\b(?:pass(?:word|phrase)?|pwd|pin|secret|token|(?:api|access)[ _-]?key) *[:=]/i.test(text) ||
    /^(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[\w.+=-]{20,}$/.test(text.trim())
  );
}
