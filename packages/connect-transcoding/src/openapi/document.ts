import type { RequestLimit } from "../request/request-limit.js";
import type { HttpBinding } from "../rules/http-rule.js";
import { type BindingGroup, selectorParameters } from "../rules/method-selection.js";
import type { PathTemplate, TemplateVariable } from "../rules/path-template.js";
import { type Comments, commentOn, firstSentence } from "./comments.js";
import { scenariosOf } from "./example.js";
import type { OpenApiDocument, OpenApiInfo, Operation, SecurityScheme } from "./open-api.js";
import { operationParameters, requestBody } from "./request.js";
import {
  createErrorResponses,
  type ErrorResponses,
  errorSchema,
  type Rejection,
  successResponse,
} from "./responses.js";
import { createSchemas, describedBy, type Schemas } from "./schemas.js";

/** What a document says of its API that descriptors do not. */
export interface Documentation {
  readonly info: OpenApiInfo;
  readonly comments: Comments;
}

/** What a document says of the server that the API is on. */
export interface ServerDescription {
  /** Where the server is; undefined: where the document is. No final slash. */
  readonly baseUrl: string | undefined;
  readonly requestLimit: RequestLimit;
  /** What its rules refuse requests with. */
  readonly rejections?: readonly Rejection[];
  /** The `domain` of `google.rpc.ErrorInfo` details that have none. */
  readonly errorDomain?: string;
  /** How callers say who they are, by name, any one of which will do; undefined where nobody has to. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> | undefined;
}

/**
 * Writes an OpenAPI 3.1 document of the bindings of a transcoder. Methods that share a path and an HTTP method become
 * one operation, of which parameters select one. HTTP methods that OpenAPI does not know are left out.
 * https://spec.openapis.org/oas/v3.1.1.html
 */
export function openApiDocument(
  bindings: readonly HttpBinding[],
  { info, comments }: Documentation,
  { baseUrl, requestLimit, rejections = [], errorDomain = "", securitySchemes }: ServerDescription,
): OpenApiDocument {
  const documented = bindings.filter(({ verb }) => VERBS.has(verb));
  const schemas = createSchemas(
    documented.map(({ method }) => method.input),
    documented.map(({ method }) => method.output),
    comments,
  );
  const errors = createErrorResponses(
    schemas.define("Error", errorSchema()),
    requestLimit,
    rejections,
    errorDomain,
  );
  const services = [...new Set(documented.map(({ method }) => method.parent))];
  const tagOf = ({ method: { parent } }: HttpBinding): string =>
    services.some((other) => other !== parent && other.name === parent.name) ? parent.typeName : parent.name;
  const tags = new Map(
    documented.map((binding) => [
      tagOf(binding),
      { name: tagOf(binding), ...describedBy(commentOn(binding.method.parent, comments)) },
    ]),
  );

  const paths: Record<string, Record<string, Operation>> = {};
  const operationIds = new Set<string>();
  for (const { path, verb, group } of groupByPath(documented)) {
    const operation = operationOf(group, path, { schemas, errors, comments, tagOf });
    const id = uniqueId(operation.operationId, operationIds);
    paths[path.path] = { ...paths[path.path], [verb.toLowerCase()]: { ...operation, operationId: id } };
  }
  return {
    openapi: "3.1.1",
    info,
    servers: [{ url: baseUrl ?? "/" }],
    tags: [...tags.values()],
    paths,
    ...(securitySchemes === undefined
      ? {}
      : { security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })) }),
    components: {
      schemas: schemas.components(),
      responses: errors.components,
      ...(securitySchemes === undefined ? {} : { securitySchemes }),
    },
  };
}

const VERBS = new Set(["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]);

interface PathGroup {
  readonly path: OpenApiPath;
  readonly verb: string;
  readonly group: HttpBinding[];
}

/** Bindings by path and verb; paths that differ in the names of their parameters alone are one, with the first's. */
function groupByPath(bindings: readonly HttpBinding[]): PathGroup[] {
  const names = new Map<string, string[]>();
  const groups = new Map<string, PathGroup>();
  for (const binding of bindings) {
    const own = openApiPath(binding.template);
    const known = names.get(own.shape) ?? own.wildcards.map(({ name }) => name);
    names.set(own.shape, known);
    const key = `${binding.verb} ${own.shape}`;
    const found = groups.get(key);
    if (found === undefined) {
      const path = openApiPath(binding.template, known);
      groups.set(key, { path, verb: binding.verb, group: [binding] });
    } else {
      found.group.push(binding);
    }
  }
  return [...groups.values()];
}

function uniqueId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let number = 2; taken.has(id); number++) {
    id = `${wanted}_${number}`;
  }
  taken.add(id);
  return id;
}

/** A wildcard of a path template, as the parameter that stands for it. */
export interface PathWildcard {
  readonly name: string;
  /** The field that it fills, alone or as a part; undefined where it fills none. */
  readonly fieldPath: string | undefined;
  /** What the field is made of, with the wildcards by name: `shelves/{name}`. */
  readonly fieldValue: string;
  /** The position of its segment in the field's value. */
  readonly position: number;
  /** Whether it can span several segments. */
  readonly spansRest: boolean;
}

/** A path template as OpenAPI has them: each wildcard a parameter of one segment. */
export interface OpenApiPath {
  readonly path: string;
  /** What the path is without the names in it; two paths of the same shape are one to OpenAPI. */
  readonly shape: string;
  readonly wildcards: readonly PathWildcard[];
}

