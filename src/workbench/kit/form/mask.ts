/** Returns a text as dots, of the same length in UTF-16 units: a masked text of several lines, which no field of the browser has. */
export function maskOf(text: string): string {
  return text.replaceAll(/[^\n]/g, "•");
}

/**
 * Returns a text after an edit of its dots.
 *
 * @param shown the dots with the edit
 * @param before the start of the selection before the edit
 * @param caret the position after what was inserted, or where something was removed
 */
export function editedText(text: string, shown: string, before: number, caret: number): string {
  const start = Math.min(before, caret);
  return text.slice(0, start) + shown.slice(start, caret) + text.slice(text.length - (shown.length - caret));
}
