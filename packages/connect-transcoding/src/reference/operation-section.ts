import { contentExample, requestExample, sample } from "./document/examples.js";
import { has, listOf, objectOf, resolve, textIn } from "./document/json.js";
import { isJson, nameOf, type OperationCall, type ReferenceOperation } from "./document/model.js";
import type { FindRpc } from "./document/rpc-examples.js";
import { type CommonErrors, operationErrors } from "./errors.js";
import { codeBlock, type ServerUrl, snippetBlock } from "./html/code-block.js";
import { type Html, html } from "./html/html.js";
import { inlineMarkdown, markdown } from "./html/markdown.js";
import { indentedJson, propertyRows, type Row, rowList, schemaFields, typeText } from "./schema-section.js";
import { type KeyHeader, snippetsOf } from "./snippets.js";
import { tryIt } from "./try-it.js";

/** What the sections of operations share. */
export interface SectionContext {
  readonly document: unknown;
  readonly common: CommonErrors;
  readonly server: ServerUrl;
  readonly key: KeyHeader | undefined;
  readonly findRpc: FindRpc;
}

/** The section of an operation: its documentation, and beside it its examples. */
export function operationSection(operation: ReferenceOperation, context: SectionContext): Html {
  const { anchor, summary, httpMethod, path, isDeprecated, calls } = operation;
  const { document, common } = context;
  const methods = calls.filter(({ description }) => description !== "");
  const title = methods.length > 0 ? methods.map(({ name }) => name).join(" or ") : summary;
  const name = nameOf(operation);
  return html`<section class="method" aria-labelledby="${anchor}"><div class="doc"><h3 id="${anchor}"><a href="#${anchor}">${inlineMarkdown(title)}</a>${
    isDeprecated ? html` <span class="tag warn">deprecated</span>` : undefined
  }</h3><p class="route"><span class="verb">${httpMethod}</span> <code>${path}</code> ${
    name === title ? undefined : html`<span class="meta">${name}</span>`
  }</p>${descriptionOf(operation)}${parameterLists(document, operation)}${
    methods.length === 0
      ? bodyFields(document, operation)
      : methods.map((call) => methodFields(document, operation, call))
  }${responseList(document, operation)}${operationErrors(operation, common)}${tryIt(document, operation)}</div><div class="side">${calls.map(
    (call) => callExamples(operation, call, context),
  )}</div></section>`;
}

/** The description, without the first sentence that is the heading already. */
function descriptionOf({ description, summary }: ReferenceOperation): Html {
  const [first = "", ...others] = description.split("\n\n");
  const isRepeated = first.startsWith(summary) && /^\.?(?:\s|$)/.test(first.slice(summary.length));
  const rest = isRepeated ? first.slice(summary.length).replace(/^\.?\s*/, "") : first;
  return markdown([rest, ...others].join("\n\n"));
}

const PLACES: readonly (readonly [string, string])[] = [
  ["path", "Path parameters"],
  ["query", "Query parameters"],
  ["header", "Headers"],
  ["cookie", "Cookies"],
];

function parameterLists(document: unknown, { parameters }: ReferenceOperation): Html[] {
  return PLACES.flatMap(([place, title]) => {
    const rows = parameters
      .filter((parameter) => parameter.in === place)
      .map(
        (parameter): Row => ({
          name: textIn(parameter.name),
          schema: parameter.schema ?? objectOf(Object.values(objectOf(parameter.content))[0]).schema,
          isRequired: parameter.required === true,
          isDeprecated: parameter.deprecated === true,
          description: textIn(parameter.description),
        }),
      );
    return rows.length === 0 ? [] : [html`<h4>${title}</h4>${rowList(document, rows)}`];
  });
}

function bodyFields(document: unknown, { body }: ReferenceOperation): Html | undefined {
  return body === undefined
    ? undefined
    : html`<h4>Body <span class="meta">${body.mediaType}${body.isRequired ? undefined : ", optional"}</span></h4>${schemaFields(document, body.content.schema)}`;
}

