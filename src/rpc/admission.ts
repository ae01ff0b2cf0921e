import type { Admission, IncomingRequest } from "./incoming-request.js";
import type { RpcError } from "./rpc-error.js";

/** One rule out of several: the first error counts, and what comes after it is not asked. */
export function admitAll(admissions: readonly Admission[]): Admission {
  return (request) => admitFrom(0, admissions, request);
}

function admitFrom(
  start: number,
  admissions: readonly Admission[],
  request: IncomingRequest,
): RpcError | undefined | Promise<RpcError | undefined> {
  for (let index = start; index < admissions.length; index++) {
    const verdict = admissions[index]?.(request);
    if (verdict instanceof Promise) {
      return verdict.then((error) => error ?? admitFrom(index + 1, admissions, request));
    }
    if (verdict !== undefined) {
      return verdict;
    }
  }
  return undefined;
}
