import type { DescMessage, Message } from "@bufbuild/protobuf";
import { type FieldViolation, invalidArgument } from "../rpc/rpc-error.js";
import type { BindingOptions } from "./binding-options.js";
import { abbreviate, addViolation } from "./error-text.js";
import { malformed } from "./http-error.js";
import { createMessageBinder } from "./message-binder.js";
import { bodyParameters } from "./request-parameters.js";

/** What a body that is one JSON object has for headers. */
const JSON_CONTENT = { contentType: "application/json", contentEncoding: undefined };

/**
 * Makes the reader of JSON that is to be a message of one type. It throws an RpcError with everything that is wrong with
 * the JSON, as over REST: by path, and without repeating a value.
 */
export function createJsonMessageReader(
  desc: DescMessage,
  options: BindingOptions,
): (json: Uint8Array) => Message {
  const binder = createMessageBinder(desc, options);
  return (json) => {
    if (json.length === 0) {
      throw malformed("MALFORMED_BODY", "the body is not JSON");
    }
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
    const bound = binder.bind(parameters);
    const all = [...violations, ...bound.violations];
    if (all.length > 0) {
      throw invalidArgument(all);
    }
    return bound.message;
  };
}
