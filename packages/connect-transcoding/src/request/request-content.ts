import { create, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.js";
import type { FieldViolation } from "../errors/errors.js";
import { abbreviate, MAX_GATHERED, malformed } from "../errors/http-error.js";
import { jsonPath, methodName } from "../rules/field-path.js";
import type { HttpBinding } from "../rules/http-rule.js";
import type { BindingGroup } from "../rules/method-selection.js";
import {
  bodyParameters,
  type ContentHeaders,
  jsonBody,
  type Parameter,
  queryParameters,
  rawBodyType,
} from "./request-parameters.js";

/** What a request has besides its method and target. */
export interface RequestContent extends ContentHeaders {
  readonly body: Uint8Array;
}

/** What the bindings of a group must agree on, for it is needed before one of them is selected. */
export interface ContentRule {
  readonly body: HttpBinding["body"];
  readonly parametersAnywhere: boolean;
}

/** What all bindings of a group say of their content. Throws an Error that names them when they disagree. */
export function agreedContentRule(bindings: BindingGroup): ContentRule {
  const rules = bindings.map(({ body, surface: { parametersAnywhere } }) => ({ body, parametersAnywhere }));
  const [first, ...others] = rules;
  if (first === undefined) {
    throw new Error("a group of bindings cannot be empty");
  }
  const nameOf = ({ body }: ContentRule) =>
    `${body.kind} ${body.kind === "field" ? body.field.name : ""} ${body.kind !== "none" && body.raw}`;
  for (const other of others) {
    if (nameOf(other) !== nameOf(first) || other.parametersAnywhere !== first.parametersAnywhere) {
      const names = bindings.map(({ method }) => methodName(method));
      throw new Error(
        `${names.join(" and ")} share a path and must have the same body and parameters_anywhere`,
      );
    }
  }
  if (first.parametersAnywhere && first.body.kind !== "message") {
    const names = bindings.map(({ method }) => methodName(method));
    throw new Error(`${names.join(" and ")}: parameters_anywhere needs body: "*"`);
  }
  return first;
}

/** The parameters of a request, and those of its query that must not be there. */
export interface RequestParameters {
  readonly parameters: readonly Parameter[];
  readonly misplaced: readonly FieldViolation[];
}

/**
 * Gathers the parameters from query and body; those of the body come first. `surfaceNames` are parameters that may
 * stand anywhere. Throws an HttpError for a body that cannot be read.
 */
export function readParameters(
  { body, parametersAnywhere }: ContentRule,
  surfaceNames: ReadonlySet<string>,
  queryText: string,
  content: RequestContent,
): RequestParameters {
  const query = queryParameters(queryText);
  switch (body.kind) {
    case "none":
      if (content.body.length > 0) {
        throw malformed("BODY_NOT_ALLOWED", "this method takes its parameters from the query and no body");
      }
      return { parameters: query, misplaced: [] };
    case "field": {
      const value = body.raw ? undefined : jsonBody(content, content.body);
      const inBody: Parameter[] =
        value === undefined ? [] : [{ name: body.field.jsonName, value, source: "json" }];
      const { name, jsonName } = body.field;
      const misplaced = query.filter((parameter) => {
        const [first = ""] = parameter.name.split(".", 1);
        return first === name || first === jsonName;
      });
      return withoutMisplaced(query, inBody, misplaced, "it is the body of this method");
    }
    case "message": {
      if (body.raw) {
        return withoutMisplaced(query, [], query, "the body is all that this method takes");
      }
      const inBody = bodyParameters(content, content.body, parametersAnywhere);
      const misplaced = parametersAnywhere ? [] : query.filter(({ name }) => !surfaceNames.has(name));
      return withoutMisplaced(query, inBody, misplaced, "this method takes its parameters from the body");
    }
  }
}

/** All parameters but those of the query that must not be there, which become violations. */
function withoutMisplaced(
  query: readonly Parameter[],
  inBody: readonly Parameter[],
  misplaced: readonly Parameter[],
  why: string,
): RequestParameters {
  if (misplaced.length === 0) {
    return { parameters: query.length === 0 ? inBody : [...inBody, ...query], misplaced: [] };
  }
  const left = new Set(misplaced);
  return {
    parameters: [...inBody, ...query.filter((parameter) => !left.has(parameter))],
    misplaced: misplaced.slice(0, MAX_GATHERED).map(({ name }) => ({
      field: abbreviate(name),
      reason: "UNKNOWN_PARAMETER",
      description: `is not a parameter of the query; ${why}`,
    })),
  };
}

/** Puts the octets of a body, as they are, into the `google.api.HttpBody` that is to take them. */
export function setRawBody(message: Message, body: HttpBinding["body"], content: RequestContent): void {
  if (body.kind === "none" || !body.raw) {
    return;
  }
  const httpBody = { contentType: rawBodyType(content), data: content.body };
  if (body.kind === "message") {
    Object.assign(message, httpBody);
  } else {
    reflect(body.field.parent, message, false).set(
      body.field,
      reflect(HttpBodySchema, create(HttpBodySchema, httpBody), false),
    );
  }
}

/** The names by which callers are told of a method's parameters; what its path or its body fills is none. */
export function acceptedNames({ method, template, body }: HttpBinding): string[] {
  if (body.kind === "message" && body.raw) {
    return [];
  }
  const bound = new Set<string>(template.variables.map(({ fieldPath }) => fieldPath));
  return method.input.fields
    .filter((field) => !bound.has(field.name) && !(body.kind === "field" && body.field === field))
    .map((field) => jsonPath([field]));
}
