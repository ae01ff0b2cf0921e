/** What each header counts beside its octets. */
const OVERHEAD = 32;

/**
 * The size of a header list in octets, as `SETTINGS_MAX_HEADER_LIST_SIZE` counts it (RFC 9113, section 6.5.2). `rawHeaders`
 * are names and values as they came, in turn, a character an octet.
 */
export function headerListSize(rawHeaders: readonly string[]): number {
  let size = (rawHeaders.length / 2) * OVERHEAD;
  for (const text of rawHeaders) {
    size += text.length;
  }
  return size;
}