/** A method that shares its path with others: its description, and its alternative of the body. */
function methodFields(
  document: unknown,
  operation: ReferenceOperation,
  { name, anchor, description }: OperationCall,
): Html {
  const { body } = operation;
  const schema =
    body && alternativeOf(document, body.content.schema, contentExample(document, body.content, name));
  const fields = schema === undefined ? [] : propertyRows(document, schema);
  return html`<div class="call"><h4 id="${anchor}"><a href="#${anchor}">${name}</a></h4>${markdown(
    description
      .replace(`**${name}**, `, "")
      .replace(
        /^(with(?:out)? [^:]*): /,
        (_, condition: string) => `${condition.charAt(0).toUpperCase()}${condition.slice(1)}.\n\n`,
      ),
  )}${fields.length === 0 ? undefined : rowList(document, fields)}</div>`;
}

/** The alternative of a schema whose constants are those of an example. */
function alternativeOf(document: unknown, value: unknown, example: unknown): unknown {
  const schema = resolve(document, value);
  return listOf(schema.oneOf).find((alternative) =>
    Object.entries(objectOf(resolve(document, alternative).properties)).every(([name, property]) => {
      const { const: constant } = objectOf(property);
      return constant === undefined || objectOf(example)[name] === constant;
    }),
  );
}

/** What an operation returns if it succeeds. */
function responseList(document: unknown, { responses }: ReferenceOperation): Html | undefined {
  const rows = responses
    .filter(([status]) => /^[123]/.test(status))
    .map(([status, response]) => {
      const contents = Object.entries(objectOf(response.content)).map(([mediaType, content]) => {
        const { schema } = objectOf(content);
        return html`<p class="meta">${mediaType}${schema === undefined ? undefined : html`: ${typeText(document, schema)}`}</p>`;
      });
      const headers = Object.keys(objectOf(response.headers));
      return html`<li><span class="tag good">${status}</span> ${inlineMarkdown(textIn(response.description))}${contents}${
        headers.length === 0 ? undefined : html`<p class="meta">Headers: ${headers.join(", ")}</p>`
      }</li>`;
    });
  return rows.length === 0 ? undefined : html`<h4>Responses</h4><ul class="errors">${rows}</ul>`;
}

/** The first request of an operation, without its response. */
export function firstRequest(
  operation: ReferenceOperation,
  { document, server, key, findRpc }: SectionContext,
): Html {
  const [{ name = "" } = {}] = operation.calls;
  const request = requestExample(document, operation, name);
  return snippetBlock(
    snippetsOf(request, findRpc(name, operation.tag), key),
    "Language, first request",
    server,
  );
}

function callExamples(
  operation: ReferenceOperation,
  call: OperationCall,
  { document, server, key, findRpc }: SectionContext,
): Html {
  const { name } = call;
  const request = requestExample(document, operation, name);
  const snippets = snippetsOf(request, findRpc(name, operation.tag), key);
  const isOne = operation.calls.length === 1;
  const label = isOne ? "Language" : `Language, ${name}`;
  // A method has its ID beside its description; an example has it here.
  const heading = isOne
    ? undefined
    : html`<h4${call.description === "" ? html` id="${call.anchor}"` : undefined}>${name}</h4>`;
  return html`${heading}${snippetBlock(snippets, label, server)}${responseExample(document, operation, name)}`;
}

function responseExample(
  document: unknown,
  { responses }: ReferenceOperation,
  call: string,
): Html | undefined {
  for (const [status, response] of responses.filter(([each]) => each.startsWith("2"))) {
    for (const [mediaType, value] of Object.entries(objectOf(response.content))) {
      const content = objectOf(value);
      const isExemplified = has(content.examples, call) || content.examples === undefined;
      if (isExemplified && isJson(mediaType) && content.schema !== undefined) {
        const example = contentExample(document, content, call) ?? sample(document, content.schema);
        return codeBlock(`Response · ${status} · ${mediaType}`, indentedJson(example));
      }
    }
  }
  return undefined;
}
