import type { DescField, DescMessage, Message, Registry } from "@bufbuild/protobuf";
import { type FieldViolation, invalidArgument } from "../errors/errors.js";
import { abbreviate, MAX_GATHERED, malformed } from "../errors/http-error.js";
import { type BindingOptions, createMessageBinder } from "../request/message-binder.js";
import { bodyParameters, type Parameter } from "../request/request-parameters.js";
import { createJsonWriters, type JsonMessageWriter } from "./json-writer.js";

/** What a body that is one JSON object has for headers. */
const JSON_CONTENT = { contentType: "application/json", contentEncoding: undefined };

/**
 * Makes the reader of JSON that is a message of one type. It throws an RpcError with everything that is wrong with the JSON,
 * as over REST: by path, and without repeating a value; no octets are no JSON.
 */
export function createJsonMessageReader(
  desc: DescMessage,
  options: BindingOptions,
): (json: Uint8Array) => Message {
  const binder = createMessageBinder(desc, options);
  const unknownIn = (parameters: readonly Parameter[]): readonly Parameter[] =>
    options.unknownParameters === "ignore" ? [] : parameters.filter((each) => !binder.fills(each));
  return (json) => {
    if (json.length === 0) {
      throw malformed("MALFORMED_BODY", "the body is not JSON");
    }
    const parameters = bodyParameters(JSON_CONTENT, json, false);
    const unknown = unknownIn(parameters);
    const { message, violations } = binder.bind(parameters);
    if (unknown.length > 0 || violations.length > 0) {
      throw invalidArgument([...unknown.slice(0, MAX_GATHERED).map(unknownField), ...violations]);
    }
    return message;
  };

  function unknownField({ name }: Parameter): FieldViolation {
    const description = `is no field of ${desc.typeName}`;
    return { field: abbreviate(name), reason: "UNKNOWN_PARAMETER", description };
  }
}

/**
 * Makes the writer of messages of one type as JSON text, fields with their default value included. It takes plain objects
 * in which fields are missing as well as messages.
 */
export function createJsonMessageWriter(desc: DescMessage, registry: Registry): JsonMessageWriter {
  return createJsonWriters(registry).ofMessage(desc);
}

/**
 * Makes the writer of the JSON text that answers of one type are: the whole message, or one field of it, which is `null`
 * where the message does not have it.
 */
export function createJsonAnswerWriter(
  desc: DescMessage,
  field: DescField | undefined,
  registry: Registry,
): JsonMessageWriter {
  if (field === undefined) {
    return createJsonMessageWriter(desc, registry);
  }
  const write = createJsonWriters(registry).ofField(field);
  return (message) => write(message) ?? "null";
}
