export { fieldLabel, titleOf, valueLabel } from "../../text/labels.js";

/** Writes a message of the service as a sentence: with a capital letter, unless it starts with a name, and a full stop. */
export function sentenceOf(message: string): string {
  const start = /^[a-z]+(?=[ ,'])/.test(message) ? message.charAt(0).toUpperCase() : message.charAt(0);
  return message === "" || /[.!?]$/.test(message) ? start + message.slice(1) : `${start}${message.slice(1)}.`;
}
