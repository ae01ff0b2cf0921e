import { Code } from "@connectrpc/connect";
import { codeName } from "../../errors/codes.js";
import type { Schema } from "../open-api.js";
import { objectSchema } from "./object-schemas.js";
import type { Schemas } from "./schemas.js";

/** Defines the components of errors as in AIP-193. Returns a reference to `Error`. */
export function defineErrorSchema({ define }: Pick<Schemas, "define">): Schema {
  const violation = define("FieldViolation", responseObject("One invalid parameter.", VIOLATION));
  const detail = define("ErrorDetail", {
    type: "object",
    description: DETAIL,
    properties: {
      "@type": { type: "string", description: "The URL of the type." },
      ...ERROR_INFO,
      fieldViolations: {
        type: "array",
        items: violation,
        description: "Of `google.rpc.BadRequest`: all invalid parameters.",
      },
      retryDelay: RETRY_DELAY,
    },
    required: ["@type"],
    additionalProperties: {},
  });
  const codes = Object.values(Code).flatMap((code) => (typeof code === "number" ? [codeName(code)] : []));
  const status = define(
    "Status",
    responseObject("The content of an error.", {
      code: { type: "integer", description: "The HTTP status." },
      status: { type: "string", enum: codes, description: "The canonical code, as in gRPC." },
      message: { type: "string", description: "For people: what is wrong, where, and what is allowed." },
      details: { type: "array", items: detail, description: "Facts for programs." },
    }),
  );
  return define("Error", responseObject("An error (https://google.aip.dev/193).", { error: status }));
}

// Details are one schema for all types: generators either reject alternatives that include any other type, or their clients fail when
// they receive it.

const DETAIL =
  "A detail of an error: a message with its type. `google.rpc.ErrorInfo`, `google.rpc.BadRequest` and `google.rpc.RetryInfo` have the members " +
  "below, other types have others.";

const ERROR_INFO: Readonly<Record<string, Schema>> = {
  reason: { type: "string", description: "Of `google.rpc.ErrorInfo`: a stable reason, for programs." },
  domain: { type: "string", description: "Of `google.rpc.ErrorInfo`: the service that defines the reason." },
  metadata: {
    type: "object",
    additionalProperties: { type: "string" },
    description: "Of `google.rpc.ErrorInfo`: facts for programs.",
  },
};

const RETRY_DELAY: Schema = {
  type: "string",
  description: "Of `google.rpc.RetryInfo`: the minimum time to wait, in seconds, for example `1.5s`.",
};

const VIOLATION: Readonly<Record<string, Schema>> = {
  field: { type: "string", description: "The parameter, as in the request." },
  reason: { type: "string", description: "What is wrong, for programs." },
  description: { type: "string", description: "What is wrong, and what is allowed, for people." },
};

/** The schema of an object in responses whose properties are all present. */
function responseObject(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  const all = Object.entries(properties).map(([name, schema]) => ({ name, schema, required: true }));
  return objectSchema(all, false, description);
}
