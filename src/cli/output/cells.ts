import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { type MessageInit, placeOf, readField } from "connect-transcoding/codec";
import type { Column } from "./columns.js";
import { isPoint, zeroIsUnknown } from "./unknown.js";

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
  readonly leaves: {
    readonly index: number;
    readonly place: FieldPlace;
    /** The text of an absent value, and of 0. */
    readonly absent: string;
    readonly zero: string;
  }[];
  readonly nested: Map<DescField, { readonly place: FieldPlace; readonly node: ReaderNode }>;
  readonly isPoint: boolean;
}

/**
 * Returns a function that reads cells from messages without their JSON, which is several times as fast. Returns undefined if a
 * column has a value whose text needs the JSON.
 */
export function createCellReader(columns: readonly Column[]): CellReader | undefined {
  const root: ReaderNode = { leaves: [], nested: new Map(), isPoint: false };
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
    const isKnown = !zeroIsUnknown(leaf);
    node.leaves.push({
      index,
      place: placeOf(leaf),
      absent: isImplicit && isKnown ? String(zero) : "",
      zero: isKnown ? "0" : "",
    });
  }
  const empty = columns.map(() => "");
  return (message) => {
    const cells = [...empty];
    readCells(root, message, cells);
    return cells;
  };
}

function nodeOf({ nested }: ReaderNode, field: DescField): ReaderNode {
  const known = nested.get(field) ?? {
    place: placeOf(field),
    node: { leaves: [], nested: new Map(), isPoint: isPoint(field.message) },
  };
  nested.set(field, known);
  return known.node;
}

/** Reads the cells of a message. Those of a nested message that is absent stay empty. */
function readCells({ leaves, nested }: ReaderNode, message: MessageInit, cells: string[]): void {
  for (const { index, place, absent, zero } of leaves) {
    const value = readField(place, message) ?? absent;
    cells[index] = typeof value === "string" ? value : value === 0 ? zero : String(value);
  }
  for (const { place, node } of nested.values()) {
    const value = readField(place, message) as MessageInit | undefined;
    if (value !== undefined && !(node.isPoint && isUnknownPoint(value))) {
      readCells(node, value, cells);
    }
  }
}

/** Whether both coordinates of a point are 0. */
function isUnknownPoint(point: MessageInit): boolean {
  const { lat = 0, lon = 0 }: { readonly lat?: unknown; readonly lon?: unknown } = point;
  return lat === 0 && lon === 0;
}
