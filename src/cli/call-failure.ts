import { Code, ConnectError } from "@connectrpc/connect";
import { readError } from "@utility-tools/client";
import { codeName, RpcError } from "connect-transcoding";

/** What a call, or one input of many, failed with. */
export interface CallFailure {
  readonly code: Code;
  /** That of the one field in violation, where there is one; else that of the error. */
  readonly reason: string;
  /** The service's own words. */
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Reads an error of a call, of this process or of a service. `operand` is the proto name of the field that the input is
 * in: what is wrong with it alone is told without its name, as batches do. An exception that is no such error is a bug
 * and thrown again.
 */
export function callFailure(thrown: unknown, operand: string | undefined): CallFailure {
  if (!(thrown instanceof RpcError) && !(thrown instanceof ConnectError)) {
    throw thrown;
  }
  const { reason, message, metadata, violations } = factsOf(thrown);
  const [violation] = violations;
  const isOperand = violations.length === 1 && violation?.field === operand;
  return {
    code: thrown.code,
    reason: (violations.length === 1 ? violation?.reason : undefined) ?? reason,
    message: isOperand ? (violation?.description ?? message) : message,
    metadata,
  };
}

function factsOf(error: RpcError | ConnectError) {
  if (error instanceof RpcError) {
    return error;
  }
  const facts = readError(error);
  return { ...facts, reason: facts.reason || codeName(error.code) };
}

/** A failure as the JSON of a `utilitytools.v1.ItemError`, which batches have for an item. */
export function failureJson({ code, reason, message, metadata }: CallFailure): string {
  return JSON.stringify({ code: codeName(code), reason, message, metadata });
}

/** What an input is refused with before anybody is asked. */
export function invalidInput(reason: Uppercase<string>, message: string): CallFailure {
  return { code: Code.InvalidArgument, reason, message, metadata: {} };
}
