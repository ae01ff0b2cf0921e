// `grpc.testing.TestService` of gRPC's interop tests, on the engine.
// https://github.com/grpc/grpc/blob/master/doc/interop-test-descriptions.md
import { setTimeout as wait } from "node:timers/promises";
import { ConnectError } from "@connectrpc/connect";

const ECHOED_HEADER = "x-grpc-test-echo-initial";
const ECHOED_TRAILER = "x-grpc-test-echo-trailing-bin";

/** The routes of the service. Its methods `UnimplementedCall` and `CacheableUnaryCall` are not implemented. */
export const testRoutes = (service) => (router) =>
  router.service(service, {
    emptyCall: () => ({}),

    unaryCall(request, context) {
      echoMetadata(context);
      failAsRequested(request);
      return { payload: payloadOf(request.responseSize) };
    },

    async streamingInputCall(requests) {
      let aggregatedPayloadSize = 0;
      for await (const { payload } of requests) {
        aggregatedPayloadSize += payload?.body.length ?? 0;
      }
      return { aggregatedPayloadSize };
    },

    streamingOutputCall: (request, context) => responsesTo(request, context),

    async *fullDuplexCall(requests, context) {
      echoMetadata(context);
      for await (const request of requests) {
        failAsRequested(request);
        yield* responsesTo(request, context);
      }
    },

    async *halfDuplexCall(requests, context) {
      const received = [];
      for await (const request of requests) {
        received.push(request);
      }
      for (const request of received) {
        yield* responsesTo(request, context);
      }
    },
  });

const payloadOf = (size) => ({ body: new Uint8Array(size) });

async function* responsesTo({ responseParameters }, { signal }) {
  for (const { size, intervalUs } of responseParameters) {
    if (intervalUs > 0) {
      await wait(intervalUs / 1_000, undefined, { signal });
    }
    yield { payload: payloadOf(size) };
  }
}

function echoMetadata({ requestHeader, responseHeader, responseTrailer }) {
  for (const [name, target] of [
    [ECHOED_HEADER, responseHeader],
    [ECHOED_TRAILER, responseTrailer],
  ]) {
    const value = requestHeader.get(name);
    if (value !== null) {
      target.set(name, value);
    }
  }
}

function failAsRequested({ responseStatus }) {
  if (responseStatus !== undefined && responseStatus.code !== 0) {
    throw new ConnectError(responseStatus.message, responseStatus.code);
  }
}
