import { useEffect } from "preact/hooks";

/** How many characters of a value are in the title: browsers show only the start. */
const MAX_VALUE = 60;

/** Returns the title of the document from its parts: "8.8.8.8 – Geo IP – Utility Tools". Omits empty parts, and shortens long ones. */
export function documentTitle(...parts: readonly string[]): string {
  const shown = [...parts, "Utility Tools"].filter((part) => part !== "");
  return shown
    .map((part) => (part.length > MAX_VALUE ? `${part.slice(0, MAX_VALUE).trimEnd()} …` : part))
    .join(" – ");
}

/** Puts the value that a panel shows into the title of the document. Browsers keep titles in the history: no secrets. */
export function useDocumentTitle(panel: string, value: string): void {
  useEffect(() => {
    document.title = documentTitle(value, panel);
  }, [panel, value]);
}
