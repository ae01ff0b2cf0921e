import type { Interceptor } from "@connectrpc/connect";
import { type Quota, quotaKey } from "connect-transcoding-operations/access/quota";

/**
 * Counts each message of a request stream for the rate limit. The call has been counted already, which is for the first message.
 * Over the limit, the call ends with the error of the limit.
 *
 * For services with request streams only: a unary method with an interceptor is always asynchronous.
 */
export const chargeMessages: Interceptor = (next) => (request) =>
  next(
    request.stream
      ? { ...request, message: charged(request.message, request.contextValues.get(quotaKey)) }
      : request,
  );

async function* charged<T>(messages: AsyncIterable<T>, quota: Quota): AsyncIterable<T> {
  let isFirst = true;
  for await (const message of messages) {
    if (!isFirst) {
      await quota.charge(1);
    }
    isFirst = false;
    yield message;
  }
}
