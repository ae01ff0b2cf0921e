import type { DescMessage, Registry } from "@bufbuild/protobuf";
import { type FieldViolation, invalidArgument } from "../rpc/rpc-error.js";
import type { BindingOptions } from "./binding-options.js";
import { abbreviate, addViolation } from "./error-text.js";
import { createJsonWriters, type JsonMessageWriter } from "./json-writer.js";
import { createMessageBinder } from "./message-binder.js";
import { bodyParameters } from "./request-parameters.js";

/** What a body that is one JSON object has for headers. */
const JSON_CONTENT = { contentType: "application/json", contentEncoding: undefined };

/**
 * Makes the check of JSON that is to be a message of one type. It throws an RpcError with everything that is wrong with
 * the JSON, as over REST: by path, and without repeating a value.
 */
export function createJsonMessageCheck(
  desc: DescMessage,
  options: BindingOptions,
): (json: Uint8Array) => void {
  const binder = createMessageBinder(desc, options);
  return (json) => {
    const parameters = bodyParameters(JSON_CONTENT, json, false);
    const violations: FieldViolation[] = [];
    for (const parameter of parameters) {
      if (options.unknownParameters === "reject" && !binder.fills(parameter)) {
        const description = `is no field of ${desc.typeName}`;
        addViolation(violations, {
          field: abbreviate(parameter.name),
          reason: "UNKNOWN_PARAMETER",
          description,
        });
      }
    }
    const all = [...violations, ...binder.bind(parameters).violations];
    if (all.length > 0) {
      throw invalidArgument(all);
    }
  };
}

/**
 * Makes the writer of messages of one type as JSON text, fields with their default value included. It takes plain objects
 * in which fields are missing as well as messages.
 */
export function createJsonMessageWriter(desc: DescMessage, registry: Registry): JsonMessageWriter {
  return createJsonWriters(registry).ofMessage(desc);
}
