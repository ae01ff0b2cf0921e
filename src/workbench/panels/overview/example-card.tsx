import { fieldDocsOf, firstSentence } from "connect-transcoding/openapi";
import { useEffect } from "preact/hooks";
import { commentOf } from "../../kit/comments.js";
import { Prose } from "../../kit/prose.js";
import { exampleRequest } from "../../kit/request-of.js";
import { useCall } from "../../kit/use-call.js";
import type { ToolExample } from "./examples.js";

/** A tool: what it is for, and a question with its answer, fresh from the service. */
export function ExampleCard({ title, example }: { readonly title: string; readonly example: ToolExample }) {
  const { method, panelId, show } = example;
  const { send, outcome } = useCall(method);
  useEffect(() => send(exampleRequest(method.input)), [send, method]);
  const [field] = method.input.fields;
  return (
    <li class="card tool-card">
      <h2>
        <a href={`#/${panelId}`}>{title}</a>
      </h2>
      <p class="tool-about">
        <Prose text={`${firstSentence(commentOf(method.parent))}.`} />
      </p>
      <div class="tool-example">
        <p class="tool-question code">{field === undefined ? "" : fieldDocsOf(field).example}</p>
        {outcome?.ok === true && <div class="tool-answer">{show(outcome.value.message)}</div>}
        {outcome?.ok === false && (
          <p class="tool-failure code">{outcome.failure.reason || outcome.failure.code}</p>
        )}
      </div>
    </li>
  );
}
