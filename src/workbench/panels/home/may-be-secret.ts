/**
 * Whether a text can be a part of a secret that is being typed: it is in no link. It is one word of capitals with a digit, or a part
 * of the scheme of a link with a secret.
 */
export function mayBeSecret(text: string): boolean {
  const word = text.trim();
  return /^(?=.*[2-7])[A-Z2-7\s]{6,}=*$/i.test(word) || /^[A-Z2-7]{8,}$/.test(word) || /otpauth/i.test(word);
}
