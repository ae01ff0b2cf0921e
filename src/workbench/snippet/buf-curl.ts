import { type DescMessage, type JsonObject, toJson } from "@bufbuild/protobuf";
import { jsonText } from "./json-text.js";
import { shellQuote } from "./shell-quote.js";
import { commandLines, KEY_HEADER, type SnippetRequest } from "./snippet-request.js";

/**
 * A call as a command of `buf curl`, which speaks gRPC and learns the schema by reflection. Over cleartext it has to be told that
 * the server knows HTTP/2; over TLS that is agreed on.
 * https://buf.build/docs/reference/cli/buf/curl/
 */
export function bufCurlSnippet<Desc extends DescMessage>(request: SnippetRequest<Desc>): string {
  const { method, message, baseUrl, needsKey } = request;
  const json = toJson(method.input, message) as JsonObject;
  const key = needsKey ? [KEY_HEADER, "--reflect-header '*'"] : [];
  const version = baseUrl.startsWith("https:") ? "" : " --http2-prior-knowledge";
  return commandLines(`buf curl --protocol grpc${version}`, [
    ...key,
    `-d ${shellQuote(jsonText(json, "  "))}`,
    shellQuote(`${baseUrl}/${method.parent.typeName}/${method.name}`),
  ]);
}
