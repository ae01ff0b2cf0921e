import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { JsonForm } from "../codec/json-form.js";
import type { ErrorForm } from "../protocols/rest/error-forms.js";
import { type BindingGroup, selectorParameters } from "../routes/rules/binding-group.js";
import { type HttpBinding, methodName } from "../routes/rules/http-rule.js";
import type { RequestLimit } from "../routes/rules/request-limit.js";
import { type Comments, commentOn, firstSentence, joinTexts } from "./comments.js";
import { isDeprecated, scenariosOf } from "./documentation.js";
import { createErrorResponses, type DocumentedError, type ErrorResponses } from "./error-responses.js";
import { createLinks, type LinkedOperation, type Links } from "./links.js";
import type {
  OpenApiDocument,
  OpenApiInfo,
  OpenApiServer,
  Operation,
  Schema,
  SecurityRequirement,
  SecurityScheme,
} from "./open-api.js";
import { operationParameters } from "./parameters.js";
import { type OpenApiPath, openApiPath } from "./path.js";
import { requestBody } from "./request-body.js";
import { successResponses } from "./responses.js";
import { defineErrorSchema } from "./schemas/error-schema.js";
import { describedBy } from "./schemas/object-schemas.js";
import { createSchemas, type Schemas } from "./schemas/schemas.js";
import { createSecurity, type SecurityOf } from "./security.js";
import { SYSTEM_PARAMETERS, systemParameters as systemParametersOf } from "./system-parameters.js";
import { toOpenApi30 } from "./version-3-0.js";

/** The documentation of an API beyond its descriptors. */
export interface Documentation {
  readonly info: OpenApiInfo;
  readonly comments: Comments;
  /** The version of OpenAPI. Default: `"3.1"`. */
  readonly version?: "3.1" | "3.0";
}

/** The server of an API. */
export interface ServerDescription {
  /** The URL of the server, without a final slash; undefined for the URL of the document. */
  readonly baseUrl: string | undefined;
  /** Several URLs of the server, with descriptions. They replace `baseUrl`. */
  readonly servers?: readonly OpenApiServer[];
  readonly requestLimit: RequestLimit;
  /** How the server treats unknown parameters. Default: `"reject"`. */
  readonly unknownParameters?: "reject" | "ignore";
  /** The form of JSON over REST. Default: ProtoJSON, with the `http_value` of enum values. */
  readonly json?: JsonForm | undefined;
  /** Whether requests can have the system parameters of Google's APIs. Default: false. */
  readonly systemParameters?: boolean;
  /** The limit of the headers of a request in bytes, with 32 for each; undefined if it is unknown. */
  readonly maxHeaderBytes?: number | undefined;
  /** The errors that `onRequest` rejects requests with. */
  readonly rejections?: readonly DocumentedError[];
  /** The `domain` of `google.rpc.ErrorInfo` details that have none. */
  readonly errorDomain?: string;
  /** The form of errors, if it is that of `encodeError`. Default: that of AIP-193. */
  readonly errorForm?: ErrorForm | undefined;
  /** The ways to authenticate, by name; undefined without authentication. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> | undefined;
  /** Alternative requirements; a request must meet one. Default: each of `securitySchemes` is an alternative. */
  readonly security?: readonly SecurityRequirement[];
  /** Returns the requirements of a method; empty for a method without authentication, undefined for those of `security`. */
  readonly methodSecurity?: (method: DescMethod) => readonly SecurityRequirement[] | undefined;
  /** Returns the tags of a method; undefined for the name of its service. */
  readonly methodTags?: (method: DescMethod) => readonly string[] | undefined;
}

/**
 * Creates the OpenAPI document of a route table. Methods that share a path and an HTTP method become one operation.
 * HTTP methods unknown to OpenAPI are left out. Throws an Error for documentation that is invalid, such as an example that is no
 * value of its field.
 * https://spec.openapis.org/oas/v3.1.1.html
 */
export function openApiDocument(
  bindings: readonly HttpBinding[],
  { info, comments, version = "3.1" }: Documentation,
  {
    baseUrl,
    requestLimit,
    servers = [{ url: baseUrl ?? "/" }],
    unknownParameters = "reject",
    json = {},
    systemParameters = false,
    maxHeaderBytes,
    rejections = [],
    errorDomain = "",
    errorForm,
    securitySchemes = {},
    security = Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    methodSecurity = () => undefined,
    methodTags = () => undefined,
  }: ServerDescription,
): OpenApiDocument {
  const documented = bindings.filter(({ httpMethod }) => HTTP_METHODS.has(httpMethod));
  const schemas = createSchemas(
    documented.map(({ method }) => method.input),
    documented.map(({ method }) => method.output),
    { comments, unknownParameters, json },
  );
  const errorSchema =
    errorForm === undefined
      ? defineErrorSchema(schemas, errorDomain)
      : schemas.define("Error", errorForm.schema as Schema);
  const errors = createErrorResponses(errorSchema, {
    errorForm,
    requestLimit,
    unknownParameters,
    json,
    rejections,
    errorDomain,
    maxHeaderBytes,
  });
  const { tags, tagsOf } = createTags(documented, comments, methodTags);
  const paths: Record<string, Record<string, Operation>> = {};
  const operationIds = new Set<string>();
  const operations = groupByPath(documented).map((each) => ({
    ...each,
    operationId: uniqueId(operationIdOf(each.group), operationIds),
  }));
  const securityOf = createSecurity(Object.keys(securitySchemes), security, methodSecurity);
  const linksOf = createLinks(operations, schemas);
  for (const each of operations) {
    const operation = operationOf(each, {
      schemas,
      errors,
      linksOf,
      comments,
      tagsOf,
      securityOf,
      systemParameters,
    });
    paths[each.path.path] = { ...paths[each.path.path], [each.httpMethod.toLowerCase()]: operation };
  }
  const document: OpenApiDocument = {
    openapi: "3.1.1",
    info,
    servers,
    tags,
    paths,
    security,
    components: {
      schemas: schemas.components(),
      responses: errors.components,
      ...(systemParameters ? { parameters: SYSTEM_PARAMETERS } : {}),
      ...(Object.keys(securitySchemes).length > 0 ? { securitySchemes } : {}),
    },
  };
  return version === "3.0" ? toOpenApi30(document) : document;
}

