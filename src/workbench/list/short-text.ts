/** How many characters of an input are shown. */
const MAX_SHOWN = 80;

/** Returns the start of a long input: a text for a QR code can fill a page. */
export function shortText(input: string): string {
  return input.length > MAX_SHOWN ? `${input.slice(0, MAX_SHOWN - 1)}…` : input;
}
