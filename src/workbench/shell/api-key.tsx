import { isApiKey } from "@utility-tools/client/browser";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Labeled, TextInput, withNotes } from "../kit/form/fields.js";
import { createCallJson } from "../kit/service/send-json.js";
import { useSession } from "../kit/session.js";
import { readApiKey } from "../kit/storage.js";
import { KEY_VARIABLE } from "../snippet/snippet-request.js";

const NOT_VALID = "This key is not valid. Check that it is complete, or ask for a new one.";

interface ApiKeyFormProps {
  /** Called with a key that the service accepts. */
  readonly onKey: (key: string) => void;
}

/** Asks for an API key in place of a panel. Tries the key before it is used. */
export function ApiKeyForm({ onKey }: ApiKeyFormProps) {
  const { baseUrl, announce } = useSession();
  const id = useId();
  // The service has rejected a stored key: it was removed since.
  const [problem, setProblem] = useState(() => (readApiKey() === "" ? "" : NOT_VALID));
  const [key, setKey] = useState("");
  const [isChecking, setChecking] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => announce(problem), [announce, problem]);

  const submit = async () => {
    setChecking(true);
    const found = await checkKey(baseUrl, key.trim());
    setChecking(false);
    setProblem(found);
    if (found === "") {
      onKey(key.trim());
    } else {
      input.current?.focus();
    }
  };
  return (
    <form
      class="card card-body key-form"
      aria-labelledby={`${id}-title`}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h1 id={`${id}-title`}>This service needs an API key</h1>
      <p class="soft">Ask the person who runs it for one.</p>
      <Labeled
        id={id}
        label="API key"
        wrong={problem}
        help={
          <>
            The key stays in this tab until you close it, and is sent to this service only. In code to copy,
            its place is taken by <code>${KEY_VARIABLE}</code>.
          </>
        }
      >
        <TextInput
          {...withNotes(id, problem !== "")}
          ref={input}
          isCode
          type="password"
          required
          value={key}
          set={setKey}
        />
      </Labeled>
      <div class="actions">
        <button type="submit" disabled={isChecking}>
          {isChecking ? "Checking …" : "Continue"}
        </button>
      </div>
    </form>
  );
}

/** Returns why a key cannot be used, or "" if the service accepts it. */
async function checkKey(baseUrl: string, key: string): Promise<string> {
  if (!isApiKey(key)) {
    return NOT_VALID;
  }
  const callJson = createCallJson(baseUrl, () => key);
  const result = await callJson("AboutService/GetAbout", {}, new AbortController().signal);
  if (result.ok) {
    return "";
  }
  return result.failure.code === "UNAUTHENTICATED"
    ? NOT_VALID
    : "The key could not be checked: the service does not respond. Try again in a moment.";
}
