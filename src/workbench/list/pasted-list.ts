import { kindOfInput } from "../../text/recognize-input.js";

/** Returns the text of a paste if it has two or more lines that are not blank, which a field of one line cannot hold. */
export function pastedList({ clipboardData }: Pick<ClipboardEvent, "clipboardData">): string | undefined {
  const text = clipboardData?.getData("text/plain") ?? "";
  return linesOf(text).length > 1 ? text : undefined;
}

/** Returns the panel for a list: that of addresses if all lines are IP addresses or e-mail addresses; else undefined. */
export function panelOfList(text: string): "geoip" | "email" | undefined {
  const kinds = new Set(linesOf(text).map(kindOfInput));
  return kinds.size > 1 ? undefined : kinds.has("ip") ? "geoip" : kinds.has("email") ? "email" : undefined;
}

function linesOf(text: string): string[] {
  return text.split(/[\r\n]+/).filter((line) => line.trim() !== "");
}
