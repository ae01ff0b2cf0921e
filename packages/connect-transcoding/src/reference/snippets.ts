import { type ExampleRequest, valueText } from "./document/examples.js";
import { isJson } from "./document/model.js";

/** Stands for the base URL in a snippet: a server that is described by a relative URL has that of the page. */
export const BASE = "\u0001";

/** Stands for the option of a client that speaks HTTP/2 without TLS. */
export const WITHOUT_TLS = "\u0002";

/** A header with an API key. */
export interface KeyHeader {
  readonly name: string;
  /** What precedes the key, for example `Bearer `. */
  readonly prefix: string;
}

/** A call over gRPC. */
export interface RpcExample {
  /** The full name of the service, a slash and the name of the method. */
  readonly path: string;
  /** The request message in ProtoJSON. */
  readonly request: unknown;
}

/** A program that sends a request. */
export interface Snippet {
  readonly language: string;
  readonly text: string;
}

/** Returns the programs that send an example: with buf only if the call exists over gRPC. */
export function snippetsOf(
  request: ExampleRequest,
  rpc: RpcExample | undefined,
  key: KeyHeader | undefined,
): Snippet[] {
  return [
    { language: "curl", text: curl(request, key) },
    ...(rpc === undefined ? [] : [{ language: "buf curl", text: bufCurl(rpc, key) }]),
    { language: "TypeScript", text: typeScript(request, key) },
    { language: "Python", text: python(request, key) },
  ];
}

function queryText(query: ExampleRequest["query"]): string {
  const text = query.map((pair) => pair.map(encode).join("=")).join("&");
  return text === "" ? "" : `?${text}`;
}

/** Percent-encodes what shells interpret as well. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The text of a body: one line of JSON, or the text itself. */
function bodyText({ mediaType, value }: NonNullable<ExampleRequest["body"]>): string {
  return isJson(mediaType) ? lineOf(value) : valueText(value);
}

function curl(
  { httpMethod, path, query, headers, body }: ExampleRequest,
  key: KeyHeader | undefined,
): string {
  const isPlain = httpMethod === "GET" || (httpMethod === "POST" && body !== undefined);
  return [
    `curl ${isPlain ? "" : httpMethod === "HEAD" ? "--head " : `-X ${httpMethod} `}${quoted(`${BASE}${path}${queryText(query)}`)}`,
    ...(key === undefined ? [] : [`-H "${key.name}: ${key.prefix}$API_KEY"`]),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : [`-H ${quoted(`Content-Type: ${body.mediaType}`)}`, `-d ${quoted(bodyText(body))}`]),
  ].join(" \\\n  ");
}

function bufCurl({ path, request }: RpcExample, key: KeyHeader | undefined): string {
  return [
    `buf curl --protocol grpc${WITHOUT_TLS}`,
    ...(key === undefined ? [] : [`-H "${key.name}: ${key.prefix}$API_KEY"`]),
    `-d ${quoted(lineOf(request))}`,
    quoted(`${BASE}/${path}`),
  ].join(" \\\n  ");
}

/** JSON on one line, with spaces. */
function lineOf(value: unknown): string {
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value) ?? "null";
  }
  return Array.isArray(value)
    ? `[${value.map(lineOf).join(", ")}]`
    : `{${Object.entries(value)
        .map(([name, each]) => `${JSON.stringify(name)}: ${lineOf(each)}`)
        .join(", ")}}`;
}

/** JSON, also as a literal of JavaScript: with the given indentation after the first line. */
function indented(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
}

function typeScript(
  { httpMethod, path, query, headers, body }: ExampleRequest,
  key: KeyHeader | undefined,
): string {
  const sent = [
    ...(key === undefined ? [] : [`${JSON.stringify(key.name)}: \`${key.prefix}\${process.env.API_KEY}\``]),
    ...headers.map((pair) => pair.map((text) => JSON.stringify(text)).join(": ")),
    ...(body === undefined ? [] : [`"Content-Type": ${JSON.stringify(body.mediaType)}`]),
  ];
  const init = [
    ...(httpMethod === "GET" ? [] : [`  method: "${httpMethod}",`]),
    ...(sent.length === 0 ? [] : [`  headers: { ${sent.join(", ")} },`]),
    ...(body === undefined
      ? []
      : isJson(body.mediaType)
        ? [`  body: JSON.stringify(${indented(body.value, "  ")}),`]
        : [`  body: ${JSON.stringify(bodyText(body))},`]),
  ];
  const url = `"${BASE}${path}${queryText(query)}"`;
  return `const response = await fetch(${url}${init.length === 0 ? "" : `, {\n${init.join("\n")}\n}`});
if (!response.ok) {
  throw new Error(await response.text());
}
console.log(await response.text());`;
}

function python(
  { httpMethod, path, query, headers, body }: ExampleRequest,
  key: KeyHeader | undefined,
): string {
  const sent: string[] = [
    ...(key === undefined
      ? []
      : [`${JSON.stringify(key.name)}: ${JSON.stringify(key.prefix)} + os.environ["API_KEY"]`]),
    ...headers.map((pair) => pair.map((text) => JSON.stringify(text)).join(": ")),
    ...(body === undefined || isJson(body.mediaType)
      ? []
      : [`"Content-Type": ${JSON.stringify(body.mediaType)}`]),
  ];
  const method = httpMethod.toLowerCase();
  const lines = [
    `    "${BASE}${path}",`,
    ...(query.length === 0 ? [] : [`    params=${queryLiteral(query)},`]),
    ...(sent.length === 0 ? [] : [`    headers={${sent.join(", ")}},`]),
    ...(body === undefined
      ? []
      : isJson(body.mediaType)
        ? [`    json=${pythonLiteral(body.value, "    ")},`]
        : [`    data=${JSON.stringify(bodyText(body))},`]),
    "    timeout=10,",
  ];
  const call = method === "trace" ? `requests.request("TRACE",` : `requests.${method}(`;
  return `${key === undefined ? "" : "import os\n\n"}import requests

response = ${call}
${lines.join("\n")}
)
response.raise_for_status()
print(response.text)`;
}

/** A dictionary, or pairs where a name occurs more than once. */
function queryLiteral(query: ExampleRequest["query"]): string {
  const names = new Set(query.map(([name]) => name));
  return names.size === query.length
    ? pythonLiteral(Object.fromEntries(query), "    ")
    : `[${query.map((pair) => `(${pair.map((text) => JSON.stringify(text)).join(", ")})`).join(", ")}]`;
}

/** The maximum length of a literal on one line. */
const MAX_LENGTH = 60;

function pythonLiteral(value: unknown, indent: string): string {
  if (typeof value === "boolean") {
    return value ? "True" : "False";
  }
  if (value === null || value === undefined) {
    return "None";
  }
  if (typeof value !== "object") {
    return JSON.stringify(value);
  }
  const inner = `${indent}    `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => pythonLiteral(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${pythonLiteral(each, inner)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const line = `${open}${parts.join(", ")}${close}`;
  return line.length <= MAX_LENGTH && !line.includes("\n")
    ? line
    : `${open}\n${parts.map((part) => `${inner}${part},`).join("\n")}\n${indent}${close}`;
}
