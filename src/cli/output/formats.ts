import type { DescMethodUnary, Registry } from "@bufbuild/protobuf";
import {
  createJsonResponseWriter,
  type FieldPath,
  type MessageInit,
  placeOf,
  readField,
} from "connect-transcoding/codec";
import {
  httpBodyReader,
  readHttpBindings,
  responseBodyOf,
  responseTextReader,
} from "connect-transcoding/rules";
import type { ToolCommand } from "../commands.js";

/** The formats of a method's response, as the service writes it over HTTP. */
export type ResponseFormats = ReturnType<typeof responseFormats>;

/**
 * Derives the formats of a method's response from its `google.api.http` rule.
 *
 * @param value the field that is the text of the response; undefined: the rule decides
 */
export function responseFormats(method: DescMethodUnary, registry: Registry, value?: FieldPath) {
  const [binding = { method, responseBody: undefined, options: undefined }] = readHttpBindings(method);
  const first = responseBodyOf(binding, binding.options?.representation?.choices[0]?.textField);
  const { responseBody } = binding;
  const desc = responseBody === undefined ? method.output : responseBody.message;
  const isList = responseBody?.fieldKind === "list";
  return {
    /** The whole response, or its `response_body`, as JSON. */
    json: createJsonResponseWriter(method.output, responseBody, registry),
    /** The message type of this JSON; undefined if it is not one message. */
    desc: responseBody === undefined || responseBody.fieldKind === "message" ? desc : undefined,
    /** The message type of the elements if the JSON is an array of messages. */
    element: isList ? desc : undefined,
    /** Whether the JSON is that of the message, rather than of its `response_body`. */
    isWhole: responseBody === undefined,
    /** The bytes of a `google.api.HttpBody`. */
    bytes: first.kind === "bytes" ? httpBodyReader(first.field) : undefined,
    /** The text if the default representation is text. */
    text: value ? textReader(value) : first.kind === "text" ? responseTextReader(first.field) : undefined,
  };
}

function textReader(path: FieldPath): (message: MessageInit) => string {
  const places = path.map(placeOf);
  return (message) =>
    String(
      places.reduce<unknown>((value, place) => readField(place, (value ?? {}) as MessageInit), message) ?? "",
    );
}

/** The formats of the response to one input of many: a batch has it as a message in its results. */
export function itemFormats({ method, batch, value }: ToolCommand, registry: Registry): ResponseFormats {
  const formats = responseFormats(method, registry, value);
  const desc = batch?.answer.message;
  if (desc === undefined) {
    return formats;
  }
  const json = createJsonResponseWriter(desc, undefined, registry);
  return { ...formats, json, desc, element: undefined, isWhole: true, bytes: undefined };
}