const HTTP_METHODS = new Set(["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]);

/** The tags of a binding. */
type TagsOf = (binding: HttpBinding) => readonly string[];

/** The tags of bindings: those of `methodTags`, or else the name of the service, with its package if two have the same name. */
function createTags(
  bindings: readonly HttpBinding[],
  comments: Comments,
  methodTags: NonNullable<ServerDescription["methodTags"]>,
): { readonly tags: OpenApiDocument["tags"]; readonly tagsOf: TagsOf } {
  const services = [...new Set(bindings.map(({ method }) => method.parent))];
  const nameOf = (service: DescService): string =>
    services.some((other) => other !== service && other.name === service.name)
      ? service.typeName
      : service.name;
  const tagsOf: TagsOf = ({ method }) => methodTags(method) ?? [nameOf(method.parent)];
  const descriptions = new Map(services.map((each) => [nameOf(each), commentOn(each, comments)]));
  const names = new Set(bindings.flatMap(tagsOf));
  return {
    tags: [...names].map((name) => ({ name, ...describedBy(descriptions.get(name) ?? "") })),
    tagsOf,
  };
}

interface PathGroup {
  readonly path: OpenApiPath;
  readonly httpMethod: string;
  readonly group: HttpBinding[];
}

/** Groups bindings by path and HTTP method. Paths that differ only in parameter names become one, with the first names. */
function groupByPath(bindings: readonly HttpBinding[]): PathGroup[] {
  const names = new Map<string, string[]>();
  const groups = new Map<string, PathGroup>();
  for (const binding of bindings) {
    const own = openApiPath(binding.template);
    const known = names.get(own.shape) ?? own.wildcards.map(({ name }) => name);
    names.set(own.shape, known);
    const key = `${binding.httpMethod} ${own.shape}`;
    const found = groups.get(key);
    if (found === undefined) {
      const path = openApiPath(binding.template, known);
      groups.set(key, { path, httpMethod: binding.httpMethod, group: [binding] });
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

interface OperationContext {
  readonly schemas: Schemas;
  readonly errors: ErrorResponses;
  readonly linksOf: Links;
  readonly comments: Comments;
  readonly tagsOf: TagsOf;
  readonly systemParameters: boolean;
  readonly securityOf: SecurityOf;
}

/** The operation of the bindings that share a path and an HTTP method. */
function operationOf(
  linked: LinkedOperation,
  { schemas, errors, linksOf, comments, tagsOf, securityOf, systemParameters }: OperationContext,
): Operation {
  const { operationId, path, group } = linked;
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
  const scenarios = group.flatMap(scenariosOf);
  const parameters = [
    ...operationParameters(group, path, scenarios, schemas),
    ...(systemParameters ? systemParametersOf(group) : []),
  ];
  const body = requestBody(group, name, scenarios, schemas);
  const success = successResponses(scenarios, name, schemas, comments, linksOf(linked));
  return {
    operationId,
    tags: [...new Set(group.flatMap(tagsOf))],
    summary: summaryOf(group, comments),
    ...describedBy(descriptionOf(group, comments)),
    ...(group.every(({ method }) => isDeprecated(method)) ? { deprecated: true } : {}),
    ...securityOf(group),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...success, ...errors.ofGroup(group) },
  };
}

/**
 * The declared ID of an operation, or the names of its service and its methods: `bookGetBook` for `GetBook` of `BookService`.
 * The name of a method alone would cause conflicts: some generators create a type `GetBookResponse` for the responses of an
 * operation, and a message usually has that name. Throws an Error with the method for an ID that is not a valid name.
 */
function operationIdOf(group: BindingGroup): string {
  const declared = group.find(({ options }) => options.operationId !== "");
  if (declared !== undefined) {
    const { method, options } = declared;
    if (!/^[A-Za-z]\w*$/.test(options.operationId)) {
      throw new Error(`${methodName(method)}: the operation_id '${options.operationId}' is not a valid name`);
    }
    return options.operationId;
  }
  const services = group.map(({ method }) => method.parent.name.replace(/(?<=.)Service$/, ""));
  const methods = [...new Set(group.map(({ method }) => method.name))];
  const id = `${services[0] ?? ""}${methods.join("Or")}`;
  return `${id.charAt(0).toLowerCase()}${id.slice(1)}`;
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
  if (group.some(({ options }) => options.parametersAnywhere)) {
    paragraphs.push(
      "The parameters can also be sent in a form (`application/x-www-form-urlencoded`) or in the query.",
    );
  }
  return joinTexts(paragraphs, "\n\n");
}

/** The selectors of a binding, in words. */
function conditionsOf({ options }: BindingGroup[number]): string {
  const present = options.select.flatMap(({ parameter, condition }) =>
    condition.case === "equals"
      ? [`\`${parameter}=${condition.value}\``]
      : condition.value === true
        ? [`\`${parameter}\``]
        : [],
  );
  const absent = options.select.flatMap(({ parameter, condition }) =>
    condition.value === false ? [`\`${parameter}\``] : [],
  );
  return [
    ...(present.length > 0 ? [`with ${present.join(" and ")}`] : []),
    ...(absent.length > 0 ? [`without ${absent.join(" and ")}`] : []),
  ].join(", ");
}
