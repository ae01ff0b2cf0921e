import type { Refusal } from "../rpc/incoming-request.js";
import type { RequestLimit } from "../rpc/request-limit.js";
import type { HttpBinding } from "../transcoding/http-rule.js";
import { type Comments, commentOn } from "./comments.js";
import { createErrorResponses } from "./error-responses.js";
import { errorSchema } from "./error-schema.js";
import type { OpenApiDocument, OpenApiInfo, Operation, SecurityScheme } from "./open-api.js";
import { operationOf } from "./operation.js";
import { type OpenApiPath, openApiPath } from "./path.js";
import { createSchemas } from "./schemas.js";
import { describedBy } from "./value-schema.js";

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
  readonly refusals?: readonly Refusal[];
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
  { baseUrl, requestLimit, refusals, securitySchemes }: ServerDescription,
): OpenApiDocument {
  const documented = bindings.filter(({ verb }) => VERBS.has(verb));
  const schemas = createSchemas(
    documented.map(({ method }) => method.input),
    documented.map(({ method }) => method.output),
    comments,
  );
  const errors = createErrorResponses(schemas.define("Error", errorSchema()), requestLimit, refusals);
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
