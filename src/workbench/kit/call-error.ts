import type { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { codeName } from "../../rpc/code-name.js";

/** What is wrong with one field of a request, as the service says it. */
export interface FieldViolation {
  /** The field by its name in the proto, or a path of such names. */
  readonly field: string;
  readonly reason: string;
  readonly description: string;
}

/** Why a call has no answer, as the service says it. */
export interface CallError {
  /** The canonical code, for example `NOT_FOUND`. */
  readonly code: string;
  /** The stable reason; empty for an error that the service did not make, as that of a lost connection. */
  readonly reason: string;
  readonly message: string;
  /** Facts for programs, by name. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
}

/** Reads an error with its details. */
export function readCallError(error: ConnectError): CallError {
  const info = error.findDetails(ErrorInfoSchema)[0];
  return {
    code: codeName(error.code),
    reason: info?.reason ?? "",
    message: error.rawMessage,
    metadata: info?.metadata ?? {},
    violations: error.findDetails(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations),
  };
}
