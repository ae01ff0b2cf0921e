/** Where a text is kept: across visits, or until the tab is closed. */
type Place = "localStorage" | "sessionStorage";

/** Returns a stored text; "" without one, and where the browser allows no storage. */
export function readStored(place: Place, key: string): string {
  try {
    return globalThis[place].getItem(`utility-tools.${key}`) ?? "";
  } catch {
    return "";
  }
}

/** Stores a text. Where the browser allows no storage, it is forgotten. */
export function keepStored(place: Place, key: string, text: string): void {
  try {
    globalThis[place].setItem(`utility-tools.${key}`, text);
  } catch {
    // A theme applies until the page is closed, and the service reports that the API key is missing.
  }
}

/** Returns the API key of this tab, or "" without one. Closing the tab forgets the key. */
export function readApiKey(): string {
  return readStored("sessionStorage", "api-key");
}

/** Stores an API key for this tab; "" removes it. */
export function keepApiKey(key: string): void {
  keepStored("sessionStorage", "api-key", key);
}
