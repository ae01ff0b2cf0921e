import type { IncomingRequest, RpcError } from "connect-transcoding";

/** A request as admissions see it, with the headers that were added to its answer. */
export interface TestRequest extends IncomingRequest {
  readonly added: Record<string, string>;
}

/** A request for a method from a fixed address, unless said otherwise. */
export function incomingRequest(
  given: Partial<Pick<IncomingRequest, "area" | "callerAddress" | "principal">> & {
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): TestRequest {
  const { headers = {}, area = "service", callerAddress = "192.0.2.1", principal } = given;
  const added: Record<string, string> = {};
  return {
    area,
    callerAddress,
    principal,
    added,
    header: (name) => headers[name],
    addHeader: (name, value) => {
      added[name] = value;
    },
  };
}

/** The answer of a rule that is known to give it at once. */
export function atOnce(answer: RpcError | undefined | Promise<RpcError | undefined>): RpcError | undefined {
  if (answer instanceof Promise) {
    throw new Error("the rule did not answer at once");
  }
  return answer;
}
