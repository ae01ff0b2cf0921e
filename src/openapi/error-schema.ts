import { Code } from "@connectrpc/connect";
import { codeName } from "../rpc/code-name.js";
import type { Schema } from "./open-api.js";

/** The schema of every error: `{"error": …}` as AIP-193 has it, with the details that errors here have. */
export function errorSchema(): Schema {
  const codes = Object.values(Code).flatMap((code) => (typeof code === "number" ? [codeName(code)] : []));
  return {
    type: "object",
    description: "An error (https://google.aip.dev/193).",
    properties: {
      error: {
        type: "object",
        properties: {
          code: { type: "integer", description: "The HTTP status." },
          status: { type: "string", enum: codes, description: "The canonical code, as gRPC has it." },
          message: { type: "string", description: "For people: what is wrong, where, and what is allowed." },
          details: { type: "array", items: { oneOf: [ERROR_INFO, BAD_REQUEST, RETRY_INFO] } },
        },
        required: ["code", "status", "message", "details"],
      },
    },
    required: ["error"],
  };
}

const ERROR_INFO: Schema = {
  type: "object",
  description: "Why, for programs.",
  properties: {
    "@type": { type: "string", const: "type.googleapis.com/google.rpc.ErrorInfo" },
    reason: { type: "string", pattern: "^[A-Z][A-Z0-9_]*$", description: "A reason that stays as it is." },
    domain: { type: "string", description: "Whose reason it is." },
    metadata: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "Facts for programs.",
    },
  },
  required: ["@type", "reason", "domain"],
};

const BAD_REQUEST: Schema = {
  type: "object",
  description: "Every parameter that is wrong.",
  properties: {
    "@type": { type: "string", const: "type.googleapis.com/google.rpc.BadRequest" },
    fieldViolations: {
      type: "array",
      items: {
        type: "object",
        properties: {
          field: { type: "string", description: "The parameter, as the request spells it." },
          reason: {
            type: "string",
            pattern: "^[A-Z][A-Z0-9_]*$",
            description: "What is wrong, for programs.",
          },
          description: { type: "string", description: "What is wrong, and what is allowed, for people." },
        },
        required: ["field", "reason", "description"],
      },
    },
  },
  required: ["@type", "fieldViolations"],
};

const RETRY_INFO: Schema = {
  type: "object",
  description: "When the same request may succeed.",
  properties: {
    "@type": { type: "string", const: "type.googleapis.com/google.rpc.RetryInfo" },
    retryDelay: {
      type: "string",
      pattern: "^[0-9]+(\\.[0-9]{3})?s$",
      description: "How long to wait at the least, in seconds.",
    },
  },
  required: ["@type", "retryDelay"],
};
