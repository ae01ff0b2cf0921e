import { Code } from "@connectrpc/connect";
import { RpcError } from "../rpc/rpc-error.js";

/**
 * Why no message can be made of a request. The codes are those that connect-node has for the same, but for a message that
 * is none: that is its caller's fault, and no `INTERNAL` that somebody should be woken for.
 */
export type LaneErrorReason =
  | "COMPRESSED_MESSAGE"
  | "EXTRA_MESSAGE"
  | "INCOMPLETE_MESSAGE"
  | "MALFORMED_MESSAGE"
  | "MESSAGE_TOO_LARGE"
  | "MISSING_MESSAGE";

const CODES: Readonly<Record<LaneErrorReason, readonly [code: Code, message: string]>> = {
  COMPRESSED_MESSAGE: [Code.Internal, "the message is compressed, and the headers name no encoding"],
  EXTRA_MESSAGE: [Code.Unimplemented, "this method takes exactly one message, and there is more than one"],
  INCOMPLETE_MESSAGE: [Code.InvalidArgument, "the body ends before its message does"],
  MALFORMED_MESSAGE: [Code.InvalidArgument, "the message is not in the binary format of its type"],
  MESSAGE_TOO_LARGE: [Code.ResourceExhausted, "the message is too large"],
  MISSING_MESSAGE: [Code.Unimplemented, "this method takes exactly one message, and there is none"],
};

/** Makes the error of a request that is no message. Like connect-node's for the same, it has no details. */
export function laneError(reason: LaneErrorReason, allowed = ""): RpcError {
  const [code, message] = CODES[reason];
  return new RpcError({
    code,
    reason,
    message: allowed === "" ? message : `${message}; allowed: ${allowed}`,
    details: [],
  });
}

/** A message is longer than `limit` octets. */
export function messageTooLarge(limit: number): RpcError {
  return laneError("MESSAGE_TOO_LARGE", `${limit} octets`);
}
