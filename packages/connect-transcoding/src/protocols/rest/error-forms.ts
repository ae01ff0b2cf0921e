import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { codeName } from "../../errors/codes.js";
import { errorStatus } from "../../errors/http-error.js";
import type { EncodeError } from "./error.js";
import { errorDetails } from "./error-details.js";

/** A form of errors over REST, with what OpenAPI says of it. */
export interface ErrorForm {
  readonly encodeError: EncodeError;
  readonly contentType: string;
  /** The JSON Schema of an error. */
  readonly schema: JsonObject;
}

const detailOf = (details: readonly JsonObject[], name: string): JsonObject | undefined =>
  details.find((each) => each["@type"] === `type.googleapis.com/google.rpc.${name}`);

/** The titles of problems: the reason phrases of their statuses (RFC 9110, section 15). */
const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  417: "Expectation Failed",
  421: "Misdirected Request",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  499: "Client Closed Request",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  505: "HTTP Version Not Supported",
};

const PROBLEM_TYPE = "application/problem+json";

/**
 * Errors as problem details. Members beyond those of the RFC: `code` is the canonical code; `reason`, `domain` and `metadata` come from the
 * `google.rpc.ErrorInfo`; `errors` are the invalid parameters; `details` are other details, as in AIP-193.
 * https://www.rfc-editor.org/rfc/rfc9457
 */
export const problemDetails: ErrorForm = {
  contentType: PROBLEM_TYPE,
  encodeError: (error, request, details = errorDetails(error)) => {
    const status = errorStatus(error);
    const [info, badRequest] = ["ErrorInfo", "BadRequest"].map((name) => detailOf(details, name));
    const { "@type": _, ...facts } = info ?? {};
    const others = details.filter((each) => each !== info && each !== badRequest);
    return {
      headers: { "content-type": PROBLEM_TYPE },
      body: {
        type: "about:blank",
        title: TITLES[status] ?? "Error",
        status,
        detail: error.rawMessage,
        ...(request !== undefined && request.path !== "" && { instance: request.path }),
        code: codeName(error.code),
        ...facts,
        ...(badRequest !== undefined && { errors: badRequest.fieldViolations as JsonValue }),
        ...(others.length > 0 && { details: others }),
      },
    };
  },
  schema: objectOf("A problem (https://www.rfc-editor.org/rfc/rfc9457).", ["type", "title", "status"], {
    type: { type: "string", description: "`about:blank`: the status says what kind of problem it is." },
    title: { type: "string", description: "The reason phrase of the status." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "For people: what is wrong, where, and what is allowed." },
    instance: { type: "string", description: "The path of the request." },
    code: { type: "string", description: "The canonical code, as in gRPC." },
    reason: { type: "string", description: "A stable reason, for programs." },
    domain: { type: "string", description: "The service that defines the reason." },
    metadata: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "Facts for programs.",
    },
    errors: {
      type: "array",
      description: "All invalid parameters.",
      items: objectOf("One invalid parameter.", ["field", "description"], {
        field: { type: "string", description: "The parameter, as in the request." },
        reason: { type: "string", description: "What is wrong, for programs." },
        description: { type: "string", description: "What is wrong, and what is allowed, for people." },
      }),
    },
    details: {
      type: "array",
      items: { type: "object" },
      description: "Other details, each with its `@type`.",
    },
  }),
};

/**
 * Errors as grpc-gateway sends them: a `google.rpc.Status` with the number of the canonical code.
 * https://grpc-ecosystem.github.io/grpc-gateway/docs/mapping/customizing_your_gateway/
 */
export const grpcGatewayErrors: ErrorForm = {
  contentType: "application/json",
  encodeError: (error, _request, details = errorDetails(error)) => ({
    body: { code: error.code, message: error.rawMessage, details: [...details] },
  }),
  schema: objectOf("An error.", ["code", "message", "details"], {
    code: { type: "integer", description: "The canonical code, as in gRPC." },
    message: { type: "string", description: "What is wrong." },
    details: { type: "array", items: { type: "object" }, description: "Details, each with its `@type`." },
  }),
};

function objectOf(description: string, required: readonly string[], properties: JsonObject): JsonObject {
  return { type: "object", description, required: [...required], properties };
}
