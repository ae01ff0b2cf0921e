import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { knownOptions, type OptionNames } from "@utility-tools/http-server/portable";
import { type JsonForm, readJsonForm } from "../codec/json/form.js";
import { codeName } from "../errors/codes.js";
import type { ErrorForm } from "../protocols/rest/error-forms.js";
import type { HttpBinding } from "../routes/rules/http-rule.js";
import type { RequestLimit } from "../routes/rules/request-limit.js";
import type { Comments } from "./comments.js";
import type {
  OpenApiDocument,
  OpenApiInfo,
  OpenApiServer,
  Operation,
  Schema,
  SecurityRequirement,
  SecurityScheme,
} from "./open-api.js";
import { createErrorResponses, type DocumentedError } from "./operations/error-responses.js";
import { createLinks } from "./operations/links.js";
import { operationIdOf, operationOf } from "./operations/operation.js";
import { type OpenApiPath, openApiPath } from "./operations/path.js";
import { createSecurity } from "./operations/security.js";
import { SYSTEM_PARAMETERS } from "./operations/system-parameters.js";
import { createTags } from "./operations/tags.js";
import { objectSchema } from "./schemas/object-schemas.js";
import { createSchemas, type Schemas } from "./schemas/schemas.js";
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
  /** Whether queries can have entries of maps. Default: false. */
  readonly mapParameters?: boolean;
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

const DOCUMENTATION_OPTIONS: OptionNames<Documentation> = { info: true, comments: true, version: true };

const SERVER_OPTIONS: OptionNames<ServerDescription> = {
  baseUrl: true,
  servers: true,
  requestLimit: true,
  unknownParameters: true,
  json: true,
  systemParameters: true,
  mapParameters: true,
  maxHeaderBytes: true,
  rejections: true,
  errorDomain: true,
  errorForm: true,
  securitySchemes: true,
  security: true,
  methodSecurity: true,
  methodTags: true,
};

/**
 * Creates the OpenAPI document of a route table. Methods that share a path and an HTTP method become one operation.
 * HTTP methods unknown to OpenAPI are left out. Throws an UnknownOptionError, and an Error for documentation that is invalid, such as an
 * example that is no value of its field.
 * https://spec.openapis.org/oas/v3.1.1.html
 */
export function openApiDocument(
  bindings: readonly HttpBinding[],
  documentation: Documentation,
  server: ServerDescription,
): OpenApiDocument {
  const {
    info,
    comments,
    version = "3.1",
  } = knownOptions("Documentation", documentation, DOCUMENTATION_OPTIONS);
  const {
    baseUrl,
    requestLimit,
    servers = [{ url: baseUrl ?? "/" }],
    unknownParameters = "reject",
    json: form,
    systemParameters = false,
    mapParameters = false,
    maxHeaderBytes,
    rejections = [],
    errorDomain = "",
    errorForm,
    securitySchemes = {},
    security = Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    methodSecurity = () => undefined,
    methodTags = () => undefined,
  } = knownOptions("ServerDescription", server, SERVER_OPTIONS);
  const json = readJsonForm(form);
  const documented = bindings.filter(({ httpMethod }) => HTTP_METHODS.has(httpMethod));
  const schemas = createSchemas(
    documented.map(({ method }) => method.input),
    documented.map(({ method }) => method.output),
    { comments, unknownParameters, json, mapParameters },
  );
  const errorSchema =
    errorForm === undefined
      ? defineErrorSchema(schemas)
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

/** IDs differ in more than case and underscores, which get lost where generators write them in another style. */
function uniqueId(wanted: string, taken: Set<string>): string {
  const keyOf = (id: string) => id.replaceAll("_", "").toLowerCase();
  let id = wanted;
  for (let number = 2; taken.has(keyOf(id)); number++) {
    id = `${wanted}_${number}`;
  }
  taken.add(keyOf(id));
  return id;
}

/** Defines the components of errors as in AIP-193. Returns a reference to `Error`. */
function defineErrorSchema({ define }: Pick<Schemas, "define">): Schema {
  const violation = define("FieldViolation", responseObject("One invalid parameter.", VIOLATION));
  const detail = define("ErrorDetail", {
    type: "object",
    description: DETAIL,
    properties: {
      "@type": { type: "string", description: "The URL of the type." },
      ...ERROR_INFO,
      fieldViolations: {
        type: "array",
        items: violation,
        description: "Of `google.rpc.BadRequest`: all invalid parameters.",
      },
      retryDelay: RETRY_DELAY,
    },
    required: ["@type"],
    additionalProperties: {},
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

// Details are one schema for all types: generators either reject alternatives that include any other type, or their clients fail when
// they receive it.

const DETAIL =
  "A detail of an error: a message with its type. `google.rpc.ErrorInfo`, `google.rpc.BadRequest` and `google.rpc.RetryInfo` have the members " +
  "below, other types have others.";

const ERROR_INFO: Readonly<Record<string, Schema>> = {
  reason: { type: "string", description: "Of `google.rpc.ErrorInfo`: a stable reason, for programs." },
  domain: { type: "string", description: "Of `google.rpc.ErrorInfo`: the service that defines the reason." },
  metadata: {
    type: "object",
    additionalProperties: { type: "string" },
    description: "Of `google.rpc.ErrorInfo`: facts for programs.",
  },
};

const RETRY_DELAY: Schema = {
  type: "string",
  description: "Of `google.rpc.RetryInfo`: the minimum time to wait, in seconds, for example `1.5s`.",
};

const VIOLATION: Readonly<Record<string, Schema>> = {
  field: { type: "string", description: "The parameter, as in the request." },
  reason: { type: "string", description: "What is wrong, for programs." },
  description: { type: "string", description: "What is wrong, and what is allowed, for people." },
};

/** The schema of an object in responses whose properties are all present. */
function responseObject(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  const all = Object.entries(properties).map(([name, schema]) => ({ name, schema, required: true }));
  return objectSchema(all, false, description);
}
