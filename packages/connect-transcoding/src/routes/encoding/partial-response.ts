import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { fieldsByName } from "../../codec/json/members.js";
import { hasOwnForm } from "../../codec/value-parser.js";
import { abbreviate } from "../../errors/http-error.js";

/** The fields of a partial response: for each name those of its message; undefined for all of them. */
interface FieldTree {
  readonly [name: string]: FieldTree | undefined;
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

  function list(parent: DescMessage | undefined, depth: number): FieldTree {
    const trees = [item(parent, depth)];
    while (tokens[position] === ",") {
      position++;
      trees.push(item(parent, depth));
    }
    return trees.reduce(merge);
  }

  function item(parent: DescMessage | undefined, depth: number): FieldTree {
    const name = tokens[position++] ?? fail();
    if (/^[,/.()]?$/.test(name) || depth > MAX_DEPTH) {
      return fail();
    }
    const field = name === "*" ? undefined : fieldNamed(name, parent);
    const below = nested(name === "*" ? undefined : field && messageOf(field), depth + 1);
    const names = field === undefined ? [name] : [...new Set([field.name, field.jsonName])];
    return Object.fromEntries(names.map((each) => [each, below]));
  }

  function nested(parent: DescMessage | undefined, depth: number): FieldTree | undefined {
    switch (tokens[position]) {
      case "/":
      case ".":
        position++;
        return item(parent, depth);
      case "(": {
        position++;
        const tree = list(parent, depth);
        return tokens[position++] === ")" ? tree : fail();
      }
      default:
        return undefined;
    }
  }

  const tree = list(desc, 0);
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

function merge(a: FieldTree, b: FieldTree): FieldTree {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const [first, second] = [a[name], b[name]];
      const isWhole =
        (Object.hasOwn(a, name) && first === undefined) || (Object.hasOwn(b, name) && second === undefined);
      return [name, isWhole ? undefined : first && second ? merge(first, second) : (first ?? second)];
    }),
  );
}

function reduce(value: unknown, tree: FieldTree | undefined): unknown {
  if (tree === undefined || typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((each) => reduce(each, tree));
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    const isNamed = Object.hasOwn(tree, name);
    return isNamed || Object.hasOwn(tree, "*")
      ? [[name, reduce(member, isNamed ? tree[name] : tree["*"])]]
      : [];
  });
  return Object.fromEntries(members);
}
