import { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "connect-transcoding/gen/google/rpc/error_details_pb.js";
import type { Access, AccessRequest } from "../../../src/service/access/access.js";

/** A request with the response headers that were added. */
export interface TestRequest extends AccessRequest {
  readonly added: Record<string, string>;
}

/** Creates a request for a method, from a fixed address by default. */
export function accessRequest(
  given: Partial<Pick<AccessRequest, "kind" | "clientAddress" | "principal">> & {
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): TestRequest {
  const { headers = {}, kind = "service", clientAddress = "192.0.2.1", principal } = given;
  const added: Record<string, string> = {};
  return {
    kind,
    clientAddress,
    principal,
    added,
    header: (name) => headers[name],
    addHeader: (name, value) => {
      added[name] = value;
    },
  };
}

/** Returns the error that a hook throws; undefined if it accepts the request. Throws if the hook is asynchronous. */
export function rejectionOf(
  onRequest: Access["onRequest"],
  request: AccessRequest,
): ConnectError | undefined {
  try {
    if (onRequest(request) !== undefined) {
      throw new Error("the hook is asynchronous");
    }
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ConnectError) {
      return thrown;
    }
    throw thrown;
  }
}

/** Returns the reason in the `google.rpc.ErrorInfo` of an error. */
export function reasonOf(error: unknown): string | undefined {
  return ConnectError.from(error).findDetails(ErrorInfoSchema)[0]?.reason;
}
