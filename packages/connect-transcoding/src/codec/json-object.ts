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

/**
 * Whether a JSON text has as many colons as what it was parsed to has members: then no object has a member twice, for
 * each member has a colon and the parser has dropped none. A colon in a string, of which there may be none, makes it false.
 */
export function hasOneMemberPerColon(json: string, value: JsonValue): boolean {
  let colons = 0;
  for (let index = json.indexOf(":"); index !== -1; index = json.indexOf(":", index + 1)) {
    colons += 1;
  }
  return countMembers(value, MAX_COUNTED_DEPTH) === colons;
}

/** How deep members are counted; there is more room on the stack. */
const MAX_COUNTED_DEPTH = 200;

/** The members of all objects in a value; not a number for one that is nested more deeply than `depth`. */
function countMembers(value: JsonValue, depth: number): number {
  if (typeof value !== "object" || value === null) {
    return 0;
  }
  if (depth === 0) {
    return Number.NaN;
  }
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      count += countMembers(item, depth - 1);
    }
  } else {
    for (const name of Object.keys(value)) {
      count += 1 + countMembers(value[name] ?? null, depth - 1);
    }
  }
  return count;
}

/**
 * The name of a member that some object of a JSON text has twice; undefined where there is none. JSON.parse keeps the
 * last of them without a word, where RFC 8259 (section 4) calls the outcome unpredictable. `json` must be valid JSON.
 */
export function duplicateMember(json: string): string | undefined {
  // The names in each object around the current place, once there are some; undefined for an array.
  const around: (Set<string> | "no names yet" | undefined)[] = [];
  let nameComesNext = false;
  // Strings, brackets and commas are all that matters to tell the names of members from values.
  for (let index = 0; index < json.length; index++) {
    switch (json.charCodeAt(index)) {
      case OPENING_BRACE:
        around.push("no names yet");
        nameComesNext = true;
        break;
      case OPENING_BRACKET:
        around.push(undefined);
        nameComesNext = false;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        around.pop();
        nameComesNext = false;
        break;
      case COMMA:
        nameComesNext = around[around.length - 1] !== undefined;
        break;
      case QUOTE: {
        const end = closingQuote(json, index);
        if (nameComesNext) {
          nameComesNext = false;
          const name = readName(json, index, end);
          const known = around[around.length - 1];
          const names = known instanceof Set ? known : new Set<string>();
          if (names.has(name)) {
            return name;
          }
          around[around.length - 1] = names.add(name);
        }
        index = end;
      }
    }
  }
  return undefined;
}

const [OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET, COMMA, QUOTE, BACKSLASH] = [
  0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x22, 0x5c,
] as const;

/** Where the string that opens at `start` closes. */
function closingQuote(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) {
    end = json.indexOf('"', end + 1);
  }
  return end === -1 ? json.length : end;
}

/** Whether an odd number of backslashes stands before a place in a string. */
function isEscaped(json: string, index: number): boolean {
  let start = index;
  while (json.charCodeAt(start - 1) === BACKSLASH) {
    start -= 1;
  }
  return (index - start) % 2 === 1;
}

/** The name between two quotes. */
function readName(json: string, start: number, end: number): string {
  const name = json.slice(start + 1, end);
  return name.includes("\\") ? JSON.parse(`"${name}"`) : name;
}
