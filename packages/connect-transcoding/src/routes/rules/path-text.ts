import { type DescField, type JsonObject, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence as Presence } from "@bufbuild/protobuf/wkt";
import { type FieldPath, resolveFieldPath } from "../../codec/message-field.js";
import type { HttpBinding } from "./http-rule.js";
import { parameterText } from "./parameter-texts.js";
import type { TemplateSegment } from "./path-template.js";

/**
 * Writes the path of a request, percent-encoded. Returns undefined if a field in it is not set, does not match its variable, or would
 * change the path: `.` and `..` are removed by every URL parser, and empty segments by many servers.
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
    const { start, end, fieldPath, multiSegment } = variable;
    if (start !== index) {
      return [];
    }
    const text = textAt(json, resolveFieldPath(method.input, fieldPath));
    const values = multiSegment ? text?.split("/") : text === undefined ? text : [text];
    return values !== undefined && fits(values, segments.slice(start, end))
      ? values.map(encodeURIComponent)
      : undefined;
  });
  return parts.includes(undefined)
    ? undefined
    : `/${parts.join("/")}${verb === "" ? "" : `:${encodeURIComponent(verb)}`}`;
}

/** The text of a field that is set or, in a message that is set, has its default value. */
function textAt(json: JsonObject, path: FieldPath = []): string | undefined {
  const field = path.at(-1);
  const parent = path
    .slice(0, -1)
    .reduce<JsonValue | undefined>(
      (each, { jsonName }) => (each as JsonObject | undefined)?.[jsonName],
      json,
    );
  if (field === undefined || parent === undefined) {
    return undefined;
  }
  const { [field.jsonName]: value = defaultOf(field) } = parent as JsonObject;
  return value === undefined ? undefined : parameterText(field, value as string | number | boolean | null);
}

/** The value of a field that ProtoJSON leaves out; undefined for a field that is unset then. */
function defaultOf({ presence, fieldKind, scalar, enum: type }: DescField): string | undefined {
  if (presence !== Presence.IMPLICIT) {
    return undefined;
  }
  if (fieldKind === "enum") {
    return type?.values[0]?.name;
  }
  const isText = scalar === ScalarType.STRING || scalar === ScalarType.BYTES;
  return isText ? "" : scalar === ScalarType.BOOL ? "false" : "0";
}

/** Whether the segments of a value match those of its variable, and stay as they are in a URL. */
function fits(values: readonly string[], segments: readonly TemplateSegment[]): boolean {
  const rest = segments.findIndex(({ kind }) => kind === "rest");
  const added = values.length - segments.length;
  if (rest === -1 ? added !== 0 : added < -1) {
    return false;
  }
  return values.every((value, index) => {
    const segment = segments[rest === -1 || index < rest ? index : Math.max(index - added, rest)];
    // Half of a surrogate pair has no UTF-8.
    const isKept = !["", ".", ".."].includes(value) && !/\p{Surrogate}/u.test(value);
    return isKept && (segment?.kind !== "literal" || segment.value === value);
  });
}
