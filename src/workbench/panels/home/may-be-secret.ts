import { replaceSeparators } from "../../../text/otp/secret.js";

/**
 * Whether a text can be a secret, or a part of one that is being typed: it is in no link. It is one word of capitals or with a digit,
 * also in groups, a text with a whole secret, or a part of the scheme of a link with one.
 */
export function mayBeSecret(text: string): boolean {
  return (
    /^(?=.*[2-7])[A-Z2-7]{6,}=*$/i.test(replaceSeparators(text, "")) ||
    /^[A-Z2-7]{8,}$/.test(text.trim()) ||
    /\b[A-Z2-7]{16,}\b/.test(text) ||
    /otpauth/i.test(text)
  );
}
