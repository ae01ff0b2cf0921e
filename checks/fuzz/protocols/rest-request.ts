import type { Random } from "../random.js";
import { anyNoise, escapeText, mutate } from "../texts.js";
import { type HeaderEntries, MARKER, type ProtocolRequest } from "./request.js";
import { jsonValue } from "./rpc-request.js";
import { anyHost, fieldText, mutateBytes, mutateHeaders, randomBytes } from "./values.js";

/** An operation of the OpenAPI document. */
export interface RestOperation {
  readonly httpMethod: string;
  readonly path: string;
  /** Whether parameters can be sent in the body. */
  readonly takesBody: boolean;
  /** The parameters of valid requests. */
  readonly examples: readonly [Example, ...Example[]];
}

type Example = readonly (readonly [name: string, value: string])[];

/** Reads the operations of an OpenAPI document. Throws an Error if there are none. */
export function operationsOf(document: unknown): readonly [RestOperation, ...RestOperation[]] {
  const operations = entriesOf(document, "paths").flatMap(([path, item]) =>
    entriesOf(item).flatMap(([httpMethod, operation]) => operationOf(httpMethod, path, operation)),
  );
  const [first, ...others] = operations;
  if (first === undefined) {
    throw new Error("the OpenAPI document has no operations with examples");
  }
  return [first, ...others];
}

function operationOf(httpMethod: string, path: string, operation: unknown): RestOperation[] {
  const parameters = entriesOf(operation, "parameters").map(
    ([, parameter]) => [String(at(parameter, "name")), examplesOf(parameter)] as const,
  );
  const bodies = entriesOf(operation, "requestBody", "content").flatMap(([, content]) =>
    entriesOf(content, "examples").map(([, example]) =>
      entriesOf(example, "value").map(([name, value]) => [name, String(value)] as const),
    ),
  );
  // Each value of a parameter is combined with the first value of the others.
  const queries = parameters.flatMap(([name, values]) =>
    values.map((value) =>
      parameters.map(([other, others]) => [other, other === name ? value : (others[0] ?? "")] as const),
    ),
  );
  const [first, ...others] = bodies.length > 0 ? bodies : queries;
  return first === undefined
    ? []
    : [
        {
          httpMethod: httpMethod.toUpperCase(),
          path,
          takesBody: bodies.length > 0,
          examples: [first, ...others],
        },
      ];
}

/** Returns all documented values of a parameter. */
function examplesOf(parameter: unknown): string[] {
  const named = entriesOf(parameter, "examples").map(([, example]) => at(example, "value"));
  const schema = at(parameter, "schema");
  const listed = [...entriesOf(schema, "examples"), ...entriesOf(schema, "enum")].map(([, value]) => value);
  return [...named, ...listed].filter((value) => value !== undefined).map(String);
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (each, name) => (typeof each === "object" && each !== null ? Reflect.get(each, name) : undefined),
    value,
  );
}

function entriesOf(value: unknown, ...path: readonly string[]): [string, unknown][] {
  return Object.entries(at(value, ...path) ?? {});
}

const HTTP_METHODS = [
  "GET",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "PROPFIND",
  "M-SEARCH",
  "QUERY",
  "BREW",
  "get",
] as const;

const PAGES = [
  "/",
  "/docs",
  "/docs/",
  "/openapi.json",
  "/docs/docs.css",
  "/docs/docs.js",
  "/docs/swagger-ui.css",
  "/docs/icon.svg",
] as const;
/** The largest page (1.5 MB) is requested less often. */
const LARGE_PAGE = "/docs/swagger-ui-bundle.js";
const FORM_TYPE = "application/x-www-form-urlencoded";
const TYPES = [
  "",
  ";",
  "text/plain",
  "application/json; charset=utf-16",
  'application/json;charset="UTF-8";;=',
  "multipart/form-data; boundary=a",
  "APPLICATION/JSON",
  "application/json, text/plain",
  `${FORM_TYPE}; charset=latin1`,
  "a/b/c",
] as const;
const NAMES = ["nope", "", "__proto__", "constructor", "Type", "type[]", "data.a", "é", "a b"] as const;
/** The maximum length of occasional long bodies, three times what the service accepts. */
const LONG_BODY = 200_000;

type Parameters = [name: string, value: string][];

