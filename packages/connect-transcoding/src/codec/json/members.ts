import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { NULL_VALUE } from "../value-parser.js";
import type { JsonData, JsonDataObject } from "./data.js";

/** The field that a member of a JSON object sets. */
export interface Member {
  readonly field: DescField;
  /** The other name of the field; undefined where proto name and JSON name are the same. */
  readonly alias: string | undefined;
  readonly takesNull: boolean;
}

/** The members of the JSON object of a message, by name. */
export function membersByName(desc: DescMessage): ReadonlyMap<string, Member> {
  const fields = fieldsByName(desc);
  return new Map(
    [...fields].map(([name, field]) => {
      const alias = [field.name, field.jsonName].find((each) => each !== name && fields.get(each) === field);
      return [name, { field, alias, takesNull: takesNull(field) }];
    }),
  );
}

/** Whether a member has a value: in ProtoJSON, null means an absent field. */
export function hasValue(member: Member, value: JsonData): boolean {
  return value !== null || member.takesNull;
}

/** Whether an earlier member of an object sets the same field under its other name. */
export function isDuplicate(object: JsonDataObject, name: string, member: Member): boolean {
  const { alias } = member;
  if (alias === undefined || !Object.hasOwn(object, alias)) {
    return false;
  }
  const names = Object.keys(object);
  return names.indexOf(alias) < names.indexOf(name) && hasValue(member, object[alias] ?? null);
}

/** The fields of a message by JSON name and, where that is the JSON name of no other field, by proto name. */
export function fieldsByName({ fields }: DescMessage): ReadonlyMap<string, DescField> {
  return new Map([
    ...fields.map((field) => [field.name, field] as const),
    ...fields.map((field) => [field.jsonName, field] as const),
  ]);
}

/** Whether null is a value of the field; for other fields it means that the field is absent. */
export function takesNull(field: DescField): boolean {
  return field.fieldKind !== "list" && field.fieldKind !== "map" && isValueField(field);
}

/** Whether the elements of a field can be null. */
export function isValueField({ message, enum: values }: DescField): boolean {
  return message?.typeName === "google.protobuf.Value" || values?.typeName === NULL_VALUE;
}
