/** The bytes of a text in hexadecimal; spaces and line breaks are ignored. */
export function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replace(/\s/g, ""), "hex"));
}

/** The bytes of a string of 0 and 1, padded with ones. */
export function bytesOfBits(bits: string): Uint8Array {
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, "1");
  return Uint8Array.from(padded.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
