import type { DescMessage } from "@bufbuild/protobuf";
import type { RestMethod } from "connect-transcoding/rules";
import { responseBodyOf } from "connect-transcoding/rules";
import { bindingOf, type HttpRequest, httpRequestOf } from "./http-request.js";
import { jsonText } from "./json-text.js";
import { shellQuote } from "./shell-quote.js";
import { commandLines, KEY_HEADER, type SnippetRequest } from "./snippet-request.js";

/** A call as a command of curl that asks for it over plain HTTP. An answer that is a file goes into one. */
export function curlSnippet<Desc extends DescMessage>(request: SnippetRequest<Desc>): string {
  const { method, message, baseUrl, needsKey } = request;
  const http = httpRequestOf(method, message);
  const { verb, target, body } = http;
  const impliedVerb = body === undefined ? "GET" : "POST";
  const fileName = fileNameOf(method, http);
  const args = [
    ...(verb === impliedVerb ? [] : [`-X ${verb}`]),
    ...(needsKey ? [KEY_HEADER] : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${shellQuote(jsonText(body, "  "))}`]),
    ...(fileName === undefined ? [] : [`-o ${fileName}`]),
  ];
  return commandLines(`curl ${shellQuote(`${baseUrl}${target}`)}`, args);
}

/**
 * What to call the file that an answer is; undefined for one that is text. Its type is the one of the method's media types that
 * an enum of the request names, or the first, which is the default.
 */
function fileNameOf(method: RestMethod, { target }: HttpRequest): string | undefined {
  const binding = bindingOf(method);
  if (responseBodyOf(binding).kind !== "bytes") {
    return undefined;
  }
  const query = new URLSearchParams(target.slice(target.indexOf("?")));
  const enums = method.input.fields.filter((field) => field.enum !== undefined);
  const chosen = enums.map(({ jsonName }) => query.get(jsonName));
  const extensions = binding.options.mediaTypes.map((type) => /\/([a-z\d]+)/.exec(type)?.[1] ?? "bin");
  const extension = extensions.find((each) => chosen.includes(each)) ?? extensions[0] ?? "bin";
  return `${method.parent.name.replace(/Service$/, "").toLowerCase()}.${extension}`;
}
