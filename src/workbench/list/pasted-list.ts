import { findEmails } from "../../text/find-email.js";
import { type InputKind, kindOfInput } from "../../text/recognize-input.js";

/** Returns the text of a paste if it has two or more lines that are not blank, which a field of one line cannot hold. */
export function pastedList({ clipboardData }: Pick<ClipboardEvent, "clipboardData">): string | undefined {
  const text = clipboardData?.getData("text/plain") ?? "";
  return linesOf(text).length > 1 ? text : undefined;
}

const PANELS = { ip: "geoip", email: "email", secret: "otp", text: undefined } as const satisfies Readonly<
  Record<InputKind, string | undefined>
>;

/** An IP address with something around it, as in the lines of a log. */
const HAS_ADDRESS =
  /(?<![\w.:-])(?:(?:\d{1,3}\.){3}\d{1,3}(?![\w.-])|[\da-f]{1,4}:[\da-f:]*:[\da-f:]*:[\da-f]{1,4}(?![\w:]))/i;

/** Returns the panel for a list whose lines all are IP addresses or have one, are e-mail addresses or secrets; else undefined. */
export function panelOfList(text: string): (typeof PANELS)[InputKind] {
  const kindOfLine = (line: string) => {
    const kind = kindOfInput(line);
    return kind === "text" && HAS_ADDRESS.test(line) ? "ip" : kind;
  };
  const [kind, ...others] = new Set(linesOf(text).map(kindOfLine));
  return kind === undefined || others.length > 0 ? undefined : PANELS[kind];
}

/** A list, and the panel for it. */
export interface PastedList {
  readonly panel: string;
  /** One input per line. */
  readonly text: string;
  readonly count: number;
}

/** Returns the list in one or more lines with several IP addresses, or several e-mail addresses with or without names. */
export function severalInputs(text: string): PastedList | undefined {
  // A link can have addresses, too.
  const isLink = /^\s*[a-z][a-z\d+.-]*:\/*[^\s/]/i.test(text);
  const words = text.split(/[\s,;]+/).filter((word) => word !== "");
  const [panel, inputs] = words.every((word) => kindOfInput(word) === "ip")
    ? ["geoip", words]
    : ["email", isLink ? [] : findEmails(text)];
  return inputs.length < 2 ? undefined : { panel, text: inputs.join("\n"), count: inputs.length };
}

function linesOf(text: string): string[] {
  return text.split(/[\r\n]+/).filter((line) => line.trim() !== "");
}
