import { anyNoise, damage, damageText, escapeText, type Random, randomBytes } from "../../lib/random.js";
import type { RawRequest } from "../../lib/raw-client.js";
import { fieldText, jsonValue, MARKER } from "./values.js";

/** An operation of the OpenAPI document. */
export interface RestOperation {
  readonly httpMethod: string;
  readonly path: string;
  /** Whether parameters can be sent in the body. */
  readonly takesBody: boolean;
  /** The parameters of valid requests. */
  readonly examples: readonly Parameters[];
}

type Parameters = readonly (readonly [name: string, value: string])[];

/** Reads the operations of an OpenAPI document. Throws an Error if there are none. */
export function operationsOf(document: unknown): readonly RestOperation[] {
  const operations = entriesOf(document, "paths").flatMap(([path, item]) =>
    entriesOf(item).map(([httpMethod, operation]) => ({
      httpMethod: httpMethod.toUpperCase(),
      path,
      takesBody: bodiesOf(operation).length > 0,
      examples: bodiesOf(operation).length > 0 ? bodiesOf(operation) : queriesOf(operation),
    })),
  );
  const valid = operations.filter(({ examples }) => examples.length > 0);
  if (valid.length === 0) {
    throw new Error("the OpenAPI document has no operations with examples");
  }
  return valid;
}

function bodiesOf(operation: unknown): Parameters[] {
  return entriesOf(operation, "requestBody", "content").flatMap(([, content]) =>
    entriesOf(content, "examples").map(([, example]) =>
      entriesOf(example, "value").map(([name, value]) => [name, String(value)] as const),
    ),
  );
}

