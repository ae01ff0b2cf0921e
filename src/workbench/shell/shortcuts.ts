import { useEffect } from "preact/hooks";

/** Whether keys belong to a field: the user is typing. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("textarea, select, input:not([type=radio], [type=checkbox])"))
  );
}

/** The main field of a panel: the one with the attribute `data-search`, or else its first text field. */
const MAIN_FIELDS = ["main [data-search]", "main textarea, main input:not([type=radio], [type=checkbox])"];

function focusMainField(): boolean {
  const field = MAIN_FIELDS.map((selector) => document.querySelector<HTMLElement>(selector)).find(Boolean);
  field?.focus();
  if (field instanceof HTMLInputElement) {
    field.select();
  }
  return field !== null && field !== undefined;
}

/**
 * Handles the keys of the whole page: Ctrl+K or ⌘K calls `onPalette`, and `/` focuses the main field of the panel. On a panel
 * without one, `/` calls `onPalette` as well.
 */
export function useShortcuts(onPalette: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) {
        return;
      }
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
      if (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        onPalette();
      } else if (event.key === "/" && !hasModifier && !isTyping(event.target)) {
        event.preventDefault();
        if (!focusMainField()) {
          onPalette();
        }
      }
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [onPalette]);
}

/** The keys that open the palette, as this system writes them. */
export function paletteKeys(): string {
  return /mac|iphone|ipad/i.test(globalThis.navigator?.userAgent ?? "") ? "⌘K" : "Ctrl K";
}
