import type { DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { hasOwnForm } from "../codec/well-known-types.js";

/** How deep messages can be nested in a request; as in other implementations of protobuf. */
export const MAX_DEPTH = 100;

/** The fields from a message down to one of its leaves. */
export type FieldPath = readonly DescField[];

/**
 * Finds the fields that a dotted path names, each step by proto name or by JSON name. Undefined when there is no
 * such field, or when a step but the last is not a single message with fields of its own, or when the path is longer than {@link MAX_DEPTH}.
 */
export function resolveFieldPath(message: DescMessage, path: string): FieldPath | undefined {
  const fields: DescField[] = [];
  let parent: DescMessage | undefined = message;
  const names = path.split(".");
  if (names.length > MAX_DEPTH) {
    return undefined;
  }
  for (const name of names) {
    const field: DescField | undefined = parent?.fields.find(
      (each) => each.name === name || each.jsonName === name,
    );
    if (field === undefined) {
      return undefined;
    }
    fields.push(field);
    parent = field.fieldKind === "message" && !hasOwnForm(field.message) ? field.message : undefined;
  }
  return fields;
}

/** The path in proto names, which is how `google.rpc.BadRequest` names a field. */
export function protoPath(path: FieldPath): string {
  return path.map(({ name }) => name).join(".");
}

/** The path in JSON names, which is how a caller over HTTP would write it. */
export function jsonPath(path: FieldPath): string {
  return path.map(({ jsonName }) => jsonName).join(".");
}

/** The full name of a method, for example `utilitytools.v1.GeoIpService.LookupIp`. */
export function methodName({ parent, name }: DescMethod): string {
  return `${parent.typeName}.${name}`;
}
