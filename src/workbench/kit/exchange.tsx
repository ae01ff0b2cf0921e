import { create, type DescMessage, type DescMethodUnary, type MessageInitShape } from "@bufbuild/protobuf";
import { useMemo } from "preact/hooks";
import { useSession } from "../session.js";
import { bindingOf } from "../snippet/http-request.js";
import { SNIPPETS } from "../snippet/snippets.js";
import { AnswerView } from "./answer-view.js";
import { CopyButton } from "./copy-button.js";
import { Tabs } from "./tabs.js";
import type { Outcome } from "./use-call.js";

interface ExchangeProps<Input extends DescMessage, Output extends DescMessage> {
  readonly method: DescMethodUnary<Input, Output>;
  /** The request as it stands now, sent or not. */
  readonly request: MessageInitShape<Input>;
  readonly outcome: Outcome<Input, Output>;
  readonly isLoading?: boolean;
}

/** A request in all the ways to make it, and the answer as it came. */
export function Exchange<Input extends DescMessage, Output extends DescMessage>(
  props: ExchangeProps<Input, Output>,
) {
  const { method, request, outcome, isLoading = false } = props;
  return (
    <div class="exchange" aria-busy={isLoading}>
      <MethodLine method={method} />
      <RequestView method={method} request={request} />
      <AnswerView method={method} outcome={outcome} isLoading={isLoading} />
    </div>
  );
}

/** Which method it is, over plain HTTP and over the other protocols. */
function MethodLine({ method }: { readonly method: DescMethodUnary }) {
  const { httpMethod, template } = bindingOf(method);
  return (
    <p class="method-line">
      <code class="verb">{httpMethod}</code>
      <code>{template.source}</code>
      <span>
        {method.parent.name}.<wbr />
        {method.name}
      </span>
    </p>
  );
}

/** The snippets of a request, in tabs. */
function RequestView<Input extends DescMessage>({
  method,
  request,
}: {
  readonly method: DescMethodUnary<Input>;
  readonly request: MessageInitShape<Input>;
}) {
  const { baseUrl, needsKey, snippetId, showSnippet } = useSession();
  const kind = SNIPPETS.find(({ id }) => id === snippetId) ?? SNIPPETS[0];
  const text = useMemo(
    () => kind?.write({ method, message: create(method.input, request), baseUrl, needsKey }) ?? "",
    [kind, method, request, baseUrl, needsKey],
  );
  return (
    <section class="card code-card" aria-label={`Request of ${method.name}`}>
      <Tabs
        label="Request as"
        tabs={SNIPPETS}
        selected={kind?.id ?? ""}
        onSelect={showSnippet}
        aside={<CopyButton text={text} what={`the request as ${kind?.title ?? ""}`} />}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
        <pre class="code" tabIndex={0}>
          {text}
        </pre>
      </Tabs>
    </section>
  );
}
