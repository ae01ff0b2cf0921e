import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { isWrapperDesc, FeatureSet_FieldPresence as Presence } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { type FieldPath, jsonPath, protoPath } from "../../codec/message-field.js";
import { hasOwnForm, isWrittenAsText } from "../../codec/value-parser.js";
import { enumValueName } from "../../proto-options.js";
import { type HttpBinding, parameterFields } from "./http-rule.js";

/** The parameters of a request that are not fields: those that select the method, and the one that selects JSON for the response. */
export function choiceParameters({
  select,
  representation,
}: HttpBinding["options"]): [name: string, value: string][] {
  const selectors = select.flatMap(({ parameter, condition }) =>
    condition.case === "equals" ? [[parameter, condition.value] as [string, string]] : [],
  );
  const json = representation?.choices.find(({ textField }) => textField === "");
  return representation === undefined || json === undefined
    ? selectors
    : [...selectors, [representation.parameter, json.value]];
}

/**
 * The query of a request: the parameters that select something, and the fields in neither path nor body. Nested fields have
 * dots, lists a parameter per element, and maps one per entry, if the server accepts them. A message that is set without a field has
 * a field at its default value.
 *
 * @param json the request message
 * @param mapParameters whether the server accepts entries of maps
 * @throws ConnectError `INVALID_ARGUMENT` for a field that cannot be in a query, such as a Struct or a list of messages
 */
export function queryParameters(
  binding: HttpBinding,
  json: JsonObject,
  mapParameters = false,
): [name: string, value: string][] {
  const { body, template, options } = binding;
  const inPath = template.variables.map(({ fieldPath }) => fieldPath);
  const fields = body.kind === "none" || body.kind === "field" ? parameterFields(binding) : [];
  return [
    ...choiceParameters(options),
    ...parametersIn(fields, json, { parents: [], inPath, mapParameters }),
  ];
}

interface Place {
  readonly parents: FieldPath;
  /** The paths of the fields in the path of the request. */
  readonly inPath: readonly string[];
  readonly mapParameters: boolean;
}

function* parametersIn(
  fields: readonly DescField[],
  json: JsonObject,
  place: Place,
): Iterable<[name: string, value: string]> {
  const extension = Object.keys(json).find((each) => each.startsWith("["));
  if (extension !== undefined) {
    throw notInQuery(extension, "it is an extension");
  }
  for (const field of fields) {
    const { [field.jsonName]: given } = json;
    const path = [...place.parents, field];
    const isWrapper = field.message !== undefined && isWrapperDesc(field.message);
    const names = isWrapper ? [path, [...path, ...field.message.fields]] : [path];
    if (given !== undefined && !names.some((each) => place.inPath.includes(protoPath(each)))) {
      yield* parametersOf(field, given, { ...place, parents: path });
    }
  }
}

/** The parameters of a field, whose path is `parents`. */
function* parametersOf(
  field: DescField,
  given: JsonValue,
  place: Place,
): Iterable<[name: string, value: string]> {
  const { fieldKind, message } = field;
  const { parents, inPath, mapParameters } = place;
  const name = jsonPath(parents);
  const hasText = message === undefined || isWrittenAsText(message);
  if (fieldKind === "map" && !mapParameters) {
    throw notInQuery(name, "it is a map, which needs the option mapParameters, here and in the server");
  }
  if (hasText && fieldKind === "map") {
    for (const [key, value] of Object.entries(given as JsonObject)) {
      yield [`${name}[${key}]`, parameterText(field, value)];
    }
  } else if (hasText) {
    for (const value of fieldKind === "list" ? (given as JsonValue[]) : [given]) {
      yield [name, parameterText(field, value)];
    }
  } else if (fieldKind !== "message" || hasOwnForm(message)) {
    const type = `${message.typeName}, which has no text form`;
    throw notInQuery(name, fieldKind === "message" ? `it is a ${type}` : `its elements are ${type}`);
  } else {
    const inner = [...parametersIn(message.fields, given as JsonObject, place)];
    const isInPath = inPath.some((each) => each.startsWith(`${protoPath(parents)}.`));
    yield* inner.length > 0 || isInPath ? inner : [emptyMessage(message, name)];
  }
}

/** The parameter that sets a message without a field: one that has its default value there. */
function emptyMessage({ fields }: DescMessage, name: string): [name: string, value: string] {
  for (const field of fields) {
    const text = defaultText(field);
    if (text !== undefined) {
      return [`${name}.${field.jsonName}`, text];
    }
  }
  throw notInQuery(name, "it is an empty message");
}

function notInQuery(name: string, why: string): ConnectError {
  return new ConnectError(`the field ${name} cannot be in a query: ${why}`, Code.InvalidArgument);
}

/** The text of a scalar in ProtoJSON in a path or a query. An enum value may have its own name over HTTP. */
export function parameterText(field: DescField, value: JsonValue): string {
  const named = field.enum?.values.find(({ name }) => name === value || value === null);
  return (named && enumValueName(named)) ?? named?.name ?? String(value);
}

/** The text of the value of a field that ProtoJSON leaves out; undefined for a field that is unset then. */
export function defaultText({ presence, fieldKind, scalar, enum: type }: DescField): string | undefined {
  if (presence !== Presence.IMPLICIT) {
    return undefined;
  }
  if (fieldKind === "enum") {
    return type?.values[0]?.name;
  }
  const isText = scalar === ScalarType.STRING || scalar === ScalarType.BYTES;
  return isText ? "" : scalar === ScalarType.BOOL ? "false" : "0";
}
