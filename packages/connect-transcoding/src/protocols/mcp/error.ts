import type { ConnectError } from "@connectrpc/connect";
import { codeName } from "../../errors/codes.js";
import { reasonOf, violationsOf } from "../../errors/errors.js";
import { type OutgoingResponse, toOutgoing } from "../../routes/encoding/representation.js";
import { encodeError } from "../rest/error.js";
import { errorDetails } from "../rest/error-details.js";

/** The code of errors outside of JSON-RPC, from the range that it leaves to servers. https://www.jsonrpc.org/specification */
export const SERVER_ERROR = -32_000;

export const RPC_HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

/** An error of JSON-RPC. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The ID of a request; null if it has none that can be read. */
export type RpcId = string | number | null;

/** A message with an error of JSON-RPC. */
export function rpcErrorOf({ code, message, data }: RpcError, id: RpcId = null) {
  const error = { code, message, ...(data !== undefined && { data }) };
  return { jsonrpc: "2.0", id, error } as const;
}

/** The response with an error of the server, with the status and the headers that it has over REST. */
export function mcpErrorResponse(error: ConnectError): OutgoingResponse {
  const details = errorDetails(error);
  const { status, headers } = encodeError(error, {}, details);
  const data = { status: codeName(error.code), details };
  const body = JSON.stringify(rpcErrorOf({ code: SERVER_ERROR, message: errorText(error), data }));
  return toOutgoing({ status, headers: { ...headers, ...RPC_HEADERS }, body });
}

/** Code, reason and message, then a line for each invalid argument that the message does not describe. */
export function errorText(error: ConnectError): string {
  const reason = reasonOf(error);
  const violations = violationsOf(error).filter(({ description }) => !error.rawMessage.includes(description));
  return [
    `${codeName(error.code)}${reason === "" ? "" : ` (${reason})`}: ${error.rawMessage}`,
    ...violations.map(({ field, description }) => `- ${field}: ${description}`),
  ].join("\n");
}
