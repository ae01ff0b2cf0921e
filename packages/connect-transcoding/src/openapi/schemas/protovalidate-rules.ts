import { type DescField, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { scalarZeroValue } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import type { JsonForm } from "../../codec/json/form.js";
import type { Schema } from "../open-api.js";
import {
  countIn,
  type Members,
  messageIn,
  NO_MEMBERS,
  type NumberKind,
  numberIn,
  numbersIn,
  textsIn,
  validateOption,
} from "./protovalidate-option.js";

/** The rules of protovalidate for a field of a request, as far as JSON Schema has keywords for them. */
export interface FieldRules {
  /** Whether a request without the field is invalid. */
  readonly required: boolean;
  /** The keywords of a value: of a list or a map, of each of its values. */
  readonly element: Schema;
  /** The keywords of a list or a map. */
  readonly container: Schema;
  /** Whether a `float` or `double` is a finite number. */
  readonly finite: boolean;
  /** A valid value: an example of the rules, or one of the values that they allow. */
  readonly example: JsonValue | undefined;
  /** Returns whether an enum value has a valid number. */
  readonly allowsNumber: (number: number) => boolean;
}

/** Reads the rules of a field; none by default. Throws an Error for an option that is not in the format of its message. */
export function fieldRulesOf(field: DescField, json: JsonForm): FieldRules {
  const rules = validateOption(field);
  const ignore = rules && numberIn(rules, IGNORE, "int32");
  if (rules === undefined || ignore === IGNORE_ALWAYS) {
    return NO_RULES;
  }
  const own = field.fieldKind === "list" ? REPEATED : field.fieldKind === "map" ? MAP : undefined;
  const isMarked = numberIn(rules, REQUIRED, "int32") === 1;
  const isImplicit = field.presence === FeatureSet_FieldPresence.IMPLICIT;
  if (own !== undefined) {
    const container = messageIn(rules, own) ?? NO_MEMBERS;
    const limits = own === REPEATED ? listKeywords(container) : mapKeywords(container);
    const element = messageIn(container, own === REPEATED ? ITEMS : VALUES) ?? NO_MEMBERS;
    const isNotEmpty = (limits.minItems ?? limits.minProperties ?? 0) > 0 && ignore !== IGNORE_IF_ZERO;
    return { ...valueRules(element, json), required: isMarked || isNotEmpty, container: limits };
  }
  const value = valueRules(rules, json);
  const excludesZero = isImplicit && excludesDefault(field, value, json);
  const needsText =
    isMarked && isImplicit && field.scalar === ScalarType.STRING && value.element.enum === undefined;
  return {
    ...value,
    required: isMarked || (excludesZero && ignore !== IGNORE_IF_ZERO),
    element: { ...(needsText ? { minLength: 1 } : {}), ...value.element },
    container: {},
    allowsNumber: (number) => value.allowsNumber(number) && !(isMarked && isImplicit && number === 0),
  };
}

// Of buf.validate.FieldRules.
const REQUIRED = 25;
const IGNORE = 27;
const IGNORE_IF_ZERO = 1;
const IGNORE_ALWAYS = 3;
const BOOL = 13;
const STRING = 14;
const ENUM = 16;
const REPEATED = 18;
const MAP = 19;
// Of buf.validate.RepeatedRules and buf.validate.MapRules.
const ITEMS = 4;
const VALUES = 5;

/** The rules of numbers by their number in FieldRules. */
const NUMBER_KINDS: readonly (readonly [number, NumberKind])[] = [
  [1, "float"],
  [2, "double"],
  [3, "int32"],
  [4, "int64"],
  [5, "uint32"],
  [6, "uint64"],
  [7, "sint32"],
  [8, "sint64"],
  [9, "fixed32"],
  [10, "fixed64"],
  [11, "sfixed32"],
  [12, "sfixed64"],
];

/** The formats of texts by their number in StringRules. */
const FORMATS: readonly (readonly [number, readonly string[]])[] = [
  [12, ["email"]],
  [13, ["hostname"]],
  [14, ["ipv4", "ipv6"]],
  [15, ["ipv4"]],
  [16, ["ipv6"]],
  [17, ["uri"]],
  [18, ["uri-reference"]],
  [22, ["uuid"]],
];

const NO_RULES: FieldRules = {
  required: false,
  element: {},
  container: {},
  finite: false,
  example: undefined,
  allowsNumber: () => true,
};

function defined<T extends object>(keywords: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(keywords).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function listKeywords(rules: Members): Schema {
  return defined({
    minItems: countIn(rules, 1),
    maxItems: countIn(rules, 2),
    uniqueItems: numberIn(rules, 3, "int32") === 1 ? true : undefined,
  }) as Schema;
}

function mapKeywords(rules: Members): Schema {
  return defined({ minProperties: countIn(rules, 1), maxProperties: countIn(rules, 2) }) as Schema;
}

/** The rules of one value. */
function valueRules(rules: Members, json: JsonForm): FieldRules {
  const text = messageIn(rules, STRING);
  if (text !== undefined) {
    const element = textKeywords(text);
    return { ...NO_RULES, element, example: textsIn(text, 34)[0] ?? element.enum?.[0] };
  }
  const flag = messageIn(rules, BOOL);
  if (flag !== undefined) {
    const value = numberIn(flag, 1, "int32");
    return value === undefined
      ? NO_RULES
      : { ...NO_RULES, element: { const: value === 1 }, example: value === 1 };
  }
  const values = messageIn(rules, ENUM);
  if (values !== undefined) {
    const allowed = [...numbersIn(values, 1, "int32"), ...numbersIn(values, 3, "int32")];
    const excluded = numbersIn(values, 4, "int32");
    return {
      ...NO_RULES,
      allowsNumber: (number) =>
        (allowed.length === 0 || allowed.includes(number)) && !excluded.includes(number),
    };
  }
  for (const [number, kind] of NUMBER_KINDS) {
    const limits = messageIn(rules, number);
    if (limits !== undefined) {
      const finite = (kind === "float" || kind === "double") && numberIn(limits, 8, "int32") === 1;
      const element = numberKeywords(limits, kind, json);
      const [first] = numbersIn(limits, EXAMPLES.get(kind) ?? 8, kind);
      const example = first === undefined ? element.enum?.[0] : jsonNumber(first, kind, json);
      return { ...NO_RULES, finite, element, example };
    }
  }
  return NO_RULES;
}

function textKeywords(rules: Members): Schema {
  const length = countIn(rules, 19);
  const [constant] = textsIn(rules, 1);
  const values = textsIn(rules, 10);
  const formats = FORMATS.find(([number]) => numberIn(rules, number, "int32") === 1)?.[1] ?? [];
  const [format, ...others] = formats;
  const pattern = textsIn(rules, 6).at(-1) ?? affixPattern(rules);
  return defined({
    minLength: length ?? countIn(rules, 2),
    maxLength: length ?? countIn(rules, 3),
    pattern: pattern !== undefined && isPattern(pattern) ? pattern : undefined,
    enum: constant === undefined ? (values.length > 0 ? values : undefined) : [constant],
    ...(others.length > 0
      ? { anyOf: formats.map((each) => ({ type: "string", format: each })) }
      : { format }),
  }) as Schema;
}

/** The pattern of texts with a prefix, a suffix, or a part; undefined without any. */
function affixPattern(rules: Members): string | undefined {
  const [prefix, suffix, part] = [7, 8, 9].map((number) =>
    textsIn(rules, number)
      .at(-1)
      ?.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"),
  );
  return prefix !== undefined ? `^${prefix}` : suffix !== undefined ? `${suffix}$` : part;
}

/** Whether a pattern of RE2 is one of ECMA-262 as well, as JSON Schema needs it. */
function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

function jsonNumber(value: number | bigint, kind: NumberKind, { longs }: JsonForm): number | string {
  const isText = kind.endsWith("64") && (longs !== "numbers" || !Number.isSafeInteger(Number(value)));
  return isText ? String(value) : Number(value);
}

/** The number of `example` in the rules of a kind, where it is not 8. */
const EXAMPLES: ReadonlyMap<NumberKind, number> = new Map([
  ["float", 9],
  ["double", 9],
  ["int64", 9],
]);

/** The keywords of a number. Limits of 64-bit integers exist only where those are numbers, because others are texts. */
function numberKeywords(rules: Members, kind: NumberKind, json: JsonForm): Schema {
  const values = numbersIn(rules, 1, kind).slice(-1);
  const allowed = (values.length > 0 ? values : numbersIn(rules, 6, kind)).map((value) =>
    jsonNumber(value, kind, json),
  );
  const isNumber = !kind.endsWith("64") || json.longs === "numbers";
  const [below, atMost, above, atLeast] = [2, 3, 4, 5].map((number) => numberIn(rules, number, kind));
  const low = above ?? atLeast;
  const high = below ?? atMost;
  // An upper limit below the lower one excludes what is between them, which has no keyword.
  const isRange = isNumber && !(low !== undefined && high !== undefined && high < low);
  return defined({
    ...(isRange
      ? { minimum: atLeast, exclusiveMinimum: above, maximum: atMost, exclusiveMaximum: below }
      : {}),
    enum: allowed.length > 0 ? allowed : undefined,
  }) as Schema;
}

/** Whether the value of an absent field without presence is invalid. */
function excludesDefault(field: DescField, { element, allowsNumber }: FieldRules, json: JsonForm): boolean {
  if (field.enum !== undefined) {
    return !allowsNumber(field.enum.values[0]?.number ?? 0);
  }
  if (field.fieldKind !== "scalar" || field.scalar === ScalarType.BYTES) {
    return false;
  }
  const zero = scalarZeroValue(field.scalar, false);
  const form = typeof zero === "bigint" ? (json.longs === "numbers" ? 0 : "0") : zero;
  const allowed = element.const === undefined ? element.enum : [element.const];
  if (allowed !== undefined) {
    return !allowed.some((each) => each === form);
  }
  if (form === "") {
    const hasFormat = element.format !== undefined && element.format !== "uri-reference";
    const matches = element.pattern === undefined || new RegExp(element.pattern, "u").test("");
    return (element.minLength ?? 0) > 0 || hasFormat || element.anyOf !== undefined || !matches;
  }
  const { minimum = 0, exclusiveMinimum = -1, maximum = 0, exclusiveMaximum = 1 } = element;
  return minimum > 0 || Number(exclusiveMinimum) >= 0 || maximum < 0 || Number(exclusiveMaximum) <= 0;
}
