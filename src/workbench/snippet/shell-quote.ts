/**
 * Text as one word of a POSIX shell, whatever is in it: single quotes keep everything but themselves. A zero octet, which no
 * argument can have, must not be in it.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02_02
 */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
