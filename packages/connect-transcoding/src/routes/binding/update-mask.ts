import { create, type DescField, type Message } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { isJsonObject, type JsonData } from "../../codec/json/data.js";
import { membersByName } from "../../codec/json/members.js";
import { fieldWriter, placeOf, readField } from "../../codec/message-field.js";
import { enumParser, hasOwnForm } from "../../codec/value-parser.js";
import type { HttpBinding } from "../rules/http-rule.js";
import type { Parameter } from "./request-parameters.js";

/** Fills the field mask of a PATCH request from the members of its body, if the client has sent none. */
export type FillUpdateMask = (message: Message, parameters: readonly Parameter[]) => void;

/** The deepest path in a mask: deeper members count as a whole. */
const MAX_DEPTH = 32;

/**
 * Returns the function that fills the `update_mask` of a binding; undefined for a binding without one: it is for `PATCH` and a body that is
 * a message, with a field `update_mask` beside it. https://google.aip.dev/134
 */
export function updateMaskFiller({ httpMethod, body, method }: HttpBinding): FillUpdateMask | undefined {
  const mask = method.input.fields.find(({ name }) => name === "update_mask");
  if (
    httpMethod !== "PATCH" ||
    body.kind !== "field" ||
    body.raw ||
    body.field.fieldKind !== "message" ||
    mask?.fieldKind !== "message" ||
    mask.message.typeName !== FieldMaskSchema.typeName
  ) {
    return undefined;
  }
  const { field } = body;
  const [place, write] = [placeOf(mask), fieldWriter(mask)];
  return (message, parameters) => {
    const given = readField(place, message) as { readonly paths?: readonly string[] } | undefined;
    if ((given?.paths?.length ?? 0) > 0) {
      return;
    }
    const inBody = parameters.find(({ name, source }) => source === "json" && name === field.jsonName);
    const paths = (inBody && pathsOf(inBody.value, field, 0)) ?? [];
    if (paths.length > 0) {
      write(message, create(FieldMaskSchema, { paths: [...new Set(paths)] }));
    }
  };
}

/**
 * Returns the paths of the members of a value in proto names, relative to it. Members that are ignored have none. Returns undefined for a
 * value that counts as a whole: an empty message, a list, a map, and a message with a form of its own.
 */
function pathsOf(
  value: JsonData,
  { message, fieldKind }: DescField,
  depth: number,
): readonly string[] | undefined {
  if (
    fieldKind !== "message" ||
    message === undefined ||
    hasOwnForm(message) ||
    !isJsonObject(value) ||
    Object.keys(value).length === 0 ||
    depth > MAX_DEPTH
  ) {
    return undefined;
  }
  const members = membersByName(message);
  return Object.entries(value).flatMap(([name, member]) => {
    const field = members.get(name)?.field;
    if (field === undefined || isUnknownEnumName(field, member)) {
      return [];
    }
    const below = pathsOf(member, field, depth + 1);
    return below === undefined ? [field.name] : below.map((path) => `${field.name}.${path}`);
  });
}

/** Whether a value is a name that an enum does not have. A request with one is rejected, unless such names are ignored. */
function isUnknownEnumName(field: DescField, value: JsonData): boolean {
  return field.fieldKind === "enum" && typeof value === "string" && !enumParser(field.enum)(value).ok;
}
