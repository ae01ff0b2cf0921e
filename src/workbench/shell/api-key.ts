const KEY = "utility-tools.api-key";

/** The API key that was typed in this tab; "" where there was none. It is kept as long as the tab is open. */
export function readApiKey(): string {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

/** Keeps an API key for this tab; "" forgets it. */
export function keepApiKey(key: string): void {
  try {
    if (key === "") {
      sessionStorage.removeItem(KEY);
    } else {
      sessionStorage.setItem(KEY, key);
    }
  } catch {
    // A browser that keeps nothing for a page cannot keep a key either; the service then says that it is missing.
  }
}
