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
import { encodeError, forbidsStoring, isSafe, STREAM_TYPE } from "../response/response-encoder.js";
import type { BindingGroup } from "../rules/binding-group.js";
import { type HttpBinding, methodName } from "../rules/http-rule.js";
import { fieldDocsOf, type RequestLimit } from "../rules/method-options.js";
import {
  type Comments,
  commentOn,
  exampleOf,
  examplesOf,
  joinTexts,
  namedExamples,
  type Scenario,
} from "./documentation.js";
import type { MediaType, Reference, Response, Schema } from "./open-api.js";
import { mediaTypesOf } from "./request.js";
import { distinct, type Schemas } from "./schemas.js";

/** The response of a successful operation, in all of its media types. */
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
    joinTexts([...descriptions], " / ") || "The response.",
    ...(isStream ? ["One message per line; if the stream fails, the last line is an error."] : []),
  ];
  const headers = headersOf(scenarios);
  return {
    description: texts.join("\n\n"),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    content: Object.fromEntries(contents),
  };
}

function mediaTypes({ responseBody, binding: { method, options } }: Scenario): string[] {
  switch (responseBody.kind) {
    case "text":
      return ["text/plain"];
    case "bytes":
      return options.mediaTypes.length > 0 ? options.mediaTypes : ["*/*"];
    case "json":
      return [method.methodKind === "server_streaming" ? STREAM_TYPE : "application/json"];
  }
}

function mediaType(scenarios: readonly Scenario[], schemas: Schemas): MediaType {
  const unique = distinct(scenarios.flatMap((scenario) => schemaOf(scenario, schemas) ?? []));
  const [first, ...others] = unique;
  const schema = others.length === 0 ? first : { oneOf: unique };
  return { ...(schema === undefined ? {} : { schema }), ...examplesOf(scenarios, exampleResponse) };
}

/** The schema of a response; undefined for a `google.api.HttpBody`. */
function schemaOf(
  { responseBody: { kind, field }, binding: { method } }: Scenario,
  schemas: Schemas,
): Schema | undefined {
  if (kind === "bytes") {
    return undefined;
  }
  return field === undefined
    ? schemas.ofMessage(method.output, "response")
    : schemas.ofField(field, "response");
}

function exampleResponse({
  responseBody: { kind, field },
  binding: { method },
}: Scenario): JsonValue | undefined {
  if (kind === "bytes") {
    return undefined;
  }
  const message = exampleOf(method.output, "response");
  return field === undefined ? message : message[field.jsonName];
}

function headersOf(scenarios: readonly Scenario[]): Record<string, { description: string; schema: Schema }> {
  const bindings = scenarios.map(({ binding }) => binding);
  const [cacheControl = "", ...others] = new Set(bindings.map(({ options }) => options.cacheControl));
  const isSame = others.length === 0 && cacheControl !== "";
  const canHaveTag = bindings.every(
    (binding) =>
      isSafe(binding) &&
      binding.method.methodKind === "unary" &&
      !forbidsStoring(binding.options.cacheControl),
  );
  return {
    ...(isSame
      ? {
          "Cache-Control": {
            description: "How long the response can be cached.",
            schema: { type: "string", const: cacheControl },
          },
        }
      : {}),
    ...(canHaveTag
      ? {
          ETag: {
            description:
              "The version of the response; a request with it in `If-None-Match` gets a 304 without a body if it is unchanged.",
            schema: { type: "string" },
          },
        }
      : {}),
  };
}

/** An error that `onRequest` rejects requests with, for the document of the API. */
export interface Rejection {
  readonly error: ConnectError;
  /** When the request is rejected. */
  readonly description: string;
}

/** The error responses of a document. */
export interface ErrorResponses {
  /** The error responses of a group of bindings, by status. */
  ofGroup(group: BindingGroup): Record<string, Response | Reference>;
  /** The responses that are the same for all groups, by name. */
  readonly components: Readonly<Record<string, Response>>;
}

/** Creates the error responses: those of requests, of methods, and `rejections`, with the JSON of each as an example. */
export function createErrorResponses(
  errorSchema: Schema,
  requestLimit: RequestLimit,
  rejections: readonly Rejection[],
  errorDomain: string,
): ErrorResponses {
  const respond = (errors: readonly Rejection[]): Response => {
    const examples = errors.map(({ error }): [name: string, value: JsonValue] => [
      reasonOf(error),
      JSON.parse(String(encodeError(withDomain(error, errorDomain)).body)),
    ]);
    const descriptions = errors.map(({ error, description }) => `\`${reasonOf(error)}\`: ${description}`);
    return {
      description: descriptions.join("\n\n"),
      content: { "application/json": { schema: errorSchema, ...namedExamples(examples) } },
    };
  };

  function ofGroup(group: BindingGroup): Record<string, Response | Reference> {
    const maxBodyBytes = Math.max(...group.map(({ method }) => requestLimit(method)));
    const errors = [...requestErrors(group, maxBodyBytes), ...rejections, ...group.flatMap(methodErrors)];
    const byStatus = new Map<number, Rejection[]>();
    for (const each of errors) {
      const { status } = encodeError(each.error);
      byStatus.set(status, [...(byStatus.get(status) ?? []), each]);
    }
    const own = [...byStatus].map(([status, all]) => [String(status), respond(all)] as const);
    return { ...Object.fromEntries(own), 500: { $ref: "#/components/responses/Internal" } };
  }

  const internal = { error: internalError(), description: "An unexpected error, which has been reported." };
  return { ofGroup, components: { Internal: respond([internal]) } };
}

