import comments from "@utility-tools/protos/comments.json" with { type: "json" };
import { commentOn } from "connect-transcoding/openapi";

/** Returns the schema's comment on a service, method, message, field or enum value. */
export function commentOf(desc: Parameters<typeof commentOn>[0]): string {
  return commentOn(desc, comments);
}

export { fieldLabel, titleOf, valueLabel } from "../../text/labels.js";

/** Writes a message of the service as a sentence: with a capital letter, unless it starts with a name, and a full stop. */
export function sentenceOf(message: string): string {
  const start = /^[a-z]+(?=[ ,'])/.test(message) ? message.charAt(0).toUpperCase() : message.charAt(0);
  return message === "" || /[.!?]$/.test(message) ? start + message.slice(1) : `${start}${message.slice(1)}.`;
}

/** The code point of 🇦, the regional indicator symbol for A. B to Z follow it. */
const FIRST_INDICATOR = 0x1f1e6;

/** Returns the flag emoji of an alpha-2 code in upper case: two regional indicator symbols (UTS #51, annex B). */
export function flagEmoji(code2: string): string {
  const indicators = Array.from(code2, (letter) => FIRST_INDICATOR + letter.charCodeAt(0) - 0x41);
  return String.fromCodePoint(...indicators);
}

/**
 * Reports whether the system draws flag emoji as flags. Windows draws letters instead, and a system without an emoji font
 * draws boxes; both are two characters wide.
 *
 * @param width measures the width of a text.
 */
export function drawsFlags(width: (text: string) => number): boolean {
  return width(flagEmoji("FR")) < 1.5 * width(flagEmoji("F"));
}
