const STORAGE_KEY = "utility-tools.api-key";

/** Returns the API key of this tab, or "" without one. Closing the tab forgets the key. */
export function readApiKey(): string {
  try {
    return sessionStorage.getItem(STORAGE_KEY) ?? "";
  } catch {
    return "";
  }
}

/** Stores an API key for this tab; "" removes it. */
export function keepApiKey(key: string): void {
  try {
    if (key === "") {
      sessionStorage.removeItem(STORAGE_KEY);
    } else {
      sessionStorage.setItem(STORAGE_KEY, key);
    }
  } catch {
    // Without storage no key is sent, and the service reports that it is missing.
  }
}
