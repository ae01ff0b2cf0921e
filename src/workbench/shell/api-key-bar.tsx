import { useState } from "preact/hooks";
import { KEY_VARIABLE } from "../snippet/snippet-request.js";
import { readApiKey } from "./api-key.js";

/** Asks for the API key of a service that wants one, and lets it be forgotten. */
export function ApiKeyBar({ onKey }: { readonly onKey: (key: string) => void }) {
  const [key, setKey] = useState(readApiKey);
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
        aria-describedby="api-key-help"
        onInput={({ currentTarget }) => setKey(currentTarget.value)}
      />
      <button type="submit">Use</button>
      {readApiKey() !== "" && (
        <button type="button" class="quiet" onClick={() => onKey("")}>
          Forget
        </button>
      )}
      <p id="api-key-help" class="help">
        This service asks for a key. It stays in this tab; snippets have <code>${KEY_VARIABLE}</code> in its
        place.
      </p>
    </form>
  );
}
