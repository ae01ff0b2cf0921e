import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import {
  type FieldPath,
  fieldWriter,
  placeOf,
  readField,
  resolveFieldPath,
} from "../../codec/message-field.js";
import { scalarParser, type ValueParser } from "../../codec/value-parser.js";
import { isSame } from "./compare-values.js";

/** An entry of a map, as a parameter names it: `labels[color]`. */
export interface MapEntry {
  /** The path of the map. */
  readonly path: FieldPath;
  /** The key as in the map; as the client wrote it if it is invalid. */
  readonly key: string;
  readonly parseText: ValueParser;
  write(holder: Message, value: unknown): void;
  /** Whether the map has another value for the key. */
  conflicts(holder: Message, value: unknown): boolean;
}

/**
 * Finds the entry of a map that a parameter names. Undefined for any other name. The form is that of grpc-gateway.
 *
 * @param valueParser returns the parser of the values of a map
 */
export function findMapEntry(
  desc: DescMessage,
  name: string,
  valueParser: (map: DescField) => ValueParser,
): MapEntry | undefined {
  const [, mapName = "", text = ""] = /^([^[]+)\[(.*)\]$/s.exec(name) ?? [];
  const path = mapName === "" ? undefined : resolveFieldPath(desc, mapName, "jsonName");
  const map = path?.at(-1);
  if (path === undefined || map?.fieldKind !== "map") {
    return undefined;
  }
  const parsed = scalarParser(map.mapKey, "text")(text);
  const key = parsed.ok ? String(parsed.value) : text;
  const write = fieldWriter(map);
  const place = placeOf(map);
  return {
    path,
    key,
    parseText: parsed.ok
      ? valueParser(map)
      : () => ({
          ...parsed,
          failure: { ...parsed.failure, description: `has a key that ${parsed.failure.description}` },
        }),
    write: (holder, value) => write(holder, value, key),
    conflicts: (holder, value) => {
      const held = readField(place, holder) ?? {};
      return Object.hasOwn(held, key) && !isSame((held as Record<string, unknown>)[key], value);
    },
  };
}
