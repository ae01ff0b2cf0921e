import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { fieldsByName } from "../../codec/json/members.js";
import { hasOwnForm } from "../../codec/value-parser.js";
import { abbreviate } from "../../errors/http-error.js";

/** The fields of a partial response: those of a message. */
interface FieldTree {
  /** Whether all fields are selected. */
  isWhole: boolean;
  /** By name. The names of one field share a tree. */
  readonly members: Map<string, FieldTree>;
}

/** Reduces a JSON value to some of its members. Arrays keep their elements, each reduced. */
export type Reduce = (value: unknown) => unknown;

/** What is wrong with a selection of fields. */
export class InvalidFields extends Error {}

/** The longest text and the deepest nesting of a selection, which also bound the work of reducing a response. */
const MAX_LENGTH = 4096;
const MAX_DEPTH = 32;

/**
 * Parses the `fields` parameter of Google's APIs: names with commas between them, `a.b` or `a/b` for a field of a message, `a(b,c)` for
 * several, and `*` for all fields. Names are those of the proto file or of JSON. Throws {@link InvalidFields}.
 * https://cloud.google.com/apis/docs/system-parameters
 */
export function parseFields(text: string, desc: DescMessage): Reduce {
  if (text.length > MAX_LENGTH) {
    throw new InvalidFields(`is too long; allowed: ${MAX_LENGTH} characters`);
  }
  const tokens =
    text
      .match(/[^,/.()]+|[,/.()]/g)
      ?.map((token) => token.trim())
      .filter((token) => token !== "") ?? [];
  let position = 0;
  const fail = (): never => {
    throw new InvalidFields("must be names of fields, such as `a,b.c,d(e,f)`");
  };

  function list(tree: FieldTree, parent: DescMessage | undefined, depth: number): void {
    item(tree, parent, depth);
    while (tokens[position] === ",") {
      position++;
      item(tree, parent, depth);
    }
  }

  function item({ members }: FieldTree, parent: DescMessage | undefined, depth: number): void {
    const name = tokens[position++] ?? fail();
    if (/^[,/.()]?$/.test(name) || depth > MAX_DEPTH) {
      fail();
    }
    const field = name === "*" ? undefined : fieldNamed(name, parent);
    const tree = members.get(name) ?? { isWhole: false, members: new Map() };
    for (const each of field === undefined ? [name] : [field.name, field.jsonName]) {
      members.set(each, tree);
    }
    nested(tree, field && messageOf(field), depth + 1);
  }

  function nested(tree: FieldTree, parent: DescMessage | undefined, depth: number): void {
    switch (tokens[position]) {
      case "/":
      case ".":
        position++;
        item(tree, parent, depth);
        break;
      case "(":
        position++;
        list(tree, parent, depth);
        if (tokens[position++] !== ")") {
          fail();
        }
        break;
      default:
        tree.isWhole = true;
    }
  }

  const tree: FieldTree = { isWhole: false, members: new Map() };
  list(tree, desc, 0);
  return position < tokens.length ? fail() : (value) => reduce(value, tree);
}

/** Throws for an unknown field. `parent` is undefined where anything can be: in maps and in messages with a form of their own. */
function fieldNamed(name: string, parent: DescMessage | undefined): DescField | undefined {
  const field = parent && fieldsByName(parent).get(name);
  if (parent !== undefined && field === undefined) {
    throw new InvalidFields(`'${abbreviate(name)}' is not a field of ${parent.typeName}`);
  }
  return field;
}

function messageOf({ message, fieldKind }: DescField): DescMessage | undefined {
  return message === undefined || fieldKind === "map" || hasOwnForm(message) ? undefined : message;
}

function reduce(value: unknown, { isWhole, members }: FieldTree): unknown {
  if (isWhole || typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((each) => reduce(each, { isWhole, members }));
  }
  const others = members.get("*");
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const tree = members.get(name) ?? others;
      return tree === undefined ? [] : [[name, reduce(member, tree)]];
    }),
  );
}