/** Returns a REST request for an operation, or a similar one. */
export function anyRestRequest(
  random: Random,
  operations: readonly [RestOperation, ...RestOperation[]],
  http: 1 | 2,
  host: string,
): ProtocolRequest {
  const operation = random.pick(operations);
  const usual = usualRequest(random, operation);
  const httpMethod = random.oneIn(15) ? random.pick(HTTP_METHODS) : operation.httpMethod;
  const headers: (readonly [string, string])[] = [["host", anyHost(random, host)]];
  if (usual.type !== undefined) {
    headers.push(["content-type", random.oneIn(20) ? random.pick(TYPES) : usual.type]);
  }
  return {
    protocol: "REST",
    http,
    httpMethod,
    target: anyTarget(random, operation.path, usual.query),
    headers: mutateHeaders(random, headers) satisfies HeaderEntries,
    body:
      usual.type === undefined && httpMethod === "GET" && !random.oneIn(40)
        ? new Uint8Array()
        : anyBody(random, usual.body),
    breakOff: random.oneIn(150),
  };
}

function usualRequest(random: Random, operation: RestOperation) {
  const parameters = anyParameters(random, operation);
  if (!operation.takesBody) {
    return { query: formOf(random, parameters), type: undefined, body: "" };
  }
  switch (random.below(8)) {
    case 0:
    case 1:
      return { query: "", type: FORM_TYPE, body: formOf(random, parameters) };
    case 2:
      return { query: formOf(random, parameters), type: undefined, body: "" };
    case 3: {
      const cut = random.below(parameters.length + 1);
      return {
        query: formOf(random, parameters.slice(0, cut)),
        type: "application/json",
        body: jsonOf(random, parameters.slice(cut)),
      };
    }
    default:
      return { query: "", type: "application/json", body: jsonOf(random, parameters) };
  }
}

/** Returns the parameters of an example, with some missing, repeated, invalid or unknown. */
function anyParameters(random: Random, { examples }: RestOperation): Parameters {
  const example = random.pick(examples);
  const parameters: Parameters = [];
  for (const [name, value] of example) {
    const isChoice = name === "type" || name === "action" || name === "format";
    if (random.oneIn(isChoice ? 40 : 12)) {
      continue;
    }
    parameters.push([name, isChoice && !random.oneIn(12) ? value : fieldText(random, name, [value])]);
    if (random.oneIn(25)) {
      parameters.push([name, random.oneIn(2) ? value : fieldText(random, name, [value])]);
    }
  }
  if (random.oneIn(15)) {
    parameters.push([random.pick(NAMES), random.oneIn(3) ? MARKER : fieldText(random, "", [])]);
  }
  return parameters;
}

function formOf(random: Random, parameters: Parameters): string {
  const form = parameters
    .map(([name, value]) =>
      random.oneIn(15) ? `${name}=${value}` : `${escapeText(name)}=${escapeText(value)}`,
    )
    .join(random.oneIn(60) ? ";" : "&");
  return random.oneIn(10) ? mutate(random, form) : form;
}

function jsonOf(random: Random, parameters: Parameters): string {
  const members = parameters.map(([name, value]) => {
    const isNumber = /^\d{1,9}$/.test(value) && !random.oneIn(4);
    return `${JSON.stringify(name)}:${random.oneIn(25) ? jsonValue(random) : isNumber ? value : JSON.stringify(value)}`;
  });
  const json = `{${members.join(",")}}`;
  switch (random.below(20)) {
    case 0:
      return mutate(random, json);
    case 1:
      return json.slice(0, random.below(json.length));
    case 2:
      return `\ufeff${json}`;
    case 3:
      return random.pick([
        `[${json}]`,
        `${json}${json}`,
        '{"type":'.repeat(3000),
        "[".repeat(60_000),
        `"${MARKER}"`,
        "",
      ]);
    case 4:
      return json.replace(/[A-Za-z]/, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
    default:
      return json;
  }
}

function anyBody(random: Random, text: string): Uint8Array {
  if (random.oneIn(400)) {
    return Buffer.alloc(random.below(LONG_BODY), text === "" ? "a" : text);
  }
  if (random.oneIn(40)) {
    return randomBytes(random, random.size(4000));
  }
  const bytes = Buffer.from(text);
  return random.oneIn(15) ? mutateBytes(random, bytes) : bytes;
}

function anyTarget(random: Random, path: string, query: string): string {
  const target =
    query === "" && !random.oneIn(20) ? anyPath(random, path) : `${anyPath(random, path)}?${query}`;
  return random.oneIn(400) ? target + "%41".repeat(random.below(6000)) : target;
}

function anyPath(random: Random, path: string): string {
  switch (random.below(24)) {
    case 0:
    case 1:
      return random.oneIn(60) ? LARGE_PAGE : random.pick(PAGES);
    case 2:
      return mutate(random, path);
    case 3:
      return random.pick([
        `http://example.com${path}`,
        `//example.com${path}`,
        `${path}/`,
        `${path}:x`,
        `/${anyNoise(random, 30)}`,
        "*",
        "/v1/../v1/otp",
        "/v1/%6ftp",
        "/grpc.health.v1.Health/Nope",
        `/v1/otp/${MARKER}`,
      ]);
    default:
      return path;
  }
}
