import {
  create,
  type DescMessage,
  fromJson,
  isMessage,
  type JsonValue,
  type Message,
  type Registry,
} from "@bufbuild/protobuf";
import { DurationSchema, isWrapperDesc } from "@bufbuild/protobuf/wkt";
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
  const invalid = fail("INVALID_VALUE", `is not the ProtoJSON form of ${desc.typeName}`);
  return (value) => {
    if (desc.typeName === TIMESTAMP && !isCalendarDay(value)) {
      return invalid;
    }
    try {
      return ok(withoutNegativeZero(fromJson(desc, value, { registry })));
    } catch {
      // The library's own words may repeat the value.
      return invalid;
    }
  };
}

/** Whether a message type can be written as text: in a path, a query or a form. */
export function isWrittenAsText(desc: DescMessage): boolean {
  return isWrapperDesc(desc) || WRITTEN_AS_TEXT.has(desc.typeName);
}

/** Whether a message type has a form of its own in ProtoJSON, so that its fields are no members or parameters. */
export function hasOwnForm(desc: DescMessage): boolean {
  return isWrittenAsText(desc) || WRITTEN_AS_JSON.has(desc.typeName);
}

const TIMESTAMP = "google.protobuf.Timestamp";

/** Whether a text begins with a day that the calendar has: the library takes 30 February for 2 March. */
function isCalendarDay(value: JsonValue): boolean {
  const match = typeof value === "string" ? /^(\d{4})-(\d{2})-(\d{2})/.exec(value) : null;
  const [year = 0, month = 0, day = 0] = match?.slice(1).map(Number) ?? [];
  const lastDay = new Date(0);
  // Not Date.UTC, which takes the years below 100 for those of the twentieth century.
  lastDay.setUTCFullYear(year, month, 0);
  return match !== null && day <= lastDay.getUTCDate();
}

/** The library reads `-1.0s` with -0 nanoseconds, which is not equal to 0 everywhere. */
function withoutNegativeZero(message: Message): Message {
  if (isMessage(message, DurationSchema)) {
    message.nanos += 0;
  }
  return message;
}

function wellKnownName(name: string): string {
  return `google.protobuf.${name}`;
}
