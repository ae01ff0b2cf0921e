import { type CallFailure, failureJson } from "./call-failure.js";
import { cutToWidth, displayText } from "./display-text.js";
import type { Style } from "./style.js";

/** Columns of an input that an error shows. */
const SHOWN = 100;

/** What an error is about: an input, or a field of the request whose value must not be shown. */
export type Subject =
  | { readonly kind: "input"; readonly text: string }
  | { readonly kind: "secret"; readonly name: string };

/** A line for standard error: `utility-tools geoip: 10.0.0.1: …`. */
export function complaint(command: string, message: string, style: Style, subject?: Subject): string {
  const about = aboutText(message, subject);
  const prefix = style.alert(`utility-tools${command === "" ? "" : ` ${command}`}:`);
  return `${prefix} ${about === "" ? "" : `${about}: `}${displayText(message)}\n`;
}

function aboutText(message: string, subject: Subject | undefined): string {
  if (subject?.kind === "secret") {
    // Where several fields are wrong the message names each.
    return message.startsWith(`${subject.name}: `) ? "" : subject.name;
  }
  return subject === undefined ? "" : cutToWidth(displayText(subject.text), SHOWN);
}

/** The same for programs, as one object: what many inputs have on standard output for one of them. */
export function complaintJson(failure: CallFailure, subject?: Subject): string {
  const input = subject?.kind === "input" ? `"input":${JSON.stringify(subject.text)},` : "";
  return `{${input}"error":${failureJson(failure)}}\n`;
}
