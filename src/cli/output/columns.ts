import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { hasOwnForm, type MessageInit, placeOf, readField } from "connect-transcoding/codec";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { fieldLabel } from "../../text/labels.js";

/** A column of rows that are messages of one type: a field, or a field of a nested message. */
export interface Column {
  /** The end of the path that no other column of the message type has: `country`, or `metadata.ip` beside `ip`. */
  readonly name: string;
  /** What people read: `Network operator`. */
  readonly label: string;
  /** The fields from the message down to the value. */
  readonly fields: readonly DescField[];
  /** Whether it is in a nested message that responses may lack. */
  readonly isOptional: boolean;
}

/** The depth to which nested fields are columns of their own. */
const MAX_DEPTH = 4;

/** The columns of a message type, in the order of its fields. A list or map is one column. */
export function columnsOf(desc: DescMessage): Column[] {
  const leaves = leavesOf(desc, [], false);
  const labels = leaves.map(lastLabel);
  return leaves.map((leaf, index) => ({
    ...leaf,
    name: shortName(pathOf(leaf), leaves.map(pathOf)),
    label: labelOf(
      leaf,
      labels.indexOf(lastLabel(leaf)) !== index || labels.lastIndexOf(lastLabel(leaf)) !== index,
    ),
  }));
}

type Leaf = Omit<Column, "name" | "label">;

function lastLabel({ fields }: Leaf): string {
  const last = fields.at(-1);
  return last === undefined ? "" : fieldLabel(last);
}

/** The label of a field. If several columns have it, that of the message precedes it: `Country name`. */
function labelOf(leaf: Leaf, isShared: boolean): string {
  const label = lastLabel(leaf);
  const parent = leaf.fields.at(-2);
  return isShared && parent !== undefined ? `${fieldLabel(parent)} ${uncapitalized(label)}` : label;
}

/** An abbreviation such as `IP` stays in capital letters. */
function uncapitalized(text: string): string {
  return /^\p{Lu}\p{Ll}/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

function leavesOf(desc: DescMessage, above: readonly DescField[], isOptional: boolean): Leaf[] {
  return desc.fields.flatMap((field): Leaf[] => {
    const fields = [...above, field];
    return field.fieldKind === "message" && !hasOwnForm(field.message) && fields.length < MAX_DEPTH
      ? leavesOf(field.message, fields, isOptional || !fieldDocsOf(field).required)
      : [{ fields, isOptional }];
  });
}

/** The JSON names of a column's fields. */
export function pathOf({ fields }: Leaf): string[] {
  return fields.map(({ jsonName }) => jsonName);
}

/** The shortest end of a path that no other path has. A path of one name is that name. */
function shortName(path: readonly string[], all: readonly (readonly string[])[]): string {
  for (let length = 1; length < path.length; length++) {
    const end = path.slice(-length);
    if (all.filter((other) => endsWith(other, end)).length === 1) {
      return end.join(".");
    }
  }
  return path.join(".");
}

function endsWith(path: readonly string[], end: readonly string[]): boolean {
  return path.length >= end.length && end.every((name, index) => path.at(index - end.length) === name);
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((name, index) => path[index] === name);
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
  for (const name of given.flatMap((each) => namesOf(all, each, groups))) {
    const wanted = name.split(".");
    const paths = new Set(all.flatMap((column) => prefixes(pathOf(column))).map((path) => path.join(".")));
    const matching = paths.has(name)
      ? [name]
      : [...paths].filter((path) => endsWith(path.split("."), wanted));
    const [path, ...others] = matching;
    if (path === undefined) {
      const available = all.map((column) => column.name).join(", ");
      return fail("UNKNOWN_FIELD", `--fields: there is no field '${name}'; available: ${available}`);
    }
    if (others.length > 0) {
      return fail("AMBIGUOUS_FIELD", `--fields: '${name}' can be ${matching.join(" or ")}`);
    }
    for (const column of all.filter((each) => startsWith(pathOf(each), path.split(".")))) {
      selected.add(column);
    }
  }
  return ok([...selected]);
}

/** The names that a given one stands for: itself if it is that of a field, and otherwise those with this label. */
function namesOf(all: readonly Column[], given: string, groups: ColumnGroups): readonly string[] {
  const isName = all.some((column) =>
    prefixes(pathOf(column)).some((path) => endsWith(path, given.split("."))),
  );
  const label = comparable(given);
  const group = groups.find((each) => comparable(each.label) === label);
  const column = all.find((each) => comparable(each.label) === label);
  return isName ? [given] : (group?.fields ?? (column === undefined ? [given] : [pathOf(column).join(".")]));
}

/** A label without differences of case, and between `_`, `-` and a space. */
function comparable(label: string): string {
  return label.toLowerCase().replaceAll(/[\s_-]+/g, " ");
}

function prefixes(path: readonly string[]): string[][] {
  return path.map((_, index) => path.slice(0, index + 1));
}

/** The text of a cell; empty without a value. */
export function cellOf(row: JsonValue | undefined, column: Column): string {
  return plainValue(valueAt(row, pathOf(column)));
}

function valueAt(row: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (value, name) => (isObject(value) ? value[name] : undefined),
    row,
  );
}

