import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type FieldPath, resolveFieldPath } from "../../codec/message-field.js";
import type { HttpBinding } from "./http-rule.js";
import { parameterText } from "./parameter-texts.js";
import type { PathTemplate, TemplateSegment, TemplateVariable } from "./path-template.js";

/**
 * Writes the path of a request, percent-encoded. Returns undefined if a field in it is not set, or does not match its variable.
 *
 * @param json the request message
 */
export function writePath({ method, template }: HttpBinding, json: JsonObject): string | undefined {
  const { segments, variables, verb } = template;
  const parts = segments.flatMap((segment, index) => {
    const variable = variables.find(({ start, end }) => start <= index && index < end);
    if (variable === undefined) {
      // A wildcard without a name has no value.
      return segment.kind === "literal" ? encodeURIComponent(segment.value) : undefined;
    }
    const text = () => textAt(json, resolveFieldPath(method.input, variable.fieldPath));
    return variable.start === index ? partOf(text(), variable, template) : [];
  });
  return parts.includes(undefined)
    ? undefined
    : `/${parts.join("/")}${verb === "" ? "" : `:${encodeURIComponent(verb)}`}`;
}

/** The text of a field that is set. */
function textAt(json: JsonObject, path: FieldPath = []): string | undefined {
  const field = path.at(-1);
  const value = path.reduce<JsonValue | undefined>(
    (parent, { jsonName }) => (parent as JsonObject | undefined)?.[jsonName],
    json,
  );
  return field && value !== undefined ? parameterText(field, value as string | number | boolean) : undefined;
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
