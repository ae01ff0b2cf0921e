import type { JsonValue } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { JsonForm } from "../../codec/json/form.js";
import { createError, internalError, invalidArgument, reasonOf, withDomain } from "../../errors/errors.js";
import {
  bodyMessageTooLarge,
  bodyTooLarge,
  http2Required,
  malformed,
  rejected,
  tooManyUnreadResponses,
  unsupportedContentEncoding,
  unsupportedMediaType,
} from "../../errors/http-error.js";
import { fieldDocsOf } from "../../proto-options.js";
import { createErrorWriter } from "../../protocols/rest/error.js";
import type { ErrorForm } from "../../protocols/rest/error-forms.js";
import { entityTagField } from "../../routes/binding/entity-tag-field.js";
import type { BindingGroup } from "../../routes/rules/binding-group.js";
import { type HttpBinding, methodName, takesStream } from "../../routes/rules/http-rule.js";
import type { RequestLimit } from "../../routes/rules/request-limit.js";
import { fieldNameIn } from "../documentation.js";
import { namedExamples } from "../examples.js";
import type { Reference, Response, Schema } from "../open-api.js";
import { mediaTypesOf } from "./request-body.js";

/** An error that `onRequest` rejects requests with, for the document of the API. */
export interface DocumentedError {
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

/** Options of {@link createErrorResponses}. */
export interface ErrorResponseOptions {
  readonly requestLimit: RequestLimit;
  readonly unknownParameters: "reject" | "ignore";
  readonly rejections: readonly DocumentedError[];
  readonly errorDomain: string;
  /** The form of errors; undefined for that of AIP-193. */
  readonly errorForm: ErrorForm | undefined;
  readonly json: JsonForm;
  /** The limit of the headers of a request; undefined if it is unknown. */
  readonly maxHeaderBytes: number | undefined;
}

/** Creates the error responses: those of requests, of methods, and `rejections`, with the JSON of each as an example. */
export function createErrorResponses(
  errorSchema: Schema,
  {
    requestLimit,
    unknownParameters,
    json,
    rejections,
    errorDomain,
    errorForm,
    maxHeaderBytes,
  }: ErrorResponseOptions,
): ErrorResponses {
  const writer = createErrorWriter(errorForm?.encodeError, (thrown) => {
    throw thrown;
  });
  const contentType = errorForm?.contentType ?? "application/json";
  const respond = (errors: readonly DocumentedError[]): Response => {
    const examples = errors.map(({ error }): [name: string, value: JsonValue] => [
      reasonOf(error),
      JSON.parse(String(writer.respond(withDomain(error, errorDomain), undefined).body)),
    ]);
    const descriptions = errors.map(({ error, description }) => `\`${reasonOf(error)}\`: ${description}`);
    return {
      description: descriptions.join("\n\n"),
      content: { [contentType]: { schema: errorSchema, ...namedExamples(examples) } },
    };
  };

  function ofGroup(group: BindingGroup): Record<string, Response | Reference> {
    const maxBodyBytes = Math.max(...group.map(({ method }) => requestLimit(method)));
    const errors = [
      parameterError(group, { unknownParameters, json }),
      ...requestErrors(group, maxBodyBytes),
      ...rejections,
      ...group.flatMap(methodErrors),
    ];
    const byStatus = new Map<number, DocumentedError[]>();
    for (const each of errors) {
      const { status } = writer.respond(each.error, undefined);
      byStatus.set(status, [...(byStatus.get(status) ?? []), each]);
    }
    const own = [...byStatus].map(([status, all]) => [String(status), respond(all)] as const);
    const hasTag = group.some((binding) => entityTagField(binding) !== undefined);
    return {
      ...Object.fromEntries(own),
      ...(hasTag ? { 412: otherTag } : {}),
      ...common,
      default: { $ref: "#/components/responses/Error" },
    };
  }

  const internal = { error: internalError(), description: "An unexpected error, which has been reported." };
  const otherTag: Response = {
    description: "The resource does not have the entity tag in `If-Match`.",
    content: { [contentType]: { schema: errorSchema } },
  };
  const components: Record<string, Response> = {
    ...(maxHeaderBytes === undefined ? {} : { HeadersTooLarge: respond([headersTooLarge(maxHeaderBytes)]) }),
    Internal: respond([internal]),
    Error: { description: "Any other error.", content: { [contentType]: { schema: errorSchema } } },
  };
  const common = {
    ...(maxHeaderBytes === undefined ? {} : { 431: { $ref: "#/components/responses/HeadersTooLarge" } }),
    500: { $ref: "#/components/responses/Internal" },
  };
  return { ofGroup, components };
}

/** 431 (RFC 6585, section 5). */
function headersTooLarge(maxHeaderBytes: number): DocumentedError {
  return {
    error: rejected({ reason: "HEADERS_TOO_LARGE", status: 431, message: "the header section is too large" }),
    description: `The headers have more than ${maxHeaderBytes} bytes, with 32 for each, or there are too many of them.`,
  };
}

/** The error of invalid parameters. */
function parameterError(
  group: BindingGroup,
  { unknownParameters, json }: Pick<ErrorResponseOptions, "unknownParameters" | "json">,
): DocumentedError {
  const problems = unknownParameters === "reject" ? "invalid, missing or unknown" : "invalid or missing";
  return {
    error: invalidArgument([exampleViolation(group, json)]),
    description: `Parameters are ${problems}. All of them are listed, each with a reason.`,
  };
}

/** The errors of requests that cannot be read. */
function requestErrors(group: BindingGroup, maxBodyBytes: number): DocumentedError[] {
  const documented = (reason: Parameters<typeof malformed>[0], description: string): DocumentedError => ({
    error: malformed(reason, description),
    description,
  });
  const [first] = group;
  const hasBody = first !== undefined && first.body.kind !== "none";
  const hasRawBody = hasBody && first.body.raw;
  const isStream = first !== undefined && takesStream(first.method);
  return [
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
    ...(hasBody ? [encodingError(isStream)] : []),
    isStream
      ? {
          error: bodyMessageTooLarge("messages[0]", maxBodyBytes),
          description: `A message has more than ${maxBodyBytes} bytes.`,
        }
      : { error: bodyTooLarge(maxBodyBytes), description: `The body has more than ${maxBodyBytes} bytes.` },
    ...(group.some(({ method }) => method.methodKind === "bidi_streaming")
      ? [{ error: http2Required(), description: "The request is not sent over HTTP/2." }]
      : []),
    {
      error: tooManyUnreadResponses(),
      description:
        "Too many requests of the HTTP/2 connection are open, or their responses have not been read. `Retry-After` is the time to wait.",
    },
  ];
}

function encodingError(isStream: boolean): DocumentedError {
  return isStream
    ? { error: unsupportedContentEncoding("identity"), description: "The body is compressed." }
    : {
        error: unsupportedContentEncoding("gzip"),
        description: "The body has another content encoding than gzip.",
      };
}

function exampleViolation(group: BindingGroup, json: JsonForm) {
  const fields = group.flatMap(({ method }) => method.input.fields);
  const [first] = fields;
  const invalid = fields.find((each) => fieldDocsOf(each).required) ?? first;
  const field = invalid === undefined ? "parameter" : fieldNameIn(invalid, json);
  return { field, reason: "REQUIRED", description: "is required" } as const;
}

/** The errors in the options of a method. Throws an Error that names the method for one without a code or a reason. */
function methodErrors({ method, options }: HttpBinding): DocumentedError[] {
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
