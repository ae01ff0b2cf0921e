import type { JsonObject } from "@bufbuild/protobuf";
import type { MediaType, Operation } from "connect-transcoding/openapi";
import { readHttpBindings } from "connect-transcoding/rules";
import { parametersOf } from "../../../packages/connect-transcoding/test/openapi/validator.js";
import { loadDocumentation, serviceDocument } from "../../../src/service/documentation.js";
import { TOOL_SERVICES } from "../../../src/tools/tool-services.js";
import { type HttpExchange, send } from "./clients.js";

export const BINDINGS = TOOL_SERVICES.flatMap(({ methods }) => methods.flatMap(readHttpBindings));
/** The OpenAPI document of the server. */
export const DOCUMENT = serviceDocument(TOOL_SERVICES, loadDocumentation(), {
  publicBaseUrl: undefined,
  maxRequestBytes: 64 * 1024,
});
export const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** An operation with its path and HTTP method. */
export interface Place {
  readonly path: string;
  readonly httpMethod: string;
  readonly operation: Operation;
}

export const PLACES: readonly Place[] = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([httpMethod, operation]) => ({ path, httpMethod, operation })),
);

/** The examples of an operation with the same name, which form one request. */
interface Example extends Place {
  readonly name: string;
  readonly parameters: JsonObject;
}

export const EXAMPLES: readonly Example[] = PLACES.flatMap((place) => {
  const { requestBody, responses } = place.operation;
  const parameters = parametersOf(place.operation);
  const contents = Object.values(contentOf(responses[200]));
  const bodies = Object.values(requestBody?.content ?? {});
  const names = new Set(
    [...parameters, ...bodies, ...contents].flatMap(({ examples = {} }) => Object.keys(examples)),
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

/** The possible bodies of a response. */
export function contentOf(
  response: Operation["responses"][string] | undefined,
): Readonly<Record<string, MediaType>> {
  if (response !== undefined && "$ref" in response) {
    const name = response.$ref.replace("#/components/responses/", "");
    return contentOf(DOCUMENT.components.responses[name]);
  }
  return response?.content ?? {};
}

/** A way to send parameters. */
export type Form = "query" | typeof JSON_TYPE | typeof FORM_TYPE;

/** Returns the ways to send parameters. The document has a JSON body only where it mentions the others in its description. */
export function formsOf({ path, operation }: Place): Form[] {
  const binding = BINDINGS.find(({ template }) => template.source === path);
  if (operation.requestBody === undefined) {
    return ["query"];
  }
  return binding?.options.parametersAnywhere === true ? ["query", JSON_TYPE, FORM_TYPE] : [JSON_TYPE];
}

/** Calls an operation with these parameters. A server that trusts the client uses `client` as the client address. */
export function call(
  baseUrl: string,
  { path, httpMethod }: Place,
  parameters: JsonObject,
  form: Form,
  client = "8.8.8.8",
): Promise<HttpExchange> {
  const origin = { "x-forwarded-for": client };
  const pairs = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]);
  const text = new URLSearchParams(pairs).toString();
  const method = httpMethod.toUpperCase();
  return form === "query"
    ? send(`${baseUrl}${path}?${text}`, { method, headers: origin })
    : send(`${baseUrl}${path}`, {
        method,
        headers: { ...origin, "content-type": form },
        body: form === JSON_TYPE ? JSON.stringify(parameters) : text,
      });
}

/** Returns the media type of a response, without parameters. */
export const mediaTypeOf = ({ headers }: HttpExchange) => headers.get("content-type")?.split(";")[0] ?? "";

/** Returns the example with this name, or the JSON example of the method with this name. */
export function exampleNamed(name: string): Example {
  const found = EXAMPLES.find((example) => example.name === name || example.name === `${name}_json`);
  if (found === undefined) {
    throw new Error(`there is no example ${name}`);
  }
  return found;
}

/** Returns status and reason of an error, and the reason of each field. */
export function errorOf({ status, json }: HttpExchange) {
  const { details } = (json as { error: { details: JsonObject[] } }).error;
  const violations = (details[0]?.fieldViolations ?? []) as unknown as { field: string; reason: string }[];
  return {
    status,
    reason: details.at(-1)?.reason,
    fields: Object.fromEntries(violations.map(({ field, reason }) => [field, reason])),
  };
}
