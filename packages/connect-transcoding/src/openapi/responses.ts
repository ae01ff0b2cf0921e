import type { JsonValue } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { codeName } from "../errors/codes.js";
import { createError, internalError, invalidArgument, reasonOf, withDomain } from "../errors/errors.js";
import {
  bodyTooLarge,
  malformed,
  unsupportedContentEncoding,
  unsupportedMediaType,
} from "../errors/http-error.js";
import { longestRequest, type RequestLimit } from "../request/request-limit.js";
import { forbidsStoring } from "../response/content-negotiation.js";
import { encodeError, isSafe, STREAM_TYPE } from "../response/response-encoder.js";
import { methodName } from "../rules/field-path.js";
import type { HttpBinding } from "../rules/http-rule.js";
import type { BindingGroup } from "../rules/method-selection.js";
import { type Comments, commentOn } from "./comments.js";
import { exampleOf, examplesBy, type Scenario } from "./example.js";
import { fieldDocs } from "./field-docs.js";
import { exemplify, type MediaType, type Reference, type Response, type Schema } from "./open-api.js";
import type { Schemas } from "./schemas.js";

/** An error that `onRequest` rejects requests with, for the document of the API. */
export interface Rejection {
  readonly error: ConnectError;
  /** When the request is rejected. */
  readonly description: string;
}

/** The answer of an operation that succeeds, in all media types that it can have. */
export function successResponse(
  scenarios: readonly Scenario[],
  schemas: Schemas,
  comments: Comments,
): Response {
  const types = [...new Set(scenarios.flatMap(mediaTypes))];
  const contents = types.map((type): [string, MediaType] => {
    const having = scenarios.filter((scenario) => mediaTypes(scenario).includes(type));
    return [type, mediaType(having, schemas)];
  });
  const descriptions = new Set(scenarios.map(({ binding }) => commentOn(binding.method.output, comments)));
  const isStream = scenarios.some(({ binding }) => binding.method.methodKind === "server_streaming");
  const texts = [
    [...descriptions].filter((text) => text !== "").join(" / ") || "The answer.",
    ...(isStream ? ["One message a line; if the stream fails, its last line is an error."] : []),
  ];
  const headers = headersOf(scenarios);
  return {
    description: texts.join("\n\n"),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    content: Object.fromEntries(contents),
  };
}

function mediaTypes({ answer, binding: { method, surface } }: Scenario): string[] {
  switch (answer.kind) {
    case "text":
      return ["text/plain"];
    case "octets":
      return surface.mediaTypes.length > 0 ? surface.mediaTypes : ["*/*"];
    case "json":
      return [method.methodKind === "server_streaming" ? STREAM_TYPE : "application/json"];
  }
}

