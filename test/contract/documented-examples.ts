import type { JsonObject } from "@bufbuild/protobuf";
import { requestLimit } from "connect-transcoding";
import type { MediaType, Operation } from "connect-transcoding/openapi";
import { openApiDocument } from "connect-transcoding/openapi";
import { readHttpBindings } from "connect-transcoding/rules";
import { loadDocumentation } from "../../src/service/documentation.js";
import { TOOL_SERVICES } from "../../src/tools/load-tools.js";
import { type HttpExchange, send } from "./clients.js";

/** All bindings of the release. */
export const BINDINGS = TOOL_SERVICES.flatMap(({ methods }) => methods.flatMap(readHttpBindings));
/** The document that the server has. */
export const DOCUMENT = openApiDocument(BINDINGS, loadDocumentation(), {
  baseUrl: undefined,
  requestLimit: requestLimit(64 * 1024),
});
export const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** An operation, and where it is. */
export interface Place {
  readonly path: string;
  readonly verb: string;
  readonly operation: Operation;
}

/** All operations of the document. */
export const PLACES: readonly Place[] = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([verb, operation]) => ({ path, verb, operation })),
);

/** The examples of an operation that have one name: together they are one request. */
interface Example extends Place {
  readonly name: string;
  readonly parameters: JsonObject;
}

/** All examples of the document. */
export const EXAMPLES: readonly Example[] = PLACES.flatMap((place) => {
  const { parameters = [], requestBody, responses } = place.operation;
  const answers = Object.values(contentOf(responses[200]));
  const bodies = Object.values(requestBody?.content ?? {});
  const names = new Set(
    [...parameters, ...bodies, ...answers].flatMap(({ examples = {} }) => Object.keys(examples)),
  );
  return [...names].map((name) => {
    const inQuery = parameters.flatMap((parameter) => {
      const example = parameter.examples?.[name];
      return example === undefined ? [] : [[parameter.name, example.value] as const];
    });
    const inBody = requestBody?.content[JSON_TYPE]?.examples?.[name]?.value ?? {};
    return { ...place, name, parameters: { ...Object.fromEntries(inQuery), ...(inBody as JsonObject) } };
  });
});

/** The bodies that an answer can have. */
export function contentOf(
  response: Operation["responses"][string] | undefined,
): Readonly<Record<string, MediaType>> {
  if (response !== undefined && "$ref" in response) {
    const name = response.$ref.replace("#/components/responses/", "");
    return contentOf(DOCUMENT.components.responses[name]);
  }
  return response?.content ?? {};
}

/** The ways to send parameters that a document allows for an operation. */
export type Form = "query" | typeof JSON_TYPE | typeof FORM_TYPE;

/** The ways that are documented for an operation. */
export function formsOf({ requestBody }: Operation): Form[] {
  const types = Object.keys(requestBody?.content ?? {}).filter(
    (type) => type === JSON_TYPE || type === FORM_TYPE,
  );
  return types.length === 0 || types.includes(FORM_TYPE) ? ["query", ...types] : types;
}

/** Calls an operation with these parameters, as if from this address where the server trusts who says so. */
export function call(
  baseUrl: string,
  { path, verb }: Place,
  parameters: JsonObject,
  form: Form,
  caller = "8.8.8.8",
): Promise<HttpExchange> {
  const origin = { "x-forwarded-for": caller };
  const pairs = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]);
  const text = new URLSearchParams(pairs).toString();
  const method = verb.toUpperCase();
  return form === "query"
    ? send(`${baseUrl}${path}?${text}`, { method, headers: origin })
    : send(`${baseUrl}${path}`, {
        method,
        headers: { ...origin, "content-type": form },
        body: form === JSON_TYPE ? JSON.stringify(parameters) : text,
      });
}

/** The media type of an answer, without its parameters. */
export const mediaTypeOf = ({ headers }: HttpExchange) => headers.get("content-type")?.split(";")[0] ?? "";

/** The example of this name, or of the method of this name as it answers with JSON. */
export function exampleNamed(name: string): Example {
  const found = EXAMPLES.find((example) => example.name === name || example.name === `${name}_json`);
  if (found === undefined) {
    throw new Error(`there is no example ${name}`);
  }
  return found;
}

/** The status and the reason of an error, and its fields with the reasons of each. */
export function errorOf({ status, json }: HttpExchange) {
  const { details } = (json as { error: { details: JsonObject[] } }).error;
  const violations = (details[0]?.fieldViolations ?? []) as unknown as { field: string; reason: string }[];
  return {
    status,
    reason: details.at(-1)?.reason,
    fields: Object.fromEntries(violations.map(({ field, reason }) => [field, reason])),
  };
}
