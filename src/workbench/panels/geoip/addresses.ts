/** Public resolvers, and other public and special-purpose addresses. */
export const EXAMPLE_ADDRESSES: readonly string[] = [
  "8.8.8.8",
  "9.9.9.9",
  "2001:4860:4860::8888",
  "193.0.6.139",
  "192.168.1.1",
  "2001:db8::1",
];

/** Splits a reference such as `RFC 8880; RFC 7050, section 2.2` and links each RFC. */
export function rfcLinks(reference: string): { text: string; href: string | undefined }[] {
  return reference.split("; ").map((text) => {
    const [, number, section] = /^RFC (\d+)(?:, section ([\d.]+))?$/.exec(text) ?? [];
    const page = `https://www.rfc-editor.org/rfc/rfc${number}`;
    return {
      text,
      href: number === undefined ? undefined : section === undefined ? page : `${page}#section-${section}`,
    };
  });
}
