import { contentExample, parameterExample, requestExample, typesOf, valueText } from "./document/examples.js";
import { listOf, objectOf, resolve, textIn } from "./document/json.js";
import { isJson, type OperationBody, type ReferenceOperation } from "./document/model.js";
import { type Html, html } from "./html/html.js";

/** The form that sends a request. The script reads the names of its fields: `query:view`, `path:id`, `header:x`, `body`. */
export function tryIt(document: unknown, operation: ReferenceOperation): Html {
  const { anchor, httpMethod, path, body, calls, parameters } = operation;
  const [first] = calls;
  const call = first?.name ?? "";
  const fields = parameters
    .filter((parameter) => parameter.in !== "cookie")
    .map((parameter) => parameterField(document, operation, parameter, call));
  const choice =
    calls.length < 2
      ? undefined
      : html`<div class="field"><label for="${anchor}-call">Example</label><select class="control" id="${anchor}-call" data-calls>${calls.map(
          ({ name }) =>
            html`<option data-values="${JSON.stringify(valuesOf(document, operation, name))}">${name}</option>`,
        )}</select></div>`;
  return html`<details class="fold try"><summary>Try it</summary><form autocomplete="off" data-method="${httpMethod}" data-path="${path}"${
    body === undefined ? undefined : html` data-media="${body.mediaType}"`
  }>${choice}${fields}${body === undefined ? undefined : bodyField(document, anchor, body, call)}<div class="row"><button class="button" type="submit">Send</button> <span class="meta" role="status"></span></div><div class="answer" hidden></div></form></details>`;
}

/** The texts of the fields in a call, by name. */
function valuesOf(document: unknown, operation: ReferenceOperation, call: string): Record<string, string> {
  const values = operation.parameters.map((parameter): [string, string] => [
    fieldName(parameter),
    fieldText(parameterExample(document, parameter, call)),
  ]);
  const { body } = requestExample(document, operation, call);
  return Object.fromEntries([
    ...values,
    ...(body === undefined ? [] : [["body", bodyText(body.mediaType, body.value)]]),
  ]);
}

function fieldName(parameter: Readonly<Record<string, unknown>>): string {
  return `${textIn(parameter.in)}:${textIn(parameter.name)}`;
}

/** The elements of a list are lines, and so are the members of an object. */
function fieldText(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map(valueText).join("\n");
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value)
        .map(([key, each]) => `${key}=${valueText(each)}`)
        .join("\n")
    : value === undefined
      ? ""
      : valueText(value);
}

/** The forms of fields with a value in each line, by the type of the parameter. */
const LINES: readonly (readonly [type: string, form: string, hint: string])[] = [
  ["array", "list", "one per line"],
  ["object", "map", "one key=value per line"],
];

function bodyText(mediaType: string, value: unknown): string {
  return isJson(mediaType) ? JSON.stringify(value, null, 2) : valueText(value);
}

/** Whether a value is a secret: it is masked, and the browser does not keep it. */
function isSecret(schema: Readonly<Record<string, unknown>>): boolean {
  return schema.format === "password" || schema.writeOnly === true;
}

function parameterField(
  document: unknown,
  { anchor }: ReferenceOperation,
  parameter: Readonly<Record<string, unknown>>,
  call: string,
): Html {
  const schema = resolve(document, parameter.schema);
  const types = typesOf(schema);
  const lines = LINES.find(([type]) => types.includes(type));
  const name = fieldName(parameter);
  const id = `${anchor}-${name.replaceAll(/[^\w.-]+/g, "-")}`;
  const isRequired = parameter.required === true;
  const value = fieldText(parameterExample(document, parameter, call));
  const allowed =
    "const" in schema ? [schema.const] : types[0] === "boolean" ? [true, false] : listOf(schema.enum);
  const attributes = html`class="control mono" id="${id}" name="${name}"${isRequired ? html` required` : undefined} spellcheck="false"`;
  const control = (): Html => {
    if (allowed.length > 0 && lines === undefined) {
      const options = [...(isRequired ? [] : [""]), ...allowed.map(valueText)];
      return html`<select ${attributes}>${options.map(
        (each) =>
          html`<option value="${each}"${each === value ? html` selected` : undefined}>${each === "" ? "–" : each}</option>`,
      )}</select>`;
    }
    if (lines !== undefined) {
      return html`<textarea ${attributes} rows="3" data-lines="${lines[1]}">
${value}</textarea>`;
    }
    return html`<input ${attributes} type="${isSecret(schema) ? "password" : "text"}" autocomplete="off" autocapitalize="none" value="${value}">`;
  };
  const hint = lines && html`<span class="meta">${lines[2]}</span>`;
  return html`<div class="field"><label for="${id}"><code>${textIn(parameter.name)}</code>${
    isRequired ? html` <span class="required">required</span>` : undefined
  } ${hint}</label>${control()}</div>`;
}

function bodyField(
  document: unknown,
  anchor: string,
  { mediaType, content }: OperationBody,
  call: string,
): Html {
  const value = contentExample(document, objectOf(content), call) ?? (isJson(mediaType) ? {} : "");
  const text = bodyText(mediaType, value);
  const rows = Math.min(16, Math.max(4, text.split("\n").length + 1));
  return html`<div class="field"><label for="${anchor}-body">Body <span class="meta">${mediaType}</span></label><textarea class="control mono" id="${anchor}-body" name="body" rows="${rows}" spellcheck="false" autocapitalize="none">
${text}</textarea></div>`;
}
