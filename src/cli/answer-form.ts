import type { DescMessage, DescMethodUnary, Registry } from "@bufbuild/protobuf";
import type { MessageInit } from "connect-transcoding/codec";
import { createJsonMessageWriter, createJsonResponseWriter } from "connect-transcoding/codec";
import {
  type HttpBodyContent,
  httpBodyReader,
  readHttpBindings,
  responseBodyOf,
  responseTextReader,
} from "connect-transcoding/rules";

/** How the answers of a method are written: as the service does it over HTTP. */
export interface AnswerForm {
  /** The whole answer, or its `response_body`, as JSON text. */
  readonly json: (message: MessageInit) => string;
  /** The type that this JSON is of; undefined where it is not that of one message. */
  readonly desc: DescMessage | undefined;
  /** The type of its elements where the JSON is an array of messages. */
  readonly element: DescMessage | undefined;
  /** The answer as octets where it is a `google.api.HttpBody`. */
  readonly octets: ((message: MessageInit) => HttpBodyContent) | undefined;
  /** The answer as text where its first representation over HTTP is that. */
  readonly text: ((message: MessageInit) => string) | undefined;
}

/** Works out the form of a method's answers from its `google.api.http` rule. */
export function answerForm(method: DescMethodUnary, registry: Registry): AnswerForm {
  const [binding = { method, responseBody: undefined, options: undefined }] = readHttpBindings(method);
  const first = responseBodyOf(binding, binding.options?.representation?.choices[0]?.textField);
  const { output } = method;
  const { responseBody } = binding;
  return {
    json: createJsonResponseWriter(output, responseBody, registry),
    desc:
      responseBody === undefined
        ? output
        : responseBody.fieldKind === "message"
          ? responseBody.message
          : undefined,
    element: responseBody?.fieldKind === "list" ? responseBody.message : undefined,
    octets: first.kind === "bytes" ? httpBodyReader(first.field) : undefined,
    text: first.kind === "text" ? responseTextReader(first.field) : undefined,
  };
}

/** The form of messages that are written whole. */
export function formOfMessage(desc: DescMessage, registry: Registry): AnswerForm {
  const json = createJsonMessageWriter(desc, registry);
  return { json, desc, element: undefined, octets: undefined, text: undefined };
}
