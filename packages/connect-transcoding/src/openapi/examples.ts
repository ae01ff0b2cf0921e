import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { JsonForm } from "../codec/json/form.js";
import type { FieldPath } from "../codec/message-field.js";
import { fieldDocsOf, isRequiredOneof } from "../proto-options.js";
import { type HttpBinding, type ResponseBody, responseBodyOf } from "../routes/rules/http-rule.js";
import { fieldNameIn, jsonOf, zeroOf } from "./documentation.js";
import type { Exemplified, Schema } from "./open-api.js";
import { type Direction, isIn, isRequired } from "./schemas/google-annotations.js";
import { fieldRulesOf } from "./schemas/protovalidate-rules.js";
import { messageRulesOf } from "./schemas/protovalidate-texts.js";
import { enumSchema, itemLimitsOf, limitsOf } from "./schemas/value-schemas.js";

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

/**
 * An example of a message, which is valid: in a request, the fields that have an example or are required; in a response, all that are always
 * present. Undefined if no valid value of a required field is known. `isShown` leaves fields out. `parents` are the fields around the message.
 */
export function exampleOf(
  desc: DescMessage,
  direction: Direction,
  json: JsonForm,
  isShown: (path: FieldPath) => boolean = () => true,
  parents: FieldPath = [],
): JsonObject | undefined {
  const fields = desc.fields.filter((field) => isIn(field, direction) && isShown([...parents, field]));
  const exampleIn = (field: DescField, isPresent: boolean) =>
    exampleValue([...parents, field], direction, json, isShown, isPresent);
  const values = new Map<DescField, JsonValue>();
  const setOneOf = (choice: readonly DescField[]) => choice.some((field) => values.has(field));
  for (const field of fields) {
    const isPresent = isRequired(field, direction, json);
    const value = exampleIn(field, isPresent);
    if (value === undefined && isPresent) {
      return undefined;
    }
    if (value !== undefined && !setOneOf(field.oneof?.fields ?? [])) {
      values.set(field, value);
    }
  }
  for (const choice of choicesOf(desc, direction).filter((each) => !setOneOf(each))) {
    const shown = choice.filter((field) => fields.includes(field));
    const [chosen] = shown.flatMap((field) => {
      const value = exampleIn(field, true);
      return value === undefined ? [] : [{ field, value }];
    });
    if (chosen !== undefined) {
      values.set(chosen.field, chosen.value);
    } else if (shown.length > 0) {
      return undefined;
    }
  }
  return Object.fromEntries([...values].map(([field, value]) => [fieldNameIn(field, json), value]));
}

/** Lists of fields of which one must be present. */
function choicesOf(desc: DescMessage, direction: Direction): (readonly DescField[])[] {
  const rules = direction === "request" ? messageRulesOf(desc, ({ name }) => name).alternatives : [];
  return [...desc.oneofs.filter(isRequiredOneof).map(({ fields }) => fields), ...rules];
}

/** The example of the last field of a path; undefined to omit it, or if no valid value is known. */
export function exampleValue(
  path: FieldPath,
  direction: Direction,
  json: JsonForm,
  isShown?: (path: FieldPath) => boolean,
  isPresent = path.slice(-1).every((field) => isRequired(field, direction, json)),
): JsonValue | undefined {
  const [field] = path.slice(-1);
  if (field === undefined) {
    return undefined;
  }
  const rules = fieldRulesOf(field, json);
  const container = {
    ...itemLimitsOf(field, direction),
    ...(direction === "request" ? rules.container : {}),
  };
  if (field.fieldKind === "map") {
    return isPresent && (container.minProperties ?? 0) === 0 ? {} : undefined;
  }
  const { example } = fieldDocsOf(field);
  const minItems = container.minItems ?? 0;
  const needsValue = isPresent && (field.fieldKind !== "list" || minItems > 0);
  const value =
    example === ""
      ? (rules.example ?? defaultValue(path, field, direction, json, isShown, needsValue))
      : jsonOf(field, example, json);
  if (field.fieldKind !== "list") {
    return value;
  }
  if (value === undefined) {
    return isPresent && minItems === 0 ? [] : undefined;
  }
  // There is one example of the elements.
  return minItems > (container.uniqueItems ? 1 : MAX_ITEMS)
    ? undefined
    : Array(Math.max(1, minItems)).fill(value);
}

const MAX_ITEMS = 10;

/** An example of a single value without a documented one. */
function defaultValue(
  path: FieldPath,
  field: DescField,
  direction: Direction,
  json: JsonForm,
  isShown: ((path: FieldPath) => boolean) | undefined,
  isPresent: boolean,
): JsonValue | undefined {
  const { message } = field;
  const known = message && ownExample(message, json);
  if (known !== undefined) {
    return isPresent ? known : undefined;
  }
  if (message !== undefined) {
    // A message in itself would have no end.
    const isRecursive = path.some(({ parent }) => parent === message);
    const example = isRecursive ? undefined : exampleOf(message, direction, json, isShown, path);
    return isPresent || Object.keys(example ?? {}).length > 0 ? example : undefined;
  }
  if (!isPresent) {
    return undefined;
  }
  const rules = direction === "request" ? fieldRulesOf(field, json) : undefined;
  if (field.enum !== undefined) {
    const { type, enum: values = [] } = enumSchema(field.enum, direction, json, rules?.allowsNumber);
    return type === "null" ? null : (limitsOf(field, direction, json).enum ?? values)[0];
  }
  return validValue({ ...rules?.element, ...limitsOf(field, direction, json) }, zeroOf(field.scalar, json));
}

/** An example of a well-known type with a form of its own; undefined for any other message type. */
function ownExample(desc: DescMessage, json: JsonForm): JsonValue | undefined {
  return isWrapperDesc(desc) ? zeroOf(desc.fields[0].scalar, json) : OWN_EXAMPLES.get(desc.typeName);
}

const OWN_EXAMPLES: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>(
  Object.entries({
    Timestamp: "2000-01-01T00:00:00Z",
    Duration: "0s",
    FieldMask: "*",
    Struct: {},
    ListValue: [],
    Value: null,
    Any: {},
  }).map(([name, value]) => [`google.protobuf.${name}`, value]),
);

/** The zero of a type, or else a value near it that a schema allows; undefined if none is known. */
function validValue(schema: Schema, zero: JsonValue): JsonValue | undefined {
  const [first] = schema.const === undefined ? (schema.enum ?? []) : [schema.const];
  if (first !== undefined) {
    return first;
  }
  if (typeof zero === "number") {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
    const low = minimum ?? (exclusiveMinimum === undefined ? -Infinity : Number(exclusiveMinimum) + 1);
    const high = maximum ?? (exclusiveMaximum === undefined ? Infinity : Number(exclusiveMaximum) - 1);
    return low > high ? undefined : Math.min(Math.max(low, zero), high);
  }
  if (typeof zero !== "string") {
    return zero;
  }
  const {
    minLength = 0,
    maxLength = Infinity,
    pattern = "",
    anyOf: [{ format: oneFormat } = {}] = [],
  } = schema;
  const { format = oneFormat } = schema;
  const text = format === undefined ? "x".repeat(Math.min(minLength, MAX_TEXT)) || zero : FORMATS[format];
  const isValid =
    text !== undefined &&
    minLength <= text.length &&
    text.length <= maxLength &&
    new RegExp(pattern, "u").test(text);
  return isValid ? text : undefined;
}

const MAX_TEXT = 100;

/** Examples of texts by their format. */
const FORMATS: Readonly<Record<string, string>> = {
  email: "user@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  "uri-reference": "/",
  uuid: "00000000-0000-4000-8000-000000000000",
};
