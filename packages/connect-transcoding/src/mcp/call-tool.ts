import type { JsonObject } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { type Caller, type CallerResponse, DEFAULT_MAX_MESSAGES } from "../call/caller.js";
import { errorText } from "../protocols/mcp/error.js";
import { MAX_ITEMS, type MethodTool } from "./tools.js";

/** Media types that models read as text. */
const TEXT = /^text\/|[/+](?:json|xml|yaml)\b/;

/** Calls a tool. An error of the method is a result, which a model can correct. */
export async function callTool(
  { method, defaults, hasMaxItems, description }: MethodTool,
  args: JsonObject,
  caller: Caller,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { max_items: maxItems = DEFAULT_MAX_MESSAGES, ...rest } = args;
  const message = { ...defaults, ...(hasMaxItems ? rest : args) };
  if (hasMaxItems && !(Number.isInteger(maxItems) && Number(maxItems) > 0 && Number(maxItems) <= MAX_ITEMS)) {
    return failed(`INVALID_ARGUMENT: max_items: must be an integer from 1 to ${MAX_ITEMS}`);
  }
  try {
    const options = { signal, ...(hasMaxItems && { maxMessages: Number(maxItems) }) };
    return resultOf(await caller.call(method, message, options), description.name);
  } catch (thrown) {
    return failed(errorText(ConnectError.from(thrown)));
  }
}

function failed(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function resultOf({ contentType, body, isCut }: CallerResponse, name: string): CallToolResult {
  const [mimeType = ""] = contentType.split(";", 1);
  if (mimeType === "application/x-ndjson") {
    const lines = text(body).split("\n").slice(0, -1);
    const note = isCut
      ? `the result ends after ${lines.length} messages; there are more: raise max_items, or narrow the request`
      : undefined;
    return objectResult({ items: lines.map((line) => JSON.parse(line)), ...(note && { note }) });
  }
  if (mimeType === "application/json") {
    const json = text(body);
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? objectResult(value as JsonObject, json) : { content: [{ type: "text", text: json }] };
  }
  if (TEXT.test(mimeType)) {
    return { content: [{ type: "text", text: text(body) }] };
  }
  const data = Buffer.from(body).toString("base64");
  const [kind] = mimeType.split("/", 1);
  return kind === "image" || kind === "audio"
    ? { content: [{ type: kind, data, mimeType }] }
    : { content: [{ type: "resource", resource: { uri: `tool:${name}`, mimeType, blob: data } }] };
}

/** A result with an object, whose text is for clients that do not read `structuredContent`. */
function objectResult(
  structuredContent: JsonObject,
  json = JSON.stringify(structuredContent),
): CallToolResult {
  return { content: [{ type: "text", text: json }], structuredContent };
}

function text(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.length).toString();
}
