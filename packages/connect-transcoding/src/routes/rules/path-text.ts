import type { PathTemplate, TemplateSegment, TemplateVariable } from "./path-template.js";

/**
 * Writes a path of a template, percent-encoded. `textOf` returns the text of a field. Returns undefined if a field has none, or one that
 * does not match its variable.
 */
export function writePath(
  template: PathTemplate,
  textOf: (fieldPath: string) => string | undefined,
): string | undefined {
  const { segments, variables, verb } = template;
  const parts = segments.flatMap((segment, index) => {
    const variable = variables.find(({ start, end }) => start <= index && index < end);
    if (variable === undefined) {
      // A wildcard without a name has no value.
      return segment.kind === "literal" ? encodeURIComponent(segment.value) : undefined;
    }
    return variable.start === index ? partOf(textOf(variable.fieldPath), variable, template) : [];
  });
  return parts.includes(undefined)
    ? undefined
    : `/${parts.join("/")}${verb === "" ? "" : `:${encodeURIComponent(verb)}`}`;
}

function partOf(
  text: string | undefined,
  { start, end, multiSegment }: TemplateVariable,
  { segments }: PathTemplate,
): string | undefined {
  if (text === undefined || text === "") {
    return undefined;
  }
  if (!multiSegment) {
    return encodeURIComponent(text);
  }
  const pattern = segments.slice(start, end).map(patternOf).join("/");
  return new RegExp(`^${pattern}$`, "s").test(text)
    ? text.split("/").map(encodeURIComponent).join("/")
    : undefined;
}

function patternOf(segment: TemplateSegment): string {
  switch (segment.kind) {
    case "literal":
      return segment.value.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    case "rest":
      return ".*";
    case "wildcard":
      return "[^/]+";
  }
}
