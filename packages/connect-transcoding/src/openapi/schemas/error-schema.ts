import { Code } from "@connectrpc/connect";
import { codeName } from "../../errors/codes.js";
import type { Schema } from "../open-api.js";
import { objectSchema } from "./object-schemas.js";
import type { Schemas } from "./schemas.js";

/**
 * Defines the components of errors as in AIP-193, with the details that the engine creates. Returns a reference to `Error`.
 * Without an `errorDomain`, the `domain` of details is optional: ProtoJSON omits empty texts.
 */
export function defineErrorSchema({ define }: Pick<Schemas, "define">, errorDomain: string): Schema {
  const optional = errorDomain === "" ? ["metadata", "domain"] : ["metadata"];
  const violation = define("FieldViolation", responseObject("One invalid parameter.", VIOLATION));
  const details = {
    ErrorInfo: detailSchema("google.rpc.ErrorInfo", "The reason, for programs.", ERROR_INFO, optional),
    BadRequest: detailSchema("google.rpc.BadRequest", "All invalid parameters.", {
      fieldViolations: {
        type: "array",
        items: violation,
        description: "Each with the parameter and a reason.",
      },
    }),
    RetryInfo: detailSchema("google.rpc.RetryInfo", "When the same request may succeed.", RETRY_INFO),
  };
  const defined = Object.entries(details).map(([name, schema]) => ({
    type: String(schema.properties?.["@type"]?.const),
    reference: define(name, schema),
  }));
  const detail = define("ErrorDetail", {
    description: "A detail of an error: a message with its type.",
    oneOf: defined.map(({ reference }) => reference),
    discriminator: {
      propertyName: "@type",
      mapping: Object.fromEntries(defined.map(({ type, reference }) => [type, reference.$ref ?? ""])),
    },
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

const REASON = "^[A-Z][A-Z0-9_]*$";

const ERROR_INFO: Readonly<Record<string, Schema>> = {
  reason: { type: "string", pattern: REASON, description: "A stable reason." },
  domain: { type: "string", description: "The service that defines the reason." },
  metadata: {
    type: "object",
    additionalProperties: { type: "string" },
    description: "Facts for programs.",
  },
};

const VIOLATION: Readonly<Record<string, Schema>> = {
  field: { type: "string", description: "The parameter, as in the request." },
  reason: { type: "string", pattern: REASON, description: "What is wrong, for programs." },
  description: { type: "string", description: "What is wrong, and what is allowed, for people." },
};

const RETRY_INFO: Readonly<Record<string, Schema>> = {
  retryDelay: {
    type: "string",
    pattern: "^[0-9]+(\\.[0-9]{3})?s$",
    description: "The minimum time to wait, in seconds.",
  },
};

/** The schema of an object in responses. All properties are present, except for `optional` ones. */
function responseObject(
  description: string,
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const all = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: !optional.includes(name),
  }));
  return objectSchema(all, false, description);
}

/** The schema of a message in `google.protobuf.Any`. */
function detailSchema(
  typeName: string,
  description: string,
  properties: Readonly<Record<string, Schema>>,
  optional?: readonly string[],
): Schema {
  const type: Schema = { type: "string", const: `type.googleapis.com/${typeName}` };
  return responseObject(description, { "@type": type, ...properties }, optional);
}
