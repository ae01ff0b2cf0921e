import { type CallFailure, failureJson } from "./call-failure.js";
import { cutToWidth, displayText } from "./display-text.js";
import type { Style } from "./style.js";

/** Columns of an input that an error shows. */
const SHOWN = 100;

/** What an error is about: an input, a field of the request that must not be shown, or nothing in particular. */
export type Subject =
  | { readonly kind: "input"; readonly text: string }
  | { readonly kind: "secret"; readonly name: string }
  | undefined;

/** A line for standard error: `utility-tools geoip: 10.0.0.1: …`. */
export function complaint(command: string, message: string, style: Style, subject?: Subject): string {
  const about = subject?.kind === "input" ? cutToWidth(displayText(subject.text), SHOWN) : subject?.name;
  const prefix = style.alert(`utility-tools${command === "" ? "" : ` ${command}`}:`);
  return `${prefix} ${about === undefined || about === "" ? "" : `${about}: `}${displayText(message)}\n`;
}

/** The same for programs, as one object: what many inputs have on standard output for one of them. */
export function complaintJson(failure: CallFailure, subject?: Subject): string {
  const input = subject?.kind === "input" ? `"input":${JSON.stringify(subject.text)},` : "";
  return `{${input}"error":${failureJson(failure)}}\n`;
}
