import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { isJsonObject, type JsonData } from "../../codec/json/data.js";
import { membersByName } from "../../codec/json/members.js";
import { fieldWriter, placeOf, readField } from "../../codec/message-field.js";
import { enumParser, hasOwnForm } from "../../codec/value-parser.js";
import type { FieldViolation } from "../../errors/errors.js";
import { abbreviate } from "../../errors/http-error.js";
import type { HttpBinding } from "../rules/http-rule.js";
import { NO_VIOLATIONS } from "./controls.js";
import type { Parameter } from "./request-parameters.js";

/** Prepares the field mask of an update, and returns its violations. */
export type PrepareUpdateMask = (
  message: Message,
  parameters: readonly Parameter[],
) => readonly FieldViolation[];

/** The deepest path in a mask: deeper members count as a whole. */
const MAX_DEPTH = 32;

/**
 * Returns the function that prepares the `update_mask` of a binding: it rejects paths that are not in the body's message, and fills the mask
 * of a `PATCH` request that has none from the members of the body. Undefined for a binding without one: it is for a body that is a
 * message, with a field `update_mask` beside it. https://google.aip.dev/134
 */
export function updateMaskOf(
  { httpMethod, body, method }: HttpBinding,
  unknownParameters: "reject" | "ignore",
): PrepareUpdateMask | undefined {
  const mask = method.input.fields.find(({ name }) => name === "update_mask");
  if (
    body.kind !== "field" ||
    body.raw ||
    body.field.fieldKind !== "message" ||
    mask?.fieldKind !== "message" ||
    mask.message.typeName !== FieldMaskSchema.typeName
  ) {
    return undefined;
  }
  const { field } = body;
  const { message: resource } = body.field;
  const [place, write] = [placeOf(mask), fieldWriter(mask)];
  const setPaths = (message: Message, paths: readonly string[]): void =>
    write(message, create(FieldMaskSchema, { paths: [...new Set(paths)] }));
  return (message, parameters) => {
    const { paths: given = [] } = (readField(place, message) ?? {}) as { readonly paths?: readonly string[] };
    if (given.length > 0) {
      const known = given.map((path) => knownPath(resource, path));
      const unknown = unknownParameters === "ignore" ? -1 : known.indexOf(undefined);
      setPaths(
        message,
        given.map((path, index) => known[index] ?? path),
      );
      const { name } = parameters.find((each) => each.name === mask.name) ?? { name: mask.jsonName };
      const description = `names '${abbreviate(given[unknown] ?? "")}', which is not a field of ${resource.typeName}`;
      return unknown === -1 ? NO_VIOLATIONS : [{ field: name, reason: "INVALID_VALUE", description }];
    }
    const inBody =
      httpMethod === "PATCH"
        ? parameters.find(({ name, source }) => source === "json" && name === field.jsonName)
        : undefined;
    const paths = (inBody && pathsOf(inBody.value, field, 0)) ?? [];
    if (paths.length > 0) {
      setPaths(message, paths);
    }
    return NO_VIOLATIONS;
  };
}

/** The field that a step of a mask names. ProtoJSON writes proto names in camel case, which has no underscore before a digit. */
export function fieldOfMask(message: DescMessage, step: string): DescField | undefined {
  const camelCase = step.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return (
    message.fields.find(({ name }) => name === step) ??
    message.fields.find(({ jsonName }) => jsonName === camelCase)
  );
}

/**
 * A path of a mask in proto names; undefined if it is not in a message. What follows a list, a map or a message with a form of its own can be anything, such as a key.
 * https://google.aip.dev/161
 */
function knownPath(message: DescMessage, path: string): string | undefined {
  const steps = path.split(".");
  let parent: DescMessage | undefined = message;
  for (const [index, step] of steps.entries()) {
    if (step === "*") {
      break;
    }
    const field: DescField | undefined = parent && fieldOfMask(parent, step);
    if (field === undefined) {
      return undefined;
    }
    steps[index] = field.name;
    parent = field.message;
    if (field.fieldKind === "list" || field.fieldKind === "map" || (parent && hasOwnForm(parent))) {
      break;
    }
  }
  return steps.join(".");
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