/**
 * Writes a template as OpenAPI has paths. OpenAPI has no parameter with a slash in it, so that `{name=shelves/*}`
 * becomes `shelves/{name}`, and of several wildcards in one variable each gets a number. `names` are used instead
 * where they are given.
 */
export function openApiPath(
  template: PathTemplate,
  names: readonly string[] = wildcardNames(template),
): OpenApiPath {
  const nextNames = [...names];
  const nameOfSegment = template.segments.map(({ kind }) =>
    kind === "literal" ? "" : (nextNames.shift() ?? ""),
  );
  const texts = template.segments.map((segment, index) =>
    segment.kind === "literal" ? encodeSegment(segment.value) : `{${nameOfSegment[index]}}`,
  );
  const wildcards = template.segments.flatMap(({ kind }, index): PathWildcard[] => {
    if (kind === "literal") {
      return [];
    }
    const variable = variableAt(template, index);
    return [
      {
        name: nameOfSegment[index] ?? "",
        fieldPath: variable?.fieldPath,
        fieldValue: texts.slice(variable?.start ?? index, variable?.end ?? index + 1).join("/"),
        position: index - (variable?.start ?? index),
        spansRest: kind === "rest",
      },
    ];
  });
  const verb = template.verb === "" ? "" : `:${encodeSegment(template.verb)}`;
  const path = `/${texts.join("/")}${verb}`;
  return { path, shape: path.replaceAll(/\{[^}]*\}/g, "{}"), wildcards };
}

/** A name for each wildcard: that of the field, with a number where the field has several; each once. */
function wildcardNames(template: PathTemplate): string[] {
  const names: string[] = [];
  for (const [index, { kind }] of template.segments.entries()) {
    if (kind !== "literal") {
      const variable = variableAt(template, index);
      const base = variable?.fieldPath ?? "segment";
      const isOnly = variable !== undefined && wildcardsIn(template, variable) === 1;
      let number = 1;
      let name = isOnly ? base : `${base}_1`;
      while (names.includes(name)) {
        number += 1;
        name = `${base}_${number}`;
      }
      names.push(name);
    }
  }
  return names;
}

function variableAt({ variables }: PathTemplate, index: number): TemplateVariable | undefined {
  return variables.find(({ start, end }) => start <= index && index < end);
}

function wildcardsIn({ segments }: PathTemplate, { start, end }: TemplateVariable): number {
  return segments.slice(start, end).filter(({ kind }) => kind !== "literal").length;
}

/** Percent-encodes what no segment of a path can hold (RFC 3986, section 3.3), and braces. */
function encodeSegment(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);
}

/** What an operation is written with. */
export interface OperationContext {
  readonly schemas: Schemas;
  readonly errors: ErrorResponses;
  readonly comments: Comments;
  /** The name of a service's tag. */
  readonly tagOf: (binding: BindingGroup[number]) => string;
}

/** Writes down the bindings that share a path and an HTTP method, which to OpenAPI are one operation. */
export function operationOf(group: BindingGroup, path: OpenApiPath, context: OperationContext): Operation {
  const { schemas, errors, comments, tagOf } = context;
  const scenarios = group.flatMap(scenariosOf);
  const parameters = operationParameters(group, path, scenarios, schemas);
  const body = requestBody(group, scenarios, schemas);
  return {
    operationId: operationId(group),
    tags: [...new Set(group.map(tagOf))],
    summary: summaryOf(group, comments),
    ...describedBy(descriptionOf(group, comments)),
    ...(group.every(({ method }) => method.deprecated) ? { deprecated: true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { 200: successResponse(scenarios, schemas, comments), ...errors.ofGroup(group) },
  };
}

function operationId(group: BindingGroup): string {
  const services = [...new Set(group.map(({ method }) => method.parent.name))];
  const methods = [...new Set(group.map(({ method }) => method.name))];
  return [...services, ...methods].join("_");
}

function summaryOf(group: BindingGroup, comments: Comments): string {
  const names = group.map(({ method }) => method.name);
  const [first] = group;
  return first !== undefined && group.length === 1
    ? firstSentence(commentOn(first.method, comments)) || first.method.name
    : `${names.join(" or ")}, by ${selectorParameters(group).join(" and ")}`;
}

function descriptionOf(group: BindingGroup, comments: Comments): string {
  const paragraphs = group.map((binding) => {
    const comment = commentOn(binding.method, comments);
    const conditions = conditionsOf(binding);
    if (group.length === 1) {
      return comment;
    }
    const heading = `**${binding.method.name}**, ${conditions}`;
    return comment === "" ? heading : `${heading}: ${comment}`;
  });
  if (group.some(({ surface }) => surface.parametersAnywhere)) {
    paragraphs.push("The parameters come in a JSON object, in a form, or in the query.");
  }
  return paragraphs.filter((text) => text !== "").join("\n\n");
}

/** What selects a binding, in words. */
function conditionsOf({ surface }: BindingGroup[number]): string {
  const given = surface.select.flatMap(({ parameter, condition }) =>
    condition.case === "equals"
      ? [`\`${parameter}=${condition.value}\``]
      : condition.value === true
        ? [`\`${parameter}\``]
        : [],
  );
  const absent = surface.select.flatMap(({ parameter, condition }) =>
    condition.value === false ? [`\`${parameter}\``] : [],
  );
  return [
    ...(given.length > 0 ? [`with ${given.join(" and ")}`] : []),
    ...(absent.length > 0 ? [`without ${absent.join(" and ")}`] : []),
  ].join(", ");
}