/** The errors of requests that cannot be read or bound. */
function requestErrors(group: BindingGroup, maxBodyBytes: number): Rejection[] {
  const documented = (reason: Parameters<typeof malformed>[0], description: string): Rejection => ({
    error: malformed(reason, description),
    description,
  });
  const [first] = group;
  const hasBody = first !== undefined && first.body.kind !== "none";
  const hasRawBody = hasBody && first.body.raw;
  return [
    {
      error: invalidArgument([exampleViolation(group)]),
      description: "Parameters are invalid, missing or unknown. All of them are listed, each with a reason.",
    },
    documented("MALFORMED_QUERY", "The query is not percent-encoded UTF-8."),
    ...(first !== undefined && first.template.variables.length > 0
      ? [documented("MALFORMED_PATH", "The path is not percent-encoded UTF-8.")]
      : []),
    ...(hasBody ? [] : [documented("BODY_NOT_ALLOWED", "The request has a body.")]),
    ...(hasBody && !hasRawBody
      ? [
          documented("MALFORMED_BODY", "The body does not match its content type."),
          {
            error: unsupportedMediaType(mediaTypesOf(group)),
            description: "The content type of the body is not supported, or the body is not in UTF-8.",
          },
        ]
      : []),
    ...(hasBody
      ? [
          { error: unsupportedContentEncoding(), description: "The body is compressed." },
          {
            error: bodyTooLarge(maxBodyBytes),
            description: `The body has more than ${maxBodyBytes} bytes.`,
          },
        ]
      : []),
  ];
}

function exampleViolation(group: BindingGroup) {
  const fields = group.flatMap(({ method }) => method.input.fields);
  const field =
    fields.find((each) => fieldDocsOf(each).required)?.jsonName ?? fields[0]?.jsonName ?? "parameter";
  return { field, reason: "REQUIRED", description: "is required" } as const;
}

/** The errors in the options of a method. Throws an Error that names the method for one without a code or a reason. */
function methodErrors({ method, options }: HttpBinding): Rejection[] {
  return options.errors.map(({ code, reason, description }) => {
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

/** The schema of errors as in AIP-193, with the details that the engine creates. */
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
          status: { type: "string", enum: codes, description: "The canonical code, as in gRPC." },
          message: { type: "string", description: "For people: what is wrong, where, and what is allowed." },
          details: { type: "array", items: { oneOf: [ERROR_INFO, BAD_REQUEST, RETRY_INFO] } },
        },
        required: ["code", "status", "message", "details"],
      },
    },
    required: ["error"],
  };
}

const REASON = "^[A-Z][A-Z0-9_]*$";

const ERROR_INFO = detailSchema("google.rpc.ErrorInfo", "The reason, for programs.", {
  reason: { type: "string", pattern: REASON, description: "A stable reason." },
  domain: { type: "string", description: "The service that defines the reason." },
  metadata: {
    type: "object",
    additionalProperties: { type: "string" },
    description: "Facts for programs.",
  },
});

const VIOLATION: Schema = {
  type: "object",
  properties: {
    field: { type: "string", description: "The parameter, as in the request." },
    reason: { type: "string", pattern: REASON, description: "What is wrong, for programs." },
    description: { type: "string", description: "What is wrong, and what is allowed, for people." },
  },
  required: ["field", "reason", "description"],
};

const BAD_REQUEST = detailSchema("google.rpc.BadRequest", "All invalid parameters.", {
  fieldViolations: { type: "array", items: VIOLATION },
});

const RETRY_INFO = detailSchema("google.rpc.RetryInfo", "When the same request may succeed.", {
  retryDelay: {
    type: "string",
    pattern: "^[0-9]+(\\.[0-9]{3})?s$",
    description: "The minimum time to wait, in seconds.",
  },
});

/** The schema of a message in `google.protobuf.Any`. All properties but `metadata` are required. */
function detailSchema(
  typeName: string,
  description: string,
  properties: Readonly<Record<string, Schema>>,
): Schema {
  return {
    type: "object",
    description,
    properties: {
      "@type": { type: "string", const: `type.googleapis.com/${typeName}` },
      ...properties,
    },
    required: ["@type", ...Object.keys(properties).filter((name) => name !== "metadata")],
  };
}
