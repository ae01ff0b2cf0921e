import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import { fileNameOf, httpRequestOf } from "./http.js";
import { jsonLiteral, jsonTokens } from "./json.js";
import type { SnippetRequest } from "./snippet-request.js";
import { KEY_VARIABLE } from "./snippet-request.js";

/**
 * Writes a request as a Python program, which needs only the standard library. A response that is a file is saved to a file.
 * https://docs.python.org/3/library/urllib.request.html
 */
export function pythonSnippet<Desc extends DescMessage>(request: SnippetRequest<Desc>): string {
  const { method, message, baseUrl, needsKey } = request;
  const http = httpRequestOf(method, message);
  const { httpMethod, target, body } = http;
  const fileName = fileNameOf(method, http);
  const headers = [
    body !== undefined && '"Content-Type": "application/json"',
    needsKey && `"Authorization": "Bearer " + os.environ["${KEY_VARIABLE}"]`,
  ].filter(Boolean);
  const impliedMethod = body === undefined ? "GET" : "POST";
  const parts = [
    jsonLiteral(`${baseUrl}${target}`),
    body !== undefined && `data=json.dumps(${pythonLiteral(body)}).encode()`,
    headers.length > 0 && `headers={${headers.join(", ")}}`,
    httpMethod !== impliedMethod && `method="${httpMethod}"`,
  ].filter((part) => part !== false);
  return [
    ...(body === undefined ? [] : ["import json"]),
    ...(needsKey ? ["import os"] : []),
    "from urllib.request import Request, urlopen",
    "",
    parts.length === 1
      ? `request = Request(${parts[0]})`
      : `request = Request(\n${parts.map((part) => `    ${part.replaceAll("\n", "\n    ")},\n`).join("")})`,
    ...(fileName === undefined
      ? ["with urlopen(request, timeout=10) as response:", "    print(response.read().decode())"]
      : [
          `with urlopen(request, timeout=10) as response, open("${fileName}", "wb") as file:`,
          "    file.write(response.read())",
        ]),
  ].join("\n");
}

const WORDS: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" };

/** Writes a value in Python. Only the words differ from JSON. */
function pythonLiteral(value: JsonValue): string {
  return jsonTokens(jsonLiteral(value))
    .map(({ kind, text }) => (kind === "word" ? (WORDS[text] ?? text) : text))
    .join("");
}