function mediaType(scenarios: readonly Scenario[], schemas: Schemas): MediaType {
  const found = scenarios.flatMap((scenario) => schemaOf(scenario, schemas) ?? []);
  const unique = [...new Map(found.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [first, ...others] = unique;
  const schema = others.length === 0 ? first : { oneOf: unique };
  return { ...(schema === undefined ? {} : { schema }), ...exemplify(examplesBy(scenarios, exampleAnswer)) };
}

/** The schema of an answer; none where it is octets of whatever kind. */
function schemaOf({ answer, binding: { method } }: Scenario, schemas: Schemas): Schema | undefined {
  if (answer.kind === "octets") {
    return undefined;
  }
  return answer.field === undefined
    ? schemas.ofMessage(method.output, "answer")
    : schemas.ofField(answer.field, "answer");
}

function exampleAnswer({ answer: { kind, field }, binding: { method } }: Scenario): JsonValue | undefined {
  if (kind === "octets") {
    return undefined;
  }
  const message = exampleOf(method.output, "answer");
  return field === undefined ? message : message[field.jsonName];
}

function headersOf(scenarios: readonly Scenario[]): Record<string, { description: string; schema: Schema }> {
  const bindings = scenarios.map(({ binding }) => binding);
  const [cacheControl = "", ...others] = new Set(bindings.map(({ surface }) => surface.cacheControl));
  const isSame = others.length === 0 && cacheControl !== "";
  const mayBeKept = bindings.every(
    (binding) =>
      isSafe(binding) &&
      binding.method.methodKind === "unary" &&
      !forbidsStoring(binding.surface.cacheControl),
  );
  return {
    ...(isSame
      ? {
          "Cache-Control": {
            description: "How long the answer can be kept.",
            schema: { type: "string", const: cacheControl },
          },
        }
      : {}),
    ...(mayBeKept
      ? {
          ETag: {
            description:
              "What the answer is; with it in `If-None-Match`, the same answer is a 304 without a body.",
            schema: { type: "string" },
          },
        }
      : {}),
  };
}

/** What is said of errors in a document whose schema of them is a component. */
export interface ErrorResponses {
  /** The responses of a group of bindings that are errors, by status. */
  ofGroup(group: BindingGroup): Record<string, Response | Reference>;
  /** Those that are the same everywhere, by name. */
  readonly components: Readonly<Record<string, Response>>;
}

/**
 * Writes down the errors of methods and those of rules, which every method can have, with what the engine would answer as the
 * examples.
 */
export function createErrorResponses(
  errorSchema: Schema,
  requestLimit: RequestLimit,
  rejections: readonly Rejection[],
  errorDomain: string,
): ErrorResponses {
  const respond = (errors: readonly Rejection[]): Response => ({
    description: errors
      .map(({ error, description }) => `\`${reasonOf(error)}\`: ${description}`)
      .join("\n\n"),
    content: {
      "application/json": {
        schema: errorSchema,
        ...exemplify(new Map(errors.map(({ error }) => [reasonOf(error), toJson(error, errorDomain)]))),
      },
    },
  });

  const components = {
    Internal: respond([
      { error: internalError(), description: "A fault of the service. It has been reported." },
    ]),
  };

  function bodyTooLong(group: BindingGroup): Response {
    const limit = longestRequest(
      group.map(({ method }) => method),
      requestLimit,
    );
    return respond([{ error: bodyTooLarge(limit), description: `The body has more than ${limit} bytes.` }]);
  }

  function ofGroup(group: BindingGroup): Record<string, Response | Reference> {
    const errors = [...requestErrors(group), ...rejections, ...group.flatMap(methodErrors)];
    const statuses = [...new Set(errors.map(statusOf))];
    const own = statuses.map((status) => {
      const all = errors.filter((each) => statusOf(each) === status);
      return [String(status), respond(all)] as const;
    });
    return {
      ...Object.fromEntries(own),
      ...(takesBody(group) ? { 413: bodyTooLong(group) } : {}),
      500: { $ref: "#/components/responses/Internal" },
    };
  }

  return { ofGroup, components };
}

function statusOf({ error }: Rejection): number {
  return encodeError(error).status;
}

function toJson(error: ConnectError, errorDomain: string): JsonValue {
  return JSON.parse(String(encodeError(withDomain(error, errorDomain)).body));
}

function takesBody([binding]: BindingGroup): boolean {
  return binding !== undefined && binding.body.kind !== "none";
}

/** What can be wrong with a request whatever the method makes of it. */
function requestErrors(group: BindingGroup): Rejection[] {
  const documented = (reason: Parameters<typeof malformed>[0], description: string): Rejection => ({
    error: malformed(reason, description),
    description,
  });
  const [first] = group;
  const isRaw = first !== undefined && first.body.kind !== "none" && first.body.raw;
  const hasText = takesBody(group) && !isRaw;
  return [
    {
      error: invalidArgument([exampleViolation(group)]),
      description:
        "Parameters are wrong, missing or unknown. Every one of them is named, with a reason of its own.",
    },
    documented("MALFORMED_QUERY", "The query is not percent-encoded UTF-8."),
    ...(first !== undefined && first.template.variables.length > 0
      ? [documented("MALFORMED_PATH", "The path is not percent-encoded UTF-8.")]
      : []),
    ...(takesBody(group) ? [] : [documented("BODY_NOT_ALLOWED", "The request has a body.")]),
    ...(hasText
      ? [documented("MALFORMED_BODY", "The body cannot be read as what its content type says.")]
      : []),
    ...(hasText
      ? [
          {
            error: unsupportedMediaType(mediaTypesOf(group)),
            description: "The body is of another content type, or not in UTF-8.",
          },
        ]
      : []),
    ...(takesBody(group)
      ? [{ error: unsupportedContentEncoding(), description: "The body is compressed." }]
      : []),
  ];
}

/** The media types of the bodies that a group of bindings takes. */
export function mediaTypesOf([binding]: BindingGroup): string[] {
  if (binding === undefined || binding.body.kind === "none") {
    return [];
  }
  if (binding.body.raw) {
    return ["*/*"];
  }
  const { parametersAnywhere } = binding.surface;
  return parametersAnywhere
    ? ["application/json", "application/x-www-form-urlencoded"]
    : ["application/json"];
}

function exampleViolation(group: BindingGroup) {
  const fields = group.flatMap(({ method }) => method.input.fields);
  const field =
    fields.find((each) => fieldDocs(each).required)?.jsonName ?? fields[0]?.jsonName ?? "parameter";
  return { field, reason: "REQUIRED", description: "is required" } as const;
}

/** The errors of a method's own. Throws an Error that names the method for one without a code or a reason. */
function methodErrors({ method, surface }: HttpBinding): Rejection[] {
  return surface.errors.map(({ code, reason, description }) => {
    const isCode = Object.values(Code).includes(Number(code));
    if (!isCode || reason === "") {
      throw new Error(`${methodName(method)}: an error needs a code and a reason`);
    }
    const message = description === "" ? reason : description;
    return {
      error: createError({ code: Number(code), reason: reason.toUpperCase() as Uppercase<string>, message }),
      description,
    };
  });
}

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
