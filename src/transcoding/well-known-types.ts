import {
  create,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  type Registry,
} from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { type Failure, fail, ok, type Result } from "../result.js";
import { type FieldValueReason, scalarParser } from "./scalar-value.js";

/** Reads a message from its ProtoJSON form. */
export type WellKnownTypeParser = (value: JsonValue) => Result<Message, Failure<FieldValueReason>>;

/** Well-known types whose ProtoJSON form is a string, so that they can stand in a query. */
const WRITTEN_AS_TEXT = new Set(["Timestamp", "Duration", "FieldMask"].map(wellKnownName));

/** The others that have a ProtoJSON form of their own. */
const WRITTEN_AS_JSON = new Set(["Any", "ListValue", "Struct", "Value"].map(wellKnownName));

/**
 * The parser of a message type with a ProtoJSON form of its own; undefined for one that is an ordinary object.
 * `form` says what can be given: text, or any JSON.
 * https://protobuf.dev/programming-guides/json/
 */
export function wellKnownTypeParser(
  desc: DescMessage,
  form: "text" | "json",
  registry: Registry,
): WellKnownTypeParser | undefined {
  if (isWrapperDesc(desc)) {
    const parse = scalarParser(desc.fields[0].scalar);
    return (value) => {
      const parsed = parse(value);
      return parsed.ok ? ok(create(desc, { value: parsed.value })) : parsed;
    };
  }
  if (!WRITTEN_AS_TEXT.has(desc.typeName) && !(form === "json" && WRITTEN_AS_JSON.has(desc.typeName))) {
    return undefined;
  }
  return (value) => {
    try {
      return ok(fromJson(desc, value, { registry }));
    } catch {
      // The library's own words may repeat the value.
      return fail("INVALID_VALUE", `is not the ProtoJSON form of ${desc.typeName}`);
    }
  };
}

function wellKnownName(name: string): string {
  return `google.protobuf.${name}`;
}
