import type { CallError } from "../../kit/call-error.js";
import { titleOf } from "../../kit/field-text.js";
import { Prose } from "../../kit/prose.js";
import { rfcLinks } from "./rfc-links.js";

/**
 * That nothing is known of an address, and why: an answer rather than a failure. What is told beside the message – the range
 * of an address that is set aside, and the document that does – are the facts of the error, under their own names.
 */
export function NotFoundNote({ error }: { readonly error: Pick<CallError, "message" | "metadata"> }) {
  return (
    <div class="geoip-facts">
      <p class="geoip-note">
        <Prose text={error.message} />
      </p>
      <dl class="fact-list">
        {Object.entries(error.metadata).map(([name, value]) => (
          <div key={name}>
            <dt>{titleOf(name)}</dt>
            <dd>
              <Links text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Links({ text }: { readonly text: string }) {
  return (
    <>
      {rfcLinks(text).map(({ text: name, href }, index) => (
        <span key={name}>
          {index > 0 && "; "}
          {href === undefined ? name : <a href={href}>{name}</a>}
        </span>
      ))}
    </>
  );
}
