import type { DescMessage, DescMethodUnary, Registry } from "@bufbuild/protobuf";
import {
  createJsonResponseWriter,
  type FieldPath,
  type MessageInit,
  placeOf,
  readField,
} from "connect-transcoding/codec";
import {
  type HttpBodyContent,
  httpBodyReader,
  readHttpBindings,
  responseBodyOf,
  responseTextReader,
} from "connect-transcoding/rules";
import type { ToolCommand } from "../commands.js";

/** The formats of a method's response, as the service writes it over HTTP. */
export interface ResponseFormats {
  /** The whole response, or its `response_body`, as JSON. */
  readonly json: (message: MessageInit) => string;
  /** The message type of this JSON; undefined if it is not one message. */
  readonly desc: DescMessage | undefined;
  /** The message type of the elements if the JSON is an array of messages. */
  readonly element: DescMessage | undefined;
  /** Whether the JSON is that of the message, rather than of its `response_body`. */
  readonly isWhole: boolean;
  /** The bytes of a `google.api.HttpBody`. */
  readonly bytes: ((message: MessageInit) => HttpBodyContent) | undefined;
  /** The text if the default representation is text. */
  readonly text: ((message: MessageInit) => string) | undefined;
}

/**
 * Derives the formats of a method's response from its `google.api.http` rule.
 *
 * @param value the field that is the text of the response; undefined: the rule decides
 */
export function responseFormats(
  method: DescMethodUnary,
  registry: Registry,
  value?: FieldPath,
): ResponseFormats {
  const [binding = { method, responseBody: undefined, options: undefined }] = readHttpBindings(method);
  const first = responseBodyOf(binding, binding.options?.representation?.choices[0]?.textField);
  const { output } = method;
  const { responseBody } = binding;
  return {
    json: createJsonResponseWriter(output, responseBody, registry),
    desc:
      responseBody === undefined || responseBody.fieldKind === "message"
        ? (responseBody?.message ?? output)
        : undefined,
    element: responseBody?.fieldKind === "list" ? responseBody.message : undefined,
    isWhole: responseBody === undefined,
    bytes: first.kind === "bytes" ? httpBodyReader(first.field) : undefined,
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
  return desc === undefined
    ? formats
    : {
        ...formats,
        json: createJsonResponseWriter(desc, undefined, registry),
        desc,
        element: undefined,
        isWhole: true,
        bytes: undefined,
      };
}
