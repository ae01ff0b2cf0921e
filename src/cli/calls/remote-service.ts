import { createUtilityToolsClient, DEFAULT_TIMEOUT, methodOf } from "@utility-tools/client";
import type { MethodCaller, RemoteOptions } from "./calls.js";

/** Creates a caller of the methods of a running service. */
export function createRemoteCaller({
  url,
  apiKey,
  timeoutMs = DEFAULT_TIMEOUT,
}: RemoteOptions): MethodCaller {
  const client = createUtilityToolsClient(url, { apiKey, timeout: timeoutMs });
  return (method, request) => methodOf(client, method)(request);
}
