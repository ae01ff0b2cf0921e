import type { RpcError } from "../protocols/mcp/error.js";

/** A JSON-RPC message, or the error for one that is not valid. */
export type ReadMessage = { readonly message: object } | { readonly error: RpcError };

/** How deep objects and arrays of a message can be nested. */
const MAX_DEPTH = 64;

/** How many values a message can have in all: the checks of the package block the process for longer than reading does. */
const MAX_VALUES = 10_000;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a JSON-RPC message: one object without deep nesting or too many values. */
export function readMessage(body: Uint8Array): ReadMessage {
  let message: unknown;
  try {
    message = JSON.parse(UTF8.decode(body));
  } catch {
    return { error: { code: -32_700, message: "the body is not JSON in UTF-8" } };
  }
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    const text = "the body must be one JSON-RPC message; batches are not supported";
    return { error: { code: -32_600, message: text } };
  }
  return isTooLarge(message) ? { error: TOO_LARGE } : { message };
}

/** The error for a message with which the package would fail, or take too long. */
export const TOO_LARGE: RpcError = {
  code: -32_602,
  message: `the message has more than ${MAX_VALUES} values or ${MAX_DEPTH} levels`,
};

/** Whether a message has too many values, or is nested too deep. */
export function isTooLarge(message: object): boolean {
  let count = 0;
  const exceeds = (value: object, depth: number): boolean => {
    if (depth === 0) {
      return true;
    }
    const values: unknown[] = Object.values(value);
    count += values.length;
    return (
      count > MAX_VALUES ||
      values.some((each) => typeof each === "object" && each !== null && exceeds(each, depth - 1))
    );
  };
  return exceeds(message, MAX_DEPTH);
}

/** The ID of a message; null if it has none. */
export function idOf(message: object): string | number | null {
  const id: unknown = "id" in message ? message.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
