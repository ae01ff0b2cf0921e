import { type InputKind, kindOfInput } from "../../text/recognize-input.js";

/** Returns the text of a paste if it has two or more lines that are not blank, which a field of one line cannot hold. */
export function pastedList({ clipboardData }: Pick<ClipboardEvent, "clipboardData">): string | undefined {
  const text = clipboardData?.getData("text/plain") ?? "";
  return linesOf(text).length > 1 ? text : undefined;
}

const PANELS = { ip: "geoip", email: "email", secret: "otp", text: undefined } as const satisfies Readonly<
  Record<InputKind, string | undefined>
>;

/** Returns the panel for a list whose lines are all IP addresses, e-mail addresses or secrets; else undefined. */
export function panelOfList(text: string): (typeof PANELS)[InputKind] {
  const [kind, ...others] = new Set(linesOf(text).map(kindOfInput));
  return kind === undefined || others.length > 0 ? undefined : PANELS[kind];
}

function linesOf(text: string): string[] {
  return text.split(/[\r\n]+/).filter((line) => line.trim() !== "");
}
