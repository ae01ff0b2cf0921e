import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  equals,
  fromJson,
  type JsonObject,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { useMemo, useState } from "preact/hooks";
import { bindingOf, restResponse } from "../../snippet/http.js";
import { jsonTokens } from "../../snippet/json.js";
import { SNIPPETS } from "../../snippet/snippets.js";
import { CopyButton } from "../copy.js";
import type { Call } from "../service/call.js";
import type { ShownError } from "../service/errors.js";
import { useSession } from "../session.js";
import { Tabs } from "../tabs.js";

/** A request and its outcome. */
export interface ExchangeProps<Input extends DescMessage, Output extends DescMessage>
  extends Pick<Call<Input, Output>, "method" | "outcome" | "isLoading"> {
  /** The current request, whether or not it has been sent. */
  readonly request: MessageInitShape<Input>;
}

/** A request as snippets, and its response. */
export function ExchangeContent<Input extends DescMessage, Output extends DescMessage>({
  method: { path },
  request,
  outcome,
  isLoading,
}: ExchangeProps<Input, Output>) {
  const method = descriptorOf(path);
  // The user may have changed the request since.
  const isCurrent =
    outcome?.ok !== true ||
    equals(method.input, create(method.input, request), create(method.input, outcome.value.request));
  return (
    <div class="columns exchange" aria-busy={isLoading}>
      <MethodLine method={method} />
      <RequestView method={method} request={request} />
      <ResponseView method={method} outcome={isCurrent ? outcome : undefined} isLoading={isLoading} />
    </div>
  );
}

/** Returns the descriptor of a method. */
function descriptorOf(path: string): DescMethodUnary {
  const methods = Object.values<DescService>(SERVICES).flatMap((service) => service.methods);
  const found = methods
    .filter((method): method is DescMethodUnary => method.methodKind === "unary")
    .find(({ parent, name }) => `${parent.name}/${name}` === path);
  if (found === undefined) {
    throw new Error(`no service has the method ${path}`);
  }
  return found;
}

/** The HTTP method and path, and the name of the RPC. */
function MethodLine({ method }: { readonly method: DescMethodUnary }) {
  const { httpMethod, template } = bindingOf(method);
  return (
    <p class="row meta method-line">
      <code class="verb">{httpMethod}</code>
      <code>{template.source}</code>
      <span class="last">
        {method.parent.name}.<wbr />
        {method.name}
      </span>
    </p>
  );
}

/** The snippets of a request, in tabs. */
function RequestView({
  method,
  request,
}: {
  readonly method: DescMethodUnary;
  readonly request: MessageInitShape<DescMessage>;
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
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <pre class="code" tabIndex={0}>
          {text}
        </pre>
      </Tabs>
    </section>
  );
}

/** The response as REST clients receive it, and the time that it took. */
function ResponseView({
  method,
  outcome,
  isLoading,
}: Pick<ExchangeProps<DescMessage, DescMessage>, "outcome" | "isLoading"> & {
  readonly method: DescMethodUnary;
}) {
  const response = useMemo(
    () =>
      outcome?.ok === true
        ? restResponse(
            method,
            fromJson(method.output, outcome.value.json as JsonObject, { ignoreUnknownFields: true }),
          )
        : undefined,
    [method, outcome],
  );
  const took = outcome?.ok === true ? outcome.value.receivedAt - outcome.value.sentAt : undefined;
  return (
    <section class="card code-card" aria-label={`Response of ${method.name}`}>
      <div class="tab-row">
        <h2 class="card-title">Response</h2>
        {took !== undefined && (
          <span class="took small soft numbers">{Math.max(1, Math.round(took))} ms</span>
        )}
        {response?.kind === "json" && <CopyButton text={response.text} what="the response" />}
      </div>
      {outcome?.ok === false && <ErrorFacts error={outcome.failure} />}
      {outcome === undefined && <p class="empty soft">{isLoading ? "Loading …" : "No request sent yet."}</p>}
      {response?.kind === "json" && <JsonView text={response.text} />}
      {response?.kind === "bytes" && (
        <p class="empty soft">
          <code>{response.contentType}</code>, {response.data.length.toLocaleString("en")} bytes
        </p>
      )}
    </section>
  );
}

/** How many lines of a long response are shown at first. */
const FIRST_LINES = 120;

/** JSON with syntax colors. Long JSON is shortened until the user asks for all of it. */
function JsonView({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => text.split("\n"), [text]);
  const isCut = !isWhole && lines.length > FIRST_LINES;
  const shown = isCut ? lines.slice(0, FIRST_LINES).join("\n") : text;
  const tokens = useMemo(() => jsonTokens(shown), [shown]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
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

/** An error as REST clients receive it. Plain, because the panel shows it as well. */
function ErrorFacts({ error }: { readonly error: ShownError }) {
  const facts = [
    ["status", error.code],
    ["reason", error.reason],
    ["message", error.message],
    ...error.violations.map(({ field, description }) => [field, description] as const),
    ...Object.entries(error.metadata),
  ] as const;
  return (
    <dl class="fact-list empty">
      {facts.map(
        ([name, value], index) =>
          value !== "" && (
            <div key={index}>
              <dt class="code">{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
