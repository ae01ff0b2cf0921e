import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";

/** Whether a JSON value is an object. */
export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a member of an object is read as. */
export interface Member {
  readonly field: DescField;
  /** The field's other name; undefined where its proto name is its JSON name. */
  readonly alias: string | undefined;
  readonly takesNull: boolean;
}

/** What the members of a message's JSON object are read as, by their names. */
export function membersByName(desc: DescMessage): ReadonlyMap<string, Member> {
  const fields = fieldsByName(desc);
  return new Map(
    [...fields].map(([name, field]) => {
      const alias = [field.name, field.jsonName].find((each) => each !== name && fields.get(each) === field);
      return [name, { field, alias, takesNull: takesNull(field) }];
    }),
  );
}

/** Whether a member's value is one. ProtoJSON: null stands for a field that is not there. */
export function isGiven(member: Member, value: JsonValue): boolean {
  return value !== null || member.takesNull;
}

/** Whether an object has a field under its other name as well, and there first. */
export function isGivenBefore(object: JsonObject, name: string, member: Member): boolean {
  const { alias } = member;
  if (alias === undefined || !Object.hasOwn(object, alias)) {
    return false;
  }
  const names = Object.keys(object);
  return names.indexOf(alias) < names.indexOf(name) && isGiven(member, object[alias] ?? null);
}

/** The fields of a message by their proto names and their JSON names. */
export function fieldsByName(desc: DescMessage): ReadonlyMap<string, DescField> {
  return new Map(
    desc.fields.flatMap((field) => [field.jsonName, field.name].map((name) => [name, field] as const)),
  );
}

/** Whether null is a value of the field: elsewhere it stands for a field that is not there. */
export function takesNull(field: DescField): boolean {
  return field.fieldKind === "message" && isValueField(field);
}

/** Whether what a field holds, once or often, can be null. */
export function isValueField({ message }: DescField): boolean {
  return message?.typeName === "google.protobuf.Value";
}
