import { useState } from "preact/hooks";
import { KEY_VARIABLE } from "../snippet/snippets.js";

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

interface ApiKeyBarProps {
  /** The error message of the service for a missing or invalid key; "" if no request was rejected. */
  readonly rejection: string;
  /** Called with a new key, or with "" to remove the stored one. */
  readonly onKey: (key: string) => void;
}

/** Asks for an API key, or offers to remove the stored one. */
export function ApiKeyBar({ rejection, onKey }: ApiKeyBarProps) {
  const stored = readApiKey();
  const [key, setKey] = useState(stored);
  if (stored !== "" && rejection === "") {
    return (
      <div class="key-bar in-use">
        <p>
          An API key is in use. Snippets contain <code>${KEY_VARIABLE}</code> instead of it.
        </p>
        <button type="button" class="quiet" onClick={() => onKey("")}>
          Remove
        </button>
      </div>
    );
  }
  return (
    <form
      class="key-bar"
      onSubmit={(event) => {
        event.preventDefault();
        onKey(key.trim());
      }}
    >
      <label for="api-key">API key</label>
      <input
        id="api-key"
        class="control code"
        type="password"
        autocomplete="off"
        value={key}
        aria-invalid={stored !== ""}
        aria-describedby="api-key-rejection api-key-help"
        onInput={({ currentTarget }) => setKey(currentTarget.value)}
      />
      <button type="submit">Use</button>
      <p id="api-key-rejection" class="wrong" role="status">
        {stored === "" ? "" : rejection}
      </p>
      <p id="api-key-help" class="help">
        This service requires an API key. It is stored in this tab only; snippets contain
        <code> ${KEY_VARIABLE}</code> instead of it.
      </p>
    </form>
  );
}
