import { findEmails } from "../../text/find-email.js";
import { type InputKind, kindOfInput } from "../../text/recognize-input.js";

/** Returns the text of a paste if it has two or more lines that are not blank, which a field of one line cannot hold. */
export function pastedList({ clipboardData }: Pick<ClipboardEvent, "clipboardData">): string | undefined {
  const text = clipboardData?.getData("text/plain") ?? "";
  return linesOf(text).length > 1 ? text : undefined;
}

const PANELS = {
  ip: "geoip",
  asn: undefined,
  email: "email",
  secret: "otp",
  text: undefined,
} as const satisfies Readonly<Record<InputKind, string | undefined>>;

/** An IP address with something around it, as in the lines of a log. */
const HAS_ADDRESS =
  /(?<![\w.:-])(?:(?:\d{1,3}\.){3}\d{1,3}(?![\w.-])|[\da-f]{1,4}:[\da-f:]*:[\da-f:]*:[\da-f]{1,4}(?![\w:]))/i;

/** A link, which can have addresses, too. */
const LINK = /^\s*[a-z][a-z\d+.-]*:\/*[^\s/]/i;

/**
 * Returns the panel for a list of which most lines are or have an IP address or an e-mail address, or are secrets; else undefined. The
 * other lines are a heading or errors.
 */
export function panelOfList(text: string): (typeof PANELS)[InputKind] {
  const kinds = linesOf(text).map(kindOfLine);
  const most = [...new Set(kinds)].find(
    (kind) => kinds.filter((each) => each === kind).length * 2 > kinds.length,
  );
  return most && PANELS[most];
}

function kindOfLine(line: string): InputKind {
  const kind = kindOfInput(line);
  if (kind !== "text") {
    return kind;
  }
  if (HAS_ADDRESS.test(line)) {
    return "ip";
  }
  return !LINK.test(line) && findEmails(line).length > 0 ? "email" : "text";
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
  const words = text.split(/[\s,;]+/).filter((word) => word !== "");
  const [panel, inputs] = words.every((word) => kindOfInput(word) === "ip")
    ? ["geoip", words]
    : ["email", LINK.test(text) ? [] : findEmails(text)];
  return inputs.length < 2 ? undefined : { panel, text: inputs.join("\n"), count: inputs.length };
}

function linesOf(text: string): string[] {
  return text.split(/[\r\n]+/).filter((line) => line.trim() !== "");
}
