/** The length of a text in octets of UTF-8, the unit of all of SMTP's limits. */
export function octets(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** Unicode Normalization Form C, which RFC 6532 section 3.1 asks for. */
export function toNfc(text: string): string {
  return text.normalize("NFC");
}

/** How a description names the first character of a text: `U+0028`. */
export function codePointName(text: string): string {
  return `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
