import { Code, ConnectError } from "@connectrpc/connect";
import { createUtilityToolsClient, DEFAULT_TIMEOUT, methodOf } from "@utility-tools/client";
import { systemErrorText } from "connect-transcoding-operations/failures/system-error";
import type { MethodCaller, RemoteOptions } from "./calls.js";

/** Creates a caller of the methods of a running service. */
export function createRemoteCaller({
  url,
  apiKey,
  timeoutMs = DEFAULT_TIMEOUT,
}: RemoteOptions): MethodCaller {
  const client = createUtilityToolsClient(url, { apiKey, timeout: timeoutMs });
  return async (method, request) => {
    try {
      return await methodOf(client, method)(request);
    } catch (thrown) {
      const cause = connectionErrorOf(thrown);
      throw cause === undefined
        ? thrown
        : new ConnectError(`${url.href} cannot be reached (${systemErrorText(cause)})`, Code.Unavailable);
    }
  };
}

/** The error of the connection that a call has failed with; undefined if a server has responded. */
function connectionErrorOf(thrown: unknown): Error | undefined {
  let error = thrown;
  while (error instanceof ConnectError) {
    error = error.cause;
  }
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error : undefined;
}
