/** HTML text that needs no escaping. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | undefined | readonly Part[];

/** Escapes text for content and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** A template of HTML. Every part that is not {@link Html} is escaped; undefined is empty. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: strings.reduce((text, next, index) => `${text}${partText(parts[index - 1])}${next}`) };
}

function partText(part: Part): string {
  if (part === undefined) {
    return "";
  }
  if (typeof part === "string" || typeof part === "number") {
    return escapeHtml(String(part));
  }
  return "html" in part ? part.html : part.map(partText).join("");
}

/** Puts a separator between parts. */
export function separated(parts: readonly Html[], separator: string): Html {
  return { html: parts.map((part) => part.html).join(escapeHtml(separator)) };
}
