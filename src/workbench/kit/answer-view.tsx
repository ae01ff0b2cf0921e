import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import { useMemo, useState } from "preact/hooks";
import { CopyButton } from "./copy-button.js";
import { ErrorView } from "./error-view.js";
import { jsonTokens } from "./json-tokens.js";
import { restAnswer } from "./rest-answer.js";
import type { Outcome } from "./use-call.js";

interface AnswerViewProps<Input extends DescMessage, Output extends DescMessage> {
  readonly method: DescMethodUnary<Input, Output>;
  readonly outcome: Outcome<Input, Output>;
  readonly isLoading?: boolean;
}

/** The lines of an answer that are shown at first. */
const FIRST_LINES = 120;

/** What came back, as plain HTTP gives it, and how long it took. */
export function AnswerView<Input extends DescMessage, Output extends DescMessage>({
  method,
  outcome,
  isLoading = false,
}: AnswerViewProps<Input, Output>) {
  const answer = useMemo(
    () => (outcome?.ok === true ? restAnswer(method, outcome.value.message) : undefined),
    [method, outcome],
  );
  const took = outcome?.ok === true ? outcome.value.receivedAt - outcome.value.sentAt : undefined;
  return (
    <section class="card code-card" aria-label={`Answer of ${method.name}`}>
      <div class="tab-row">
        <h2 class="card-title">Answer</h2>
        {took !== undefined && <span class="took">{Math.max(1, Math.round(took))} ms</span>}
        {answer?.kind === "json" && <CopyButton text={answer.text} what="the answer" />}
      </div>
      {outcome?.ok === false && <ErrorView error={outcome.failure} />}
      {outcome === undefined && <p class="empty">{isLoading ? "Asking …" : "Nothing has been asked yet."}</p>}
      {answer?.kind === "json" && <JsonView text={answer.text} />}
      {answer?.kind === "octets" && (
        <p class="empty">
          <code>{answer.contentType}</code>, {answer.data.length.toLocaleString("en")} octets
        </p>
      )}
    </section>
  );
}

/** JSON with its parts in colours; a long one shows its beginning, and the rest when asked. */
function JsonView({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => text.split("\n"), [text]);
  const isCut = !isWhole && lines.length > FIRST_LINES;
  const shown = isCut ? lines.slice(0, FIRST_LINES).join("\n") : text;
  const tokens = useMemo(() => jsonTokens(shown), [shown]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <pre class="code" tabIndex={0}>
        {tokens.map(({ kind, text: part }, index) =>
          kind === "other" ? (
            part
          ) : (
            <span key={index} class={`json-${kind}`}>
              {part}
            </span>
          ),
        )}
      </pre>
      {isCut && (
        <button type="button" class="quiet more" onClick={() => setWhole(true)}>
          Show all {lines.length.toLocaleString("en")} lines
        </button>
      )}
    </>
  );
}
