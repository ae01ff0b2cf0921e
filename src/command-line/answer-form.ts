import type { DescMessage, DescMethodUnary, Registry } from "@bufbuild/protobuf";
import { isHttpBody, readHttpBindings } from "../transcoding/http-rule.js";
import { createJsonMessageWriter } from "../transcoding/json-message.js";
import { createJsonWriters } from "../transcoding/json-writer.js";
import { type MessageInit, placeOf, readField } from "../transcoding/message-field.js";

/** How the answers of a method are written: as the service does it over HTTP. */
export interface AnswerForm {
  /** The whole answer, or its `response_body`, as JSON text. */
  readonly json: (message: MessageInit) => string;
  /** The type that this JSON is of; undefined where it is not that of one message. */
  readonly desc: DescMessage | undefined;
  /** The type of its elements where the JSON is an array of messages. */
  readonly element: DescMessage | undefined;
  /** The answer as octets where it is a `google.api.HttpBody`. */
  readonly octets: ((message: MessageInit) => Octets) | undefined;
  /** The answer as text where its first representation over HTTP is that. */
  readonly text: ((message: MessageInit) => string) | undefined;
}

/** What a `google.api.HttpBody` holds. */
export interface Octets {
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** Works out the form of a method's answers from its `google.api.http` rule. */
export function answerForm(method: DescMethodUnary, registry: Registry): AnswerForm {
  const [binding] = readHttpBindings(method);
  const field = binding?.responseBody;
  const { output } = method;
  const textField = output.fields.find(
    ({ name }) => name === binding?.surface.representation?.choices[0]?.textField,
  );
  if (field === undefined) {
    return {
      ...formOfMessage(output, registry),
      octets: isHttpBody(output) ? octetsOf : undefined,
      text: textField && ((message) => String(readField(placeOf(textField), message) ?? "")),
    };
  }
  const place = placeOf(field);
  const write = createJsonWriters(registry).ofField(field);
  return {
    json: (message) => write(message) ?? "null",
    desc: field.fieldKind === "message" ? field.message : undefined,
    element: field.fieldKind === "list" ? field.message : undefined,
    octets:
      field.fieldKind === "message" && isHttpBody(field.message)
        ? (message) => octetsOf(readField(place, message) as MessageInit)
        : undefined,
    text: undefined,
  };
}

/** The form of messages that are written whole. */
export function formOfMessage(desc: DescMessage, registry: Registry): AnswerForm {
  const json = createJsonMessageWriter(desc, registry);
  return { json, desc, element: undefined, octets: undefined, text: undefined };
}

/** Handlers and messages have both under these names. */
function octetsOf(body: MessageInit): Octets {
  const { contentType = "", data = new Uint8Array() } = body as Partial<Octets>;
  return { contentType, data };
}
