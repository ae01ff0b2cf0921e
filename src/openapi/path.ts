import type { PathTemplate, TemplateVariable } from "../transcoding/path-template.js";

/** A wildcard of a path template, as the parameter that stands for it. */
export interface PathWildcard {
  readonly name: string;
  /** The field that it fills, alone or as a part; undefined where it fills none. */
  readonly fieldPath: string | undefined;
  /** What the field is made of, with the wildcards by name: `shelves/{name}`. */
  readonly fieldValue: string;
  /** The position of its segment in the field's value. */
  readonly position: number;
  /** Whether it can span several segments. */
  readonly spansRest: boolean;
}

/** A path template as OpenAPI has them: each wildcard a parameter of one segment. */
export interface OpenApiPath {
  readonly path: string;
  /** What the path is without the names in it; two paths of the same shape are one to OpenAPI. */
  readonly shape: string;
  readonly wildcards: readonly PathWildcard[];
}

/**
 * Writes a template as OpenAPI has paths. OpenAPI has no parameter with a slash in it, so that `{name=shelves/*}`
 * becomes `shelves/{name}`, and of several wildcards in one variable each gets a number. `names` are used instead
 * where they are given.
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
        position: index - (variable?.start ?? index),
        spansRest: kind === "rest",
      },
    ];
  });
  const verb = template.verb === "" ? "" : `:${encodeSegment(template.verb)}`;
  const path = `/${texts.join("/")}${verb}`;
  return { path, shape: path.replaceAll(/\{[^}]*\}/g, "{}"), wildcards };
}

/** A name for each wildcard: that of the field, with a number where the field has several; each once. */
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

/** Percent-encodes what no segment of a path can hold (RFC 3986, section 3.3), and braces. */
function encodeSegment(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);
}
