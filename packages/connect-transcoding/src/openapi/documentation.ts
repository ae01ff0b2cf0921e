import {
  type DescEnum,
  type DescEnumValue,
  type DescField,
  type DescMessage,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import type { JsonForm } from "../codec/json/form.js";
import { hasOwnForm } from "../codec/value-parser.js";
import { enumValueName, fieldDocsOf } from "../proto-options.js";
import { type HttpBinding, type ResponseBody, responseBodyOf } from "../routes/rules/http-rule.js";
import type { Exemplified } from "./open-api.js";
import { type Direction, isIn, isRequired } from "./schemas/google-annotations.js";
import { fieldRulesOf } from "./schemas/protovalidate-rules.js";

/**
 * The values of an enum by their names over REST: the `http_value`, or else the name in the proto file. Requests of an enum with
 * an `http_value` have only values with one.
 */
export function enumNames(desc: DescEnum, direction: Direction): Map<string, DescEnumValue> {
  const named = desc.values.filter((value) => enumValueName(value) !== undefined);
  const values = direction === "request" && named.length > 0 ? named : desc.values;
  return new Map(values.map((value) => [enumValueName(value) ?? value.name, value]));
}

/** The values of an enum by their JSON in a form. Of several names of a number, the first counts where enums are numbers. */
export function enumForms(
  desc: DescEnum,
  direction: Direction,
  json: JsonForm,
): Map<string | number, DescEnumValue> {
  switch (json.enums) {
    case "numbers":
      return new Map(
        desc.values
          .filter(({ number }, index, all) => all.findIndex((each) => each.number === number) === index)
          .map((value) => [value.number, value]),
      );
    case "names":
      return new Map(desc.values.map((value) => [value.name, value]));
    default:
      return enumNames(desc, direction);
  }
}

function enumForm(value: DescEnumValue, { enums }: JsonForm): string | number {
  return enums === "numbers"
    ? value.number
    : ((enums === "names" ? undefined : enumValueName(value)) ?? value.name);
}

/** The name of a field in a form of JSON. */
export function fieldNameIn(field: DescField, { fieldNames }: JsonForm): string {
  return fieldNames === "proto" ? field.name : field.jsonName;
}

/** Whether a declaration is deprecated: itself, its service or its file. */
export function isDeprecated(desc: DescEnum | DescMessage | DescMethod): boolean {
  const parent = desc.kind === "rpc" ? desc.parent : desc;
  return desc.deprecated || parent.deprecated || parent.file.deprecated;
}

/** Parses the text of a field value to its JSON in a form. Throws an Error that names the field for an invalid text. */
export function jsonOf(field: DescField, text: string, json: JsonForm = {}): JsonValue {
  const { scalar, message } = field;
  if (field.enum !== undefined) {
    const value = field.enum.values.find((each) => enumValueName(each) === text || each.name === text);
    return value === undefined ? text : enumForm(value, json);
  }
  if (json.longs === "numbers" && isLong(field) && Number.isSafeInteger(Number(text)) && text !== "") {
    return Number(text);
  }
  const isText =
    message === undefined
      ? scalar === undefined || TEXT_SCALARS.has(scalar)
      : TEXT_MESSAGES.has(message.typeName);
  if (isText || (isFloating(scalar) && SPECIAL_NUMBERS.includes(text))) {
    return text;
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${field.parent.typeName}.${field.name}: '${text}' is not a value of this field`, {
      cause,
    });
  }
}

/** The values of `float` and `double` that are texts in ProtoJSON. */
export const SPECIAL_NUMBERS = ["NaN", "Infinity", "-Infinity"];

function isFloating(scalar: ScalarType | undefined): boolean {
  return scalar === ScalarType.DOUBLE || scalar === ScalarType.FLOAT;
}

const LONG_SCALARS = [
  ScalarType.INT64,
  ScalarType.SINT64,
  ScalarType.SFIXED64,
  ScalarType.UINT64,
  ScalarType.FIXED64,
];

const LONG_MESSAGES: readonly string[] = ["Int64Value", "UInt64Value"].map(
  (name) => `google.protobuf.${name}`,
);

/** Whether the values of a field are 64-bit integers. */
function isLong({ scalar, message }: DescField): boolean {
  return (
    (scalar !== undefined && LONG_SCALARS.includes(scalar)) ||
    (message !== undefined && LONG_MESSAGES.includes(message.typeName))
  );
}

/** The scalars that are strings in ProtoJSON. */
const TEXT_SCALARS: ReadonlySet<ScalarType> = new Set([ScalarType.STRING, ScalarType.BYTES, ...LONG_SCALARS]);

const TEXT_MESSAGES: ReadonlySet<string> = new Set(
  ["Timestamp", "Duration", "FieldMask", "StringValue", "BytesValue", "Int64Value", "UInt64Value"].map(
    (name) => `google.protobuf.${name}`,
  ),
);

/** An example of a call of a binding, with the response in one of its representations. */
export interface Scenario {
  readonly name: string;
  readonly binding: HttpBinding;
  /** The parameters that select the method and the representation. */
  readonly controls: Readonly<Record<string, string>>;
  readonly responseBody: ResponseBody;
}

/** The examples of a binding: one for each representation of its response. */
export function scenariosOf(binding: HttpBinding): Scenario[] {
  const { method, options } = binding;
  const selectors = Object.fromEntries(
    options.select.flatMap(({ parameter, condition }) =>
      condition.case === "equals" ? [[parameter, condition.value]] : [],
    ),
  );
  const { representation } = options;
  if (representation === undefined) {
    return [{ name: method.name, binding, controls: selectors, responseBody: responseBodyOf(binding) }];
  }
  return representation.choices.map(({ value, textField }) => ({
    name: `${method.name}_${value}`,
    binding,
    controls: { ...selectors, [representation.parameter]: value },
    responseBody: responseBodyOf(binding, textField),
  }));
}

/** The `examples` of a parameter or a body, by the names of the scenarios; `read` returns undefined for none. */
export function examplesOf(
  scenarios: readonly Scenario[],
  read: (scenario: Scenario) => JsonValue | undefined,
): Exemplified {
  return namedExamples(scenarios.map((scenario) => [scenario.name, read(scenario)]));
}

/** `examples` by name, without undefined values; empty if there are none. */
export function namedExamples(
  values: readonly (readonly [name: string, value: JsonValue | undefined])[],
): Exemplified {
  const examples = values.flatMap(([name, value]) => (value === undefined ? [] : [[name, { value }]]));
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) };
}

/** An example of a message: in a request, the fields with an example; in a response, all that are always present. */
export function exampleOf(
  desc: DescMessage,
  direction: Direction,
  json: JsonForm,
  parents: readonly DescMessage[] = [],
): JsonObject {
  const example: JsonObject = {};
  const chosen = new Set<string>();
  for (const field of desc.fields.filter((each) => isIn(each, direction))) {
    const value = exampleValue(field, direction, json, [...parents, desc]);
    const oneof = field.oneof?.name;
    if (value !== undefined && !(oneof !== undefined && chosen.has(oneof))) {
      example[fieldNameIn(field, json)] = value;
      chosen.add(oneof ?? "");
    }
  }
  return example;
}

/** The example of a field; undefined to omit the field. `parents` are the messages around it, to end recursion. */
export function exampleValue(
  field: DescField,
  direction: Direction,
  json: JsonForm,
  parents: readonly DescMessage[],
): JsonValue | undefined {
  const { example } = fieldDocsOf(field);
  const isPresent = isRequired(field, direction, json);
  if (field.fieldKind === "map") {
    return isPresent ? {} : undefined;
  }
  const element =
    example === ""
      ? (fieldRulesOf(field, json).example ?? defaultExample(field, direction, json, parents, isPresent))
      : jsonOf(field, example, json);
  if (field.fieldKind === "list") {
    return element === undefined ? (isPresent ? [] : undefined) : [element];
  }
  return element;
}

/** The default example of a field. */
function defaultExample(
  field: DescField,
  direction: Direction,
  json: JsonForm,
  parents: readonly DescMessage[],
  isPresent: boolean,
): JsonValue | undefined {
  const { message } = field;
  if (message !== undefined) {
    if (parents.includes(message) || hasOwnForm(message)) {
      return undefined;
    }
    const example = exampleOf(message, direction, json, parents);
    return isPresent || Object.keys(example).length > 0 ? example : undefined;
  }
  if (!isPresent || field.fieldKind === "list") {
    return undefined;
  }
  if (field.enum?.typeName === "google.protobuf.NullValue") {
    return null;
  }
  return field.enum === undefined
    ? zeroOf(field.scalar, json)
    : [...enumForms(field.enum, direction, json).keys()][0];
}

function zeroOf(scalar: ScalarType | undefined, { longs }: JsonForm): JsonValue {
  if (scalar === ScalarType.STRING || scalar === ScalarType.BYTES) {
    return "";
  }
  if (scalar === ScalarType.BOOL) {
    return false;
  }
  return scalar !== undefined && LONG_SCALARS.includes(scalar) && longs !== "numbers" ? "0" : 0;
}
