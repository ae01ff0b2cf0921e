import { objectOf, resolve, textIn } from "./document/json.js";
import type { ReferenceModel, ReferenceOperation } from "./document/model.js";
import { type Html, html } from "./html/html.js";
import { inlineMarkdown } from "./html/markdown.js";

/** An error that an operation can return. */
export interface DocumentedReason {
  readonly status: string;
  /** What programs read; the status if the document has no reasons. */
  readonly reason: string;
  readonly description: string;
}

/** A paragraph of the description of a response: a reason in code, a colon, and when it occurs. */
const REASON = /^`([A-Z][A-Z0-9_]*)`:\s*(.*)$/s;

/** Returns the errors of an operation: one for each reason in the description of a response, or one for the response. */
function errorsOf({ responses }: Pick<ReferenceOperation, "responses">): DocumentedReason[] {
  return responses
    .filter(([status]) => /^[45]|^default$/i.test(status))
    .flatMap(([status, response]) => {
      const description = textIn(response.description);
      const reasons = description.split(/\n\n+/).flatMap((paragraph): DocumentedReason[] => {
        const [, reason, text = ""] = REASON.exec(paragraph) ?? [];
        return reason === undefined ? [] : [{ status, reason, description: text }];
      });
      return reasons.length > 0 ? reasons : [{ status, reason: status, description }];
    });
}

const keyOf = ({ status, reason, description }: DocumentedReason): string =>
  JSON.stringify([status, reason, description]);

/** The errors that several operations have, with the same description. */
export interface CommonErrors {
  readonly errors: readonly DocumentedReason[];
  readonly isCommon: (error: DocumentedReason) => boolean;
}

/** Returns the errors that a page describes once, by status. */
export function commonErrors({ operations }: ReferenceModel): CommonErrors {
  const counts = new Map<string, { readonly error: DocumentedReason; count: number }>();
  for (const error of operations.flatMap(errorsOf)) {
    const entry = counts.get(keyOf(error)) ?? { error, count: 0 };
    entry.count++;
    counts.set(keyOf(error), entry);
  }
  const found = [...counts.values()].filter(({ count }) => count > 1).map(({ error }) => error);
  const errors = found.toSorted(
    (a, b) => a.status.localeCompare(b.status) || a.reason.localeCompare(b.reason),
  );
  const keys = new Set(errors.map(keyOf));
  return { errors, isCommon: (error) => keys.has(keyOf(error)) };
}

const idOf = (text: string): string => text.replaceAll(/[^\w.-]+/g, "-");

function statusTag(status: string): Html {
  return html`<span class="tag ${status.startsWith("5") ? "warn" : "wrong"}">${status}</span>`;
}

/** The section of the errors that several operations have. */
export function errorSection({ errors }: CommonErrors, example: Html | undefined): Html | undefined {
  const ids = new Set<string>();
  const rows = errors.map((error) => {
    const { status, reason, description } = error;
    const id = `error-${idOf(reason)}`;
    const own = ids.has(id) ? undefined : id;
    ids.add(id);
    return html`<li${own === undefined ? undefined : html` id="${own}"`}>${statusTag(status)} <a class="name" href="#${id}">${reason}</a><p>${inlineMarkdown(description)}</p></li>`;
  });
  return rows.length === 0
    ? undefined
    : html`<section class="method" aria-labelledby="errors"><div class="doc"><h2 id="errors">Errors</h2><p>These occur in several methods. The other errors of a method are in its section.</p><ul class="errors">${rows}</ul></div><div class="side">${example}</div></section>`;
}

/** The errors of an operation: those of several operations are links. */
export function operationErrors(operation: ReferenceOperation, common: CommonErrors): Html | undefined {
  const errors = errorsOf(operation);
  const own = errors.filter((error) => !common.isCommon(error));
  const shared = errors.filter(common.isCommon);
  if (errors.length === 0) {
    return undefined;
  }
  return html`<details class="fold"><summary>Errors <span class="meta">${errors.length}</span></summary><ul class="errors">${own.map(
    ({ status, reason, description }) => {
      const id = `${operation.anchor}.${idOf(reason)}`;
      return html`<li id="${id}">${statusTag(status)} <a class="name" href="#${id}">${reason}</a><p>${inlineMarkdown(description)}</p></li>`;
    },
  )}${
    shared.length === 0
      ? undefined
      : html`<li class="shared">${shared.map(
          ({ status, reason }) =>
            html`<span id="${operation.anchor}.${idOf(reason)}">${statusTag(status)} <a class="name" href="#error-${idOf(reason)}">${reason}</a></span> `,
        )}</li>`
  }</ul></details>`;
}

/** The first example of an error in a document. */
export function errorExample({
  document,
  operations,
}: ReferenceModel): { status: string; value: unknown } | undefined {
  for (const { responses } of operations) {
    for (const [status, response] of responses.filter(([each]) => /^[45]/.test(each))) {
      for (const content of Object.values(objectOf(response.content))) {
        const [example] = Object.values(objectOf(objectOf(content).examples));
        const value = resolve(document, example).value ?? objectOf(content).example;
        if (value !== undefined) {
          return { status, value };
        }
      }
    }
  }
  return undefined;
}
