import { typesOf } from "./document/examples.js";
import { listOf, objectOf, resolve, schemaName, textIn } from "./document/json.js";
import { escapeHtml, type Html, html, separated } from "./html/html.js";
import { markdown } from "./html/markdown.js";

/** Returns the ID of the section of a component. */
function typeAnchor(name: string): string {
  return `type-${name.replaceAll(/[^\w.-]+/g, "-")}`;
}

/** The depth of types in a type: beyond it, a link or `object` stands for them. */
const MAX_DEPTH = 4;

/** Writes a type: links for components, `array of` for lists, `or` for alternatives. */
export function typeText(document: unknown, value: unknown, depth = 0): Html {
  const name = schemaName(value);
  if (name !== undefined) {
    return html`<a href="#${typeAnchor(name)}">${name}</a>`;
  }
  const schema = resolve(document, value);
  const alternatives = [...listOf(schema.oneOf), ...listOf(schema.anyOf)];
  const isText = typesOf(schema).includes("string");
  if (alternatives.length > 0 && !isText && depth < MAX_DEPTH) {
    return separated(
      alternatives.map((each) => typeText(document, each, depth + 1)),
      " or ",
    );
  }
  const [part, ...others] = listOf(schema.allOf);
  if (part !== undefined && others.length === 0 && depth < MAX_DEPTH) {
    return typeText(document, part, depth + 1);
  }
  const types = typesOf(schema);
  if (types.includes("array") && depth < MAX_DEPTH) {
    return html`array of ${typeText(document, schema.items, depth + 1)}`;
  }
  const values = schema.additionalProperties;
  if (types.includes("object") && typeof values === "object" && depth < MAX_DEPTH) {
    return html`map of ${typeText(document, values, depth + 1)}`;
  }
  const format = textIn(schema.format);
  return html`${types.join(" or ") || "any"}${format === "" ? undefined : ` (${format})`}`;
}

const NUMBERS: readonly (readonly [string, string])[] = [
  ["minimum", "at least"],
  ["exclusiveMinimum", "more than"],
  ["maximum", "at most"],
  ["exclusiveMaximum", "less than"],
];

/** Returns the limits of a value in words. */
function limitsOf(document: unknown, value: unknown): Html[] {
  const schema = resolve(document, value);
  const code = (each: unknown): Html => html`<code>${JSON.stringify(each)}</code>`;
  const allowed = listOf(schema.enum);
  return [
    ...("const" in schema ? [html`always ${code(schema.const)}`] : []),
    ...(allowed.length > 0 ? [html`one of ${separated(allowed.map(code), ", ")}`] : []),
    ...NUMBERS.flatMap(([name, words]) =>
      typeof schema[name] === "number" ? [html`${words} ${schema[name]}`] : [],
    ),
    ...range(schema.minLength, schema.maxLength, "characters"),
    ...range(schema.minItems, schema.maxItems, "elements"),
    ...range(schema.minProperties, schema.maxProperties, "members"),
    ...(schema.uniqueItems === true ? [html`no element twice`] : []),
    ...patternOf(textIn(schema.pattern)),
    ...("default" in schema ? [html`default ${code(schema.default)}`] : []),
  ];
}

/** The length of a pattern that people read. Longer ones are left out: the description says what they mean. */
const MAX_PATTERN = 48;

function patternOf(pattern: string): Html[] {
  if (pattern === "") {
    return [];
  }
  const text = readable(pattern);
  return text.length > MAX_PATTERN ? [] : [html`matches <code>${text}</code>`];
}

/** A pattern can contain marks that change the direction of text. */
function readable(pattern: string): string {
  return pattern.replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`,
  );
}

function range(minimum: unknown, maximum: unknown, unit: string): Html[] {
  const [from, to] = [minimum, maximum].map((each) => (typeof each === "number" ? each : undefined));
  if (to === undefined) {
    return from === undefined || from === 0
      ? []
      : [html`at least ${from} ${from === 1 ? unit.slice(0, -1) : unit}`];
  }
  return [
    from === undefined || from === 0
      ? html`at most ${to} ${unit}`
      : from === to
        ? html`${to} ${unit}`
        : html`${from} to ${to} ${unit}`,
  ];
}

/** A row of a list of parameters or properties. */
export interface Row {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
  readonly isDeprecated: boolean;
  readonly description: string;
}

/** Lists parameters or properties. */
export function rowList(document: unknown, rows: readonly Row[]): Html {
  return html`<dl class="rows">${rows.map((row) => rowOf(document, row))}</dl>`;
}

function rowOf(document: unknown, { name, schema, isRequired, isDeprecated, description }: Row): Html {
  const limits = limitsOf(document, schema);
  const items = limitsOf(document, objectOf(resolve(document, schema).items));
  return html`<div><dt><code class="name">${name}</code> <span class="meta">${typeText(document, schema)}</span>${
    isRequired ? html` <span class="required">required</span>` : undefined
  }${isDeprecated ? html` <span class="tag warn">deprecated</span>` : undefined}</dt><dd>${
    description === "" ? undefined : markdown(description)
  }${limits.length === 0 ? undefined : html`<p class="meta">${separated(limits, " · ")}</p>`}${
    items.length === 0 ? undefined : html`<p class="meta">each: ${separated(items, " · ")}</p>`
  }</dd></div>`;
}

/** Returns the properties of an object; of a combination, those of all parts. */
export function propertyRows(document: unknown, value: unknown, depth = 0): Row[] {
  const schema = resolve(document, value);
  const required = listOf(schema.required);
  const own = Object.entries(objectOf(schema.properties)).map(
    ([name, property]): Row => ({
      name,
      schema: property,
      isRequired: required.includes(name),
      isDeprecated: objectOf(property).deprecated === true,
      description: textIn(objectOf(property).description),
    }),
  );
  const parts = depth < MAX_DEPTH ? listOf(schema.allOf) : [];
  return [...own, ...parts.flatMap((part) => propertyRows(document, part, depth + 1))];
}

/** The fields of a value: its properties, or its type. */
export function schemaFields(document: unknown, value: unknown): Html {
  const rows = propertyRows(document, value);
  if (rows.length > 0) {
    return rowList(document, rows);
  }
  const schema = resolve(document, value);
  const { $ref: _, ...rest } = { ...schema };
  return html`<p class="meta">${typeText(document, rest)}</p>`;
}

/** The sections of all components. */
export function typeSections(document: unknown): Html | undefined {
  const schemas = Object.entries(objectOf(objectOf(objectOf(document).components).schemas));
  return schemas.length === 0
    ? undefined
    : html`<section class="group" aria-labelledby="types"><h2 id="types">Types</h2>${schemas.map(
        ([name, schema]) =>
          html`<details class="type" id="${typeAnchor(name)}"><summary><h3>${name}</h3></summary>${markdown(
            textIn(objectOf(schema).description),
          )}${schemaFields(document, schema)}</details>`,
      )}</section>`;
}

/** Returns JSON with colors. */
export function indentedJson(value: unknown): Html {
  const text = JSON.stringify(value, null, 2) ?? "";
  const colored = text.replaceAll(
    /("(?:[^"\\]|\\.)*")(:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|[^"\d\-tfn]+|./g,
    (all, string?: string, colon?: string, word?: string) => {
      const kind =
        string === undefined ? (word === undefined ? undefined : "w") : colon === undefined ? "s" : "n";
      return kind === undefined
        ? escapeHtml(all)
        : `<b class="${kind}">${escapeHtml(string ?? all)}</b>${colon ?? ""}`;
    },
  );
  return { html: colored };
}
