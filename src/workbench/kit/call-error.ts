import { type CallError as ClientError, readError, type Violation } from "@utility-tools/client";
import { codeName } from "connect-transcoding/rules";

/** What is wrong with one field of a request, as the service says it. */
export type FieldViolation = Violation;

/** Why a call has no answer, as the service says it. */
export interface CallError extends Omit<ClientError, "code"> {
  /** The canonical code, for example `NOT_FOUND`. */
  readonly code: string;
}

/** Reads what a call has thrown. */
export function readCallError(thrown: unknown): CallError {
  const { code, ...rest } = readError(thrown);
  return { ...rest, code: codeName(code) };
}
