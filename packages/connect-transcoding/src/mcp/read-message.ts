import { ConnectError } from "@connectrpc/connect";
import { closingQuote, isJsonObject, type JsonDataObject } from "../codec/json/data.js";
import { decodeUtf8, parseText } from "../codec/json/parser.js";
import type { RpcError, RpcId } from "../protocols/mcp/error.js";

/** A JSON-RPC message, or the error for one that is not valid. */
export type ReadMessage =
  | { readonly message: JsonDataObject }
  | { readonly error: RpcError; readonly id?: RpcId };

/** The maximum length of a message in bytes, unless an option says otherwise. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** How deep objects and arrays of a message can be nested. */
const MAX_DEPTH = 64;

/** How many values a message can have in all: the checks of the package block the process for longer than reading does. */
const MAX_VALUES = 10_000;

const TOO_LARGE: RpcError = {
  code: -32_602,
  message: `the message has more than ${MAX_VALUES} values or ${MAX_DEPTH} levels`,
};

/** Reads a JSON-RPC message: one object without duplicate members, deep nesting or too many values. Integers beyond 2^53 are bigints. */
export function readMessage(body: Uint8Array): ReadMessage {
  try {
    const text = decodeUtf8(body, "the message");
    if (isTooLarge(text)) {
      return { error: TOO_LARGE };
    }
    const { value } = parseText(text, "the message");
    return isJsonObject(value)
      ? { message: value }
      : { error: { code: -32_600, message: "the message must be one object; batches are not supported" } };
  } catch (thrown) {
    return { error: { code: -32_700, message: ConnectError.from(thrown).rawMessage } };
  }
}

/** Whether a JSON text has too many values, or is nested too deep: to parse it first would take the time, and to visit its values the stack. */
function isTooLarge(json: string): boolean {
  let [values, depth, follows] = [0, 0, false];
  for (let index = 0; index < json.length && values <= MAX_VALUES && depth <= MAX_DEPTH; index++) {
    const character = json.charAt(index);
    if (character <= " ") {
      continue;
    }
    const closes = character === "]" || character === "}";
    // The first value of an array or object follows its bracket, the others commas.
    if (character === "," || (follows && !closes)) {
      values += 1;
    }
    follows = character === "[" || character === "{";
    depth += follows ? 1 : closes ? -1 : 0;
    if (character === '"') {
      index = closingQuote(json, index);
    }
  }
  return values > MAX_VALUES || depth > MAX_DEPTH;
}

/** The ID of a message; null if it has none. */
export function idOf(message: unknown): RpcId {
  const id = typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
