import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import type { HttpBinding } from "../rules/http-rule.js";
import { type AnswerBody, answerBodyOf } from "../rules/response-body.js";
import { type Direction, enumNames, fieldDocs, jsonOf } from "./field-docs.js";
import { wellKnownSchema } from "./schemas.js";

/** One way to call a binding, as an example: its answer is written in one of the ways there are. */
export interface Scenario {
  readonly name: string;
  readonly binding: HttpBinding;
  /** Values of the parameters that are no fields, where there are any to give. */
  readonly surface: Readonly<Record<string, string>>;
  /** What the answer is made of, written in that way. */
  readonly answer: AnswerBody;
}

/** The examples of a binding: one for each way to write its answer. */
export function scenariosOf(binding: HttpBinding): Scenario[] {
  const { method, surface } = binding;
  const selectors = Object.fromEntries(
    surface.select.flatMap(({ parameter, condition }) =>
      condition.case === "equals" ? [[parameter, condition.value]] : [],
    ),
  );
  const { representation } = surface;
  if (representation === undefined) {
    return [{ name: method.name, binding, surface: selectors, answer: answerBodyOf(binding) }];
  }
  return representation.choices.map(({ value, textField }) => ({
    name: `${method.name}_${value}`,
    binding,
    surface: { ...selectors, [representation.parameter]: value },
    answer: answerBodyOf(binding, textField),
  }));
}

/** Examples by the names of their scenarios. */
export function examplesBy(
  scenarios: readonly Scenario[],
  read: (scenario: Scenario) => JsonValue | undefined,
): Map<string, JsonValue> {
  return new Map(
    scenarios.flatMap((scenario) => {
      const value = read(scenario);
      return value === undefined ? [] : [[scenario.name, value] as const];
    }),
  );
}

/** A message as its fields' examples make it; a request has only what has an example, an answer what is always there. */
export function exampleOf(
  desc: DescMessage,
  direction: Direction,
  parents: readonly DescMessage[] = [],
): JsonObject {
  const example: JsonObject = {};
  const chosen = new Set<string>();
  for (const field of desc.fields) {
    const value = exampleValue(field, direction, [...parents, desc]);
    const oneof = field.oneof?.name;
    if (value !== undefined && !(oneof !== undefined && chosen.has(oneof))) {
      example[field.jsonName] = value;
      chosen.add(oneof ?? "");
    }
  }
  return example;
}

/** The example of a field; undefined where it is better left out. */
export function exampleValue(
  field: DescField,
  direction: Direction,
  parents: readonly DescMessage[],
): JsonValue | undefined {
  const { example, required } = fieldDocs(field);
  const isDue = required || (direction === "answer" && field.presence === FeatureSet_FieldPresence.IMPLICIT);
  if (field.fieldKind === "map") {
    return isDue ? {} : undefined;
  }
  const element = example === "" ? madeUp(field, direction, parents, isDue) : jsonOf(field, example);
  if (field.fieldKind === "list") {
    return element === undefined ? (isDue ? [] : undefined) : [element];
  }
  return element;
}

function madeUp(
  field: DescField,
  direction: Direction,
  parents: readonly DescMessage[],
  isDue: boolean,
): JsonValue | undefined {
  const { message } = field;
  if (message !== undefined) {
    if (parents.includes(message) || wellKnownSchema(message) !== undefined) {
      return undefined;
    }
    const example = exampleOf(message, direction, parents);
    return isDue || Object.keys(example).length > 0 ? example : undefined;
  }
  if (!isDue || field.fieldKind === "list") {
    return undefined;
  }
  return field.enum === undefined ? zeroOf(field.scalar) : [...enumNames(field.enum, direction).keys()][0];
}

function zeroOf(scalar: ScalarType | undefined): JsonValue {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return "";
    case ScalarType.BOOL:
      return false;
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return "0";
    default:
      return 0;
  }
}
