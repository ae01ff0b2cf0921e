import type { ConnectError } from "@connectrpc/connect";
import { codeName } from "../../errors/codes.js";
import { reasonOf, violationsOf } from "../../errors/errors.js";
import { type OutgoingResponse, toOutgoing } from "../../routes/encoding/representation.js";
import type { HttpResponse } from "../../routes/encoding/response-encoder.js";
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

/** A response with an error of JSON-RPC. The ID is null if the request has none that can be read. */
export function rpcErrorResponse(
  status: number,
  { code, message, data }: RpcError,
  id: string | number | null = null,
): HttpResponse {
  const error = { code, message, ...(data !== undefined && { data }) };
  return { status, headers: RPC_HEADERS, body: JSON.stringify({ jsonrpc: "2.0", id, error }) };
}

/** The response with an error of the server, with the status and the headers that it has over REST. */
export function mcpErrorResponse(error: ConnectError): OutgoingResponse {
  const details = errorDetails(error);
  const { status, headers } = encodeError(error, {}, details);
  const data = { status: codeName(error.code), details };
  const response = rpcErrorResponse(status, { code: SERVER_ERROR, message: errorText(error), data });
  return toOutgoing({ ...response, headers: { ...headers, ...RPC_HEADERS } });
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
