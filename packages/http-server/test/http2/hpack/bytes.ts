/** The bytes of a text in hexadecimal; spaces and line breaks are ignored. */
export function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replace(/\s/g, ""), "hex");
}

/** The bytes of a string of 0 and 1, padded with ones. */
export function bytesOfBits(bits: string): Buffer {
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, "1");
  return Buffer.from((padded.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
