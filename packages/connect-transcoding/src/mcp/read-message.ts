import type { RpcError } from "../protocols/mcp/error.js";

/** A JSON-RPC message, or the error for one that is not valid. */
export type ReadMessage = { readonly message: object } | { readonly error: RpcError };

/** How deep objects and arrays of a message can be nested. */
const MAX_DEPTH = 64;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a JSON-RPC message: one object without deep nesting. */
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
  return isTooDeep(message) ? { error: DEEP_NESTING } : { message };
}

/** The error for a message on whose nesting the recursion of readers would fail. */
export const DEEP_NESTING: RpcError = {
  code: -32_602,
  message: `the message has more than ${MAX_DEPTH} levels`,
};

/** Whether a message is nested too deep. */
export function isTooDeep(value: object, depth = MAX_DEPTH): boolean {
  return (
    depth === 0 ||
    Object.values(value).some(
      (each) => typeof each === "object" && each !== null && isTooDeep(each, depth - 1),
    )
  );
}

/** The ID of a message; null if it has none. */
export function idOf(message: object): string | number | null {
  const id: unknown = "id" in message ? message.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
