import { type DescMessage, type JsonObject, toJson } from "@bufbuild/protobuf";
import { serviceNameOf } from "@utility-tools/client/browser";
import { fileNameOf, httpRequestOf } from "./http.js";
import { jsonLiteral } from "./json.js";
import { messageLiteral } from "./literal.js";
import { pythonSnippet } from "./python.js";
import { KEY_VARIABLE, type SnippetRequest } from "./snippet-request.js";

/** The argument that sends the key, for curl and `buf curl`. The shell expands the variable within double quotes. */
const KEY_HEADER = `-H "Authorization: Bearer $${KEY_VARIABLE}"`;

/** Writes a request as a curl command. A response that is a file is saved to a file. */
export function curlSnippet<Desc extends DescMessage>(request: SnippetRequest<Desc>): string {
  const { method, message, baseUrl, needsKey } = request;
  const http = httpRequestOf(method, message);
  const { httpMethod, target, body } = http;
  const impliedMethod = body === undefined ? "GET" : "POST";
  const fileName = fileNameOf(method, http);
  const args = [
    httpMethod !== impliedMethod && `-X ${httpMethod}`,
    needsKey && KEY_HEADER,
    body !== undefined && "-H 'Content-Type: application/json'",
    body !== undefined && `-d ${shellQuote(jsonLiteral(body, "  "))}`,
    fileName !== undefined && `-o ${fileName}`,
  ];
  return commandLines(`curl ${shellQuote(`${baseUrl}${target}`)}`, args);
}

/**
 * Writes a request as a `buf curl` command, which calls gRPC and reads the schema by reflection. Without TLS it needs a flag
 * to use HTTP/2; with TLS the protocol is negotiated.
 * https://buf.build/docs/reference/cli/buf/curl/
 */
export function bufCurlSnippet<Desc extends DescMessage>(request: SnippetRequest<Desc>): string {
  const { method, message, baseUrl, needsKey } = request;
  const json = toJson(method.input, message) as JsonObject;
  const version = baseUrl.startsWith("https:") ? "" : " --http2-prior-knowledge";
  return commandLines(`buf curl --protocol grpc${version}`, [
    needsKey && KEY_HEADER,
    needsKey && "--reflect-header '*'",
    `-d ${shellQuote(jsonLiteral(json, "  "))}`,
    shellQuote(`${baseUrl}/${method.parent.typeName}/${method.name}`),
  ]);
}

/** Writes a request as a TypeScript module that uses the package `@utility-tools/client`. */
export function typeScriptSnippet<Desc extends DescMessage>(request: SnippetRequest<Desc>): string {
  const { method, message, baseUrl, needsKey } = request;
  const { literal, enums } = messageLiteral(method.input, message);
  const options = needsKey ? `, {\n  apiKey: process.env.${KEY_VARIABLE},\n}` : "";
  const imported = [...enums.map(({ name }) => name), "createUtilityToolsClient"];
  return [
    `import { ${imported.join(", ")} } from "@utility-tools/client";`,
    "",
    `const client = createUtilityToolsClient(${jsonLiteral(baseUrl)}${options});`,
    `const response = await client.${serviceNameOf(method.parent)}.${method.localName}(${literal});`,
  ].join("\n");
}

/** A kind of snippet. */
export interface SnippetKind {
  readonly id: string;
  readonly title: string;
  readonly write: <Desc extends DescMessage>(request: SnippetRequest<Desc>) => string;
}

/** The kinds of snippets that the page offers, in this order. */
export const SNIPPETS: readonly SnippetKind[] = [
  { id: "curl", title: "curl", write: curlSnippet },
  { id: "grpc", title: "buf curl", write: bufCurlSnippet },
  { id: "typescript", title: "TypeScript", write: typeScriptSnippet },
  { id: "python", title: "Python", write: pythonSnippet },
];

/** Joins a command and those of its arguments that apply: on one line if short, else with one argument per line. */
function commandLines(command: string, args: readonly (string | false)[]): string {
  const words = [command, ...args].filter((word) => word !== false);
  const line = words.join(" ");
  return line.length <= 72 && !line.includes("\n") ? line : words.join(" \\\n  ");
}

/**
 * Quotes a text as one word of a POSIX shell. The text must not contain a zero byte, which no argument can contain.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02_02
 */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