/** The part of a JSON value that columns select, in their order. Applies to each element of an array. */
export function selectValues(value: JsonValue, columns: readonly Column[]): JsonValue {
  if (Array.isArray(value)) {
    return value.map((each) => selectValues(each, columns));
  }
  const selected: JsonObject = {};
  for (const path of columns.map(pathOf)) {
    const found = valueAt(value, path);
    const name = path.at(-1);
    if (found !== undefined && name !== undefined) {
      const parent = path.slice(0, -1).reduce<JsonObject>((object, each) => {
        const next = object[each];
        const child: JsonObject = isObject(next) ? next : {};
        object[each] = child;
        return child;
      }, selected);
      parent[name] = found;
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

/** Returns the cells of a message in the order of the columns. */
export type CellReader = (message: MessageInit) => string[];

/** The scalar types whose JSON is the text of the value, with the value of an absent field. */
const PLAIN_SCALARS: ReadonlyMap<ScalarType, unknown> = new Map<ScalarType, unknown>([
  [ScalarType.STRING, ""],
  [ScalarType.BOOL, false],
  [ScalarType.DOUBLE, 0],
  [ScalarType.INT32, 0],
  [ScalarType.UINT32, 0],
]);

type FieldPlace = ReturnType<typeof placeOf>;

/** The columns whose fields are in one message, and the messages in it with further columns. */
interface ReaderNode {
  readonly leaves: { readonly index: number; readonly place: FieldPlace; readonly absent: string }[];
  readonly nested: Map<DescField, { readonly place: FieldPlace; readonly node: ReaderNode }>;
}

/**
 * Returns a function that reads cells from messages without their JSON, which is several times as fast. Returns undefined if a
 * column has a value whose text needs the JSON.
 */
export function createCellReader(columns: readonly Column[]): CellReader | undefined {
  const root: ReaderNode = { leaves: [], nested: new Map() };
  for (const [index, { fields }] of columns.entries()) {
    const leaf = fields.at(-1);
    if (leaf?.fieldKind !== "scalar") {
      return undefined;
    }
    const zero = PLAIN_SCALARS.get(leaf.scalar);
    if (zero === undefined) {
      return undefined;
    }
    const isImplicit = leaf.presence === FeatureSet_FieldPresence.IMPLICIT;
    const node = fields.slice(0, -1).reduce(nodeOf, root);
    node.leaves.push({ index, place: placeOf(leaf), absent: isImplicit ? String(zero) : "" });
  }
  const empty = columns.map(() => "");
  return (message) => {
    const cells = [...empty];
    readCells(root, message, cells);
    return cells;
  };
}

function nodeOf({ nested }: ReaderNode, field: DescField): ReaderNode {
  const known = nested.get(field) ?? { place: placeOf(field), node: { leaves: [], nested: new Map() } };
  nested.set(field, known);
  return known.node;
}

/** Reads the cells of a message. Those of a nested message that is absent stay empty. */
function readCells({ leaves, nested }: ReaderNode, message: MessageInit, cells: string[]): void {
  for (const { index, place, absent } of leaves) {
    const value = readField(place, message) ?? absent;
    cells[index] = typeof value === "string" ? value : String(value);
  }
  for (const { place, node } of nested.values()) {
    const value = readField(place, message) as MessageInit | undefined;
    if (value !== undefined) {
      readCells(node, value, cells);
    }
  }
}
