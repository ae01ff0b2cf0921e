import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { hasOwnForm } from "connect-transcoding/codec";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { fieldLabel } from "../../text/labels.js";

/** A column of rows that are messages of one type: a field, or a field of a nested message. */
export interface Column {
  /** The end of the path that no other column of the message type has: `country`, or `metadata.ip` beside `ip`. */
  readonly name: string;
  /** What people read: `Network operator`. */
  readonly label: string;
  /** The fields from the message down to the value, and their JSON names, joined by dots. */
  readonly fields: readonly DescField[];
  readonly path: string;
  /** Whether it is in a nested message that responses may lack. */
  readonly isOptional: boolean;
}

/** The depth to which nested fields are columns of their own. */
const MAX_DEPTH = 4;

/** The columns of a message type, in the order of its fields. A list or map is one column. */
export function columnsOf(desc: DescMessage): Column[] {
  const leaves = leavesOf(desc, [], false);
  const paths = leaves.map(({ path }) => path);
  const labels = leaves.map(({ fields }) => fields.map(fieldLabel));
  const ends = labels.map((each) => each.at(-1));
  return leaves.map((leaf, index) => {
    const [label = "", parent] = labels[index]?.toReversed() ?? [];
    const isShared = parent !== undefined && ends.indexOf(label) !== ends.lastIndexOf(label);
    // If several columns have a label, that of the message precedes it: `Country name`.
    return {
      ...leaf,
      name: shortName(leaf.path, paths),
      label: isShared ? `${parent} ${uncapitalized(label)}` : label,
    };
  });
}

/** An abbreviation such as `IP` stays in capital letters. */
function uncapitalized(text: string): string {
  return /^\p{Lu}\p{Ll}/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

function leavesOf(
  desc: DescMessage,
  above: readonly DescField[],
  isOptional: boolean,
): Omit<Column, "name" | "label">[] {
  return desc.fields.flatMap((field) => {
    const fields = [...above, field];
    return field.fieldKind === "message" && !hasOwnForm(field.message) && fields.length < MAX_DEPTH
      ? leavesOf(field.message, fields, isOptional || !fieldDocsOf(field).required)
      : [{ fields, path: fields.map(({ jsonName }) => jsonName).join("."), isOptional }];
  });
}

/** The shortest end of a path that no other path has. A path of one name is that name. */
function shortName(path: string, all: readonly string[]): string {
  const names = path.split(".");
  const ends = names.map((_, index) => names.slice(-1 - index).join("."));
  return ends.find((end) => all.filter((other) => hasEnd(other, end)).length === 1) ?? path;
}

/** Whether a path ends with the names of another one. */
function hasEnd(path: string, end: string): boolean {
  return `.${path}`.endsWith(`.${end}`);
}

/** Names that stand for several columns, by their label. */
export type ColumnGroups = readonly { readonly label: string; readonly fields: readonly string[] }[];

/**
 * Selects columns by names: whole paths, or ends of paths that only one column has, or labels. The name of a nested message stands
 * for all of its columns. The failure lists the names that are available.
 */
export function selectColumns(
  all: readonly Column[],
  given: readonly string[],
  groups: ColumnGroups = [],
): Result<readonly Column[], Failure<"UNKNOWN_FIELD" | "AMBIGUOUS_FIELD">> {
  const selected = new Set<Column>();
  const paths = [...new Set(all.flatMap(({ path }) => prefixes(path)))];
  const matchesOf = (name: string) =>
    paths.includes(name) ? [name] : paths.filter((path) => hasEnd(path, name));
  /** The names that a given one stands for: itself if it is that of a field, and otherwise those with this label. */
  const namesOf = (name: string): readonly string[] => {
    const isLabel = (each: { readonly label: string }) => comparable(each.label) === comparable(name);
    return matchesOf(name).length > 0
      ? [name]
      : (groups.find(isLabel)?.fields ?? [all.find(isLabel)?.path ?? name]);
  };
  for (const name of given.flatMap(namesOf)) {
    const [path, ...others] = matchesOf(name);
    if (path === undefined) {
      const available = all.map((column) => column.name).join(", ");
      return fail("UNKNOWN_FIELD", `--fields: there is no field '${name}'; available: ${available}`);
    }
    if (others.length > 0) {
      return fail("AMBIGUOUS_FIELD", `--fields: '${name}' can be ${[path, ...others].join(" or ")}`);
    }
    for (const column of all.filter((each) => `${each.path}.`.startsWith(`${path}.`))) {
      selected.add(column);
    }
  }
  return ok([...selected]);
}

/** A label without differences of case, and between `_`, `-` and a space. */
function comparable(label: string): string {
  return label.toLowerCase().replaceAll(/[\s_-]+/g, " ");
}

/** A path and the paths around it, from the outermost on: `a`, `a.b` and `a.b.c`. */
export function prefixes(path: string, separator = "."): string[] {
  const names = path.split(separator);
  return names.map((_, index) => names.slice(0, index + 1).join(separator));
}

/** The text of a cell; empty without a value. */
export function cellOf(row: JsonValue | undefined, column: Column): string {
  return plainValue(valueAt(row, column.path));
}

/** The value at a path of names, joined by dots; undefined if the path leads nowhere. */
export function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path
    .split(".")
    .reduce<JsonValue | undefined>((parent, name) => (isObject(parent) ? parent[name] : undefined), value);
}

/** The part of a JSON value that columns select, in their order. Applies to each element of an array. */
export function selectValues(value: JsonValue, columns: readonly Column[]): JsonValue {
  if (Array.isArray(value)) {
    return value.map((each) => selectValues(each, columns));
  }
  const selected: JsonObject = {};
  for (const { path } of columns) {
    const found = valueAt(value, path);
    const names = path.split(".");
    const last = names.pop();
    if (found !== undefined && last !== undefined) {
      let parent = selected;
      for (const name of names) {
        const child = isObject(parent[name]) ? parent[name] : {};
        parent[name] = child;
        parent = child;
      }
      parent[last] = found;
    }
  }
  return selected;
}

/** A JSON value as text: lists of plain values are joined by commas, other nested values are JSON. */
export function plainValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) {
    return "";
  }
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) {
    return value.join(", ");
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