/** Combines each documented value of a parameter with the first value of the others. */
function queriesOf(operation: unknown): Parameters[] {
  const parameters = entriesOf(operation, "parameters").map(([, parameter]) => {
    const named = entriesOf(parameter, "examples").map(([, example]) => at(example, "value"));
    const schema = at(parameter, "schema");
    const listed = [...entriesOf(schema, "examples"), ...entriesOf(schema, "enum")].map(([, value]) => value);
    return [
      String(at(parameter, "name")),
      [...named, ...listed].filter((value) => value !== undefined).map(String),
    ] as const;
  });
  return parameters.flatMap(([name, values]) =>
    values.map((value) =>
      parameters.map(([other, others]) => [other, other === name ? value : (others[0] ?? "")] as const),
    ),
  );
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

const HTTP_METHODS =
  "GET POST PUT PATCH DELETE HEAD OPTIONS TRACE CONNECT PROPFIND M-SEARCH QUERY BREW get".split(" ");
const PAGES =
  "/ /docs /docs/ /openapi.json /docs/reference.css /docs/reference.js /docs/icon.svg /favicon.ico".split(
    " ",
  );
const FORM_TYPE = "application/x-www-form-urlencoded";
const TYPES = [
  ...["", ";", "text/plain", "application/json; charset=utf-16", "APPLICATION/JSON"],
  ...[
    `${FORM_TYPE}; charset=latin1`,
    'application/json;charset="UTF-8";;=',
    "multipart/form-data; boundary=a",
  ],
  "application/json, text/plain",
];
const SECRET_PATH = `/v1/otp/${MARKER}`;
const NAMES = ["nope", "", "__proto__", "constructor", "Type", "type[]", "data.a", "é", "a b"];
/** The maximum length of occasional long bodies, three times what the service accepts. */
const LONG_BODY = 200_000;

/** Returns a REST request for an operation, or a similar one. */
export function anyRestRequest(
  random: Random,
  operations: readonly RestOperation[],
): Omit<RawRequest, "http"> {
  const operation = random.pick(operations);
  const { query, type, body } = usualRequest(random, operation);
  const httpMethod = random.oneIn(15) ? random.pick(HTTP_METHODS) : operation.httpMethod;
  const hasBody = type !== undefined || httpMethod !== "GET" || random.oneIn(40);
  return {
    httpMethod,
    target: anyTarget(random, operation.path, query),
    headers: type === undefined ? [] : [["content-type", random.oneIn(20) ? random.pick(TYPES) : type]],
    body: hasBody ? anyBody(random, body) : new Uint8Array(),
    breaksOff: random.oneIn(150),
  };
}

function usualRequest(random: Random, operation: RestOperation) {
  const parameters = anyParameters(random, operation);
  const kind = operation.takesBody ? random.below(8) : 0;
  if (kind === 0) {
    return { query: formOf(random, parameters), type: undefined, body: "" };
  }
  if (kind < 3) {
    return { query: "", type: FORM_TYPE, body: formOf(random, parameters) };
  }
  const cut = kind === 3 ? random.below(parameters.length + 1) : 0;
  const query = cut === 0 ? "" : formOf(random, parameters.slice(0, cut));
  return { query, type: "application/json", body: jsonOf(random, parameters.slice(cut)) };
}

/** Returns the parameters of an example, with some missing, repeated, invalid or unknown. */
function anyParameters(random: Random, { examples }: RestOperation): Parameters {
  const parameters = random.pick(examples).flatMap(([name, value]) => {
    const isChoice = name === "type" || name === "action" || name === "format";
    const other = () => [name, random.oneIn(2) ? value : fieldText(random, name, [value])] as const;
    if (random.oneIn(isChoice ? 40 : 12)) {
      return [];
    }
    const usual = isChoice && !random.oneIn(12) ? value : fieldText(random, name, [value]);
    return [[name, usual] as const, ...(random.oneIn(25) ? [other()] : [])];
  });
  const unknown = [random.pick(NAMES), random.oneIn(3) ? MARKER : fieldText(random, "", [])] as const;
  return random.oneIn(15) ? [...parameters, unknown] : parameters;
}

function formOf(random: Random, parameters: Parameters): string {
  const form = parameters
    .map(([name, value]) =>
      random.oneIn(15) ? `${name}=${value}` : `${escapeText(name)}=${escapeText(value)}`,
    )
    .join(random.oneIn(60) ? ";" : "&");
  return random.oneIn(10) ? damageText(random, form) : form;
}

function jsonOf(random: Random, parameters: Parameters): string {
  const members = parameters.map(([name, value]) => {
    const text = /^\d{1,9}$/.test(value) && !random.oneIn(4) ? value : JSON.stringify(value);
    return `${JSON.stringify(name)}:${random.oneIn(25) ? jsonValue(random) : text}`;
  });
  const json = `{${members.join(",")}}`;
  switch (random.below(20)) {
    case 0:
      return damageText(random, json);
    case 1:
      return json.slice(0, random.below(json.length));
    case 2:
      return random.pick([
        ...[`[${json}]`, `${json}${json}`, `\ufeff${json}`, '{"type":'.repeat(3000), "[".repeat(60_000), ""],
        `"${MARKER}"`,
      ]);
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
  return random.oneIn(15) && bytes.length > 0 ? damage(random, bytes) : bytes;
}

function anyTarget(random: Random, path: string, query: string): string {
  const target =
    query === "" && !random.oneIn(20) ? anyPath(random, path) : `${anyPath(random, path)}?${query}`;
  return random.oneIn(400) ? target + "%41".repeat(random.below(6000)) : target;
}

function anyPath(random: Random, path: string): string {
  const noise = `/${anyNoise(random, 30)}`;
  const others = [`http://example.com${path}`, `//example.com${path}`, `${path}/`, `${path}:x`, noise, "*"];
  switch (random.below(24)) {
    case 0:
    case 1:
      return random.pick(PAGES);
    case 2:
      return damageText(random, path);
    case 3:
      return random.pick([
        ...others,
        "/v1/../v1/otp",
        "/v1/%6ftp",
        "/grpc.health.v1.Health/Nope",
        SECRET_PATH,
      ]);
    default:
      return path;
  }
}
