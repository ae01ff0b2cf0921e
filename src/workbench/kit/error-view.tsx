import { useEffect } from "preact/hooks";
import { useSession } from "../session.js";
import type { CallError } from "./call-error.js";
import { Prose } from "./prose.js";

/** An error of a call in the service's own words, with what programs go by; it is said to those who listen as well. */
export function ErrorView({ error }: { readonly error: CallError }) {
  const { announce } = useSession();
  useEffect(() => announce(error.message), [announce, error.message]);
  const facts = Object.entries(error.metadata);
  return (
    <div class="error">
      <p class="error-message">
        <Prose text={error.message} />
      </p>
      <p class="error-code">
        <code>{error.code}</code>
        {error.reason !== "" && <code>{error.reason}</code>}
      </p>
      {facts.length > 0 && (
        <dl class="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
