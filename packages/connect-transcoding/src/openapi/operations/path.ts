import type { PathTemplate, TemplateVariable } from "../../routes/rules/path-template.js";

/** A wildcard of a path template as a path parameter. */
export interface PathWildcard {
  readonly name: string;
  /** The field that it sets, alone or as a part; undefined for a wildcard outside a variable. */
  readonly fieldPath: string | undefined;
  /** The value of the field, with all of its wildcards by name: `shelves/{name}`. */
  readonly fieldValue: string;
  /** The range of its segments in the value of the field, for `slice`: negative indexes count from the end. */
  readonly range: readonly [start: number, end: number | undefined];
  /** Whether it can span several segments. */
  readonly spansRest: boolean;
}

/** A path template in the syntax of OpenAPI, where a parameter is one segment. */
export interface OpenApiPath {
  readonly path: string;
  /** The path without parameter names. OpenAPI does not allow two paths of the same shape. */
  readonly shape: string;
  readonly wildcards: readonly PathWildcard[];
}

/**
 * Converts a path template to the syntax of OpenAPI. A parameter cannot contain a slash, so `{name=shelves/*}` becomes
 * `shelves/{name}`; several wildcards in one variable are numbered. `names` overrides the parameter names.
 */
export function openApiPath(
  template: PathTemplate,
  names: readonly string[] = wildcardNames(template),
): OpenApiPath {
  const nextNames = [...names];
  const nameOfSegment = template.segments.map(({ kind }) =>
    kind === "literal" ? "" : (nextNames.shift() ?? ""),
  );
  const texts = template.segments.map((segment, index) =>
    segment.kind === "literal" ? encodeSegment(segment.value) : `{${nameOfSegment[index]}}`,
  );
  const wildcards = template.segments.flatMap(({ kind }, index): PathWildcard[] => {
    if (kind === "literal") {
      return [];
    }
    const variable = variableAt(template, index);
    return [
      {
        name: nameOfSegment[index] ?? "",
        fieldPath: variable?.fieldPath,
        fieldValue: texts.slice(variable?.start ?? index, variable?.end ?? index + 1).join("/"),
        range: rangeOf(template, variable, index),
        spansRest: kind === "rest",
      },
    ];
  });
  const verb = template.verb === "" ? "" : `:${encodeSegment(template.verb)}`;
  const path = `/${texts.join("/")}${verb}`;
  return { path, shape: path.replaceAll(/\{[^}]*\}/g, "{}"), wildcards };
}

/** The segments of a wildcard in the value of its variable. Those after `**` are counted from the end. */
function rangeOf(
  { segments }: PathTemplate,
  { start, end }: Pick<TemplateVariable, "start" | "end"> = { start: 0, end: 0 },
  index: number,
): PathWildcard["range"] {
  const rest = segments.findIndex(({ kind }) => kind === "rest");
  const first = rest !== -1 && index > rest ? index - end : index - start;
  const last = rest !== -1 && index >= rest ? index + 1 - end : index + 1 - start;
  return [first, last === 0 ? undefined : last];
}

/** Unique names for the wildcards: the field of each, with a number if the field has several. */
function wildcardNames(template: PathTemplate): string[] {
  const names: string[] = [];
  for (const [index, { kind }] of template.segments.entries()) {
    if (kind !== "literal") {
      const variable = variableAt(template, index);
      const base = variable?.fieldPath ?? "segment";
      const isOnly = variable !== undefined && wildcardsIn(template, variable) === 1;
      let number = 1;
      let name = isOnly ? base : `${base}_1`;
      while (names.includes(name)) {
        number += 1;
        name = `${base}_${number}`;
      }
      names.push(name);
    }
  }
  return names;
}

function variableAt({ variables }: PathTemplate, index: number): TemplateVariable | undefined {
  return variables.find(({ start, end }) => start <= index && index < end);
}

function wildcardsIn({ segments }: PathTemplate, { start, end }: TemplateVariable): number {
  return segments.slice(start, end).filter(({ kind }) => kind !== "literal").length;
}

/** Percent-encodes braces and all characters that a path segment cannot contain (RFC 3986, section 3.3). */
function encodeSegment(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);
}
