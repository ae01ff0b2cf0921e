import { useState } from "preact/hooks";
import { KEY_VARIABLE } from "../snippet/snippet-request.js";
import { readApiKey } from "./api-key.js";

interface ApiKeyBarProps {
  /** What the service said of a call without a key, or with the one that there is; "" where it has not refused any. */
  readonly refusal: string;
  /** Is given another key, or "" to forget the one that there is. */
  readonly onKey: (key: string) => void;
}

/** Asks for the API key of a service that wants one, and lets it be forgotten. */
export function ApiKeyBar({ refusal, onKey }: ApiKeyBarProps) {
  const kept = readApiKey();
  const [key, setKey] = useState(kept);
  if (kept !== "" && refusal === "") {
    return (
      <div class="key-bar in-use">
        <p>
          The API key is in use. Snippets have <code>${KEY_VARIABLE}</code> in its place.
        </p>
        <button type="button" class="quiet" onClick={() => onKey("")}>
          Forget it
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
        aria-invalid={kept !== ""}
        aria-describedby="api-key-refusal api-key-help"
        onInput={({ currentTarget }) => setKey(currentTarget.value)}
      />
      <button type="submit">Use</button>
      <p id="api-key-refusal" class="wrong" role="status">
        {kept === "" ? "" : refusal}
      </p>
      <p id="api-key-help" class="help">
        This service asks for a key. It stays in this tab; snippets have <code>${KEY_VARIABLE}</code> in its
        place.
      </p>
    </form>
  );
}
