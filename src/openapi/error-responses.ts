import type { JsonValue } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { internalError } from "../rpc/guard.js";
import type { Refusal } from "../rpc/incoming-request.js";
import { methodName } from "../rpc/method-name.js";
import { longestRequest, type RequestLimit } from "../rpc/request-limit.js";
import { invalidArgument, RpcError } from "../rpc/rpc-error.js";
import { errorAnswer } from "../transcoding/answer.js";
import {
  bodyTooLarge,
  malformed,
  unsupportedContentEncoding,
  unsupportedMediaType,
} from "../transcoding/http-error.js";
import type { HttpBinding } from "../transcoding/http-rule.js";
import type { BindingGroup } from "../transcoding/selection.js";
import { fieldSurface } from "./field-surface.js";
import { exemplify, type Reference, type Response, type Schema } from "./open-api.js";

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
  refusals: readonly Refusal[] = [],
): ErrorResponses {
  const respond = (errors: readonly Refusal[]): Response => ({
    description: errors.map(({ error, description }) => `\`${error.reason}\`: ${description}`).join("\n\n"),
    content: {
      "application/json": {
        schema: errorSchema,
        ...exemplify(new Map(errors.map(({ error }) => [error.reason, toJson(error)]))),
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
    return respond([{ error: bodyTooLarge(limit), description: `The body has more than ${limit} octets.` }]);
  }

  function ofGroup(group: BindingGroup): Record<string, Response | Reference> {
    const errors = [...requestErrors(group), ...refusals, ...group.flatMap(methodErrors)];
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

function statusOf({ error }: Refusal): number {
  return errorAnswer(error).status;
}

function toJson(error: RpcError): JsonValue {
  return JSON.parse(String(errorAnswer(error).body));
}

function takesBody([binding]: BindingGroup): boolean {
  return binding !== undefined && binding.body.kind !== "none";
}

/** What can be wrong with a request whatever the method makes of it. */
function requestErrors(group: BindingGroup): Refusal[] {
  const documented = (reason: Parameters<typeof malformed>[0], description: string): Refusal => ({
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
    fields.find((each) => fieldSurface(each).required)?.jsonName ?? fields[0]?.jsonName ?? "parameter";
  return { field, reason: "REQUIRED", description: "is required" } as const;
}

/** The errors of a method's own. Throws an Error that names the method for one without a code or a reason. */
function methodErrors({ method, surface }: HttpBinding): Refusal[] {
  return surface.errors.map(({ code, reason, description }) => {
    const isCode = Object.values(Code).includes(Number(code));
    if (!isCode || reason === "") {
      throw new Error(`${methodName(method)}: an error needs a code and a reason`);
    }
    const message = description === "" ? reason : description;
    return {
      error: new RpcError({ code: Number(code), reason: reason.toUpperCase() as Uppercase<string>, message }),
      description,
    };
  });
}
