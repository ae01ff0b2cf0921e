import { setTimeout } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { anyPack, anyUnpack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";

/**
 * The service that the suite calls. Requests specify the response, and responses report what the server received.
 * https://github.com/connectrpc/conformance/blob/main/docs/testing_servers.md#implementing-the-conformanceservice
 *
 * @param service the descriptor of the suite's service, @param registry the suite's types
 */
export function conformanceRoutes(service, registry) {
  const requestInfo = registry.getMessage("connectrpc.conformance.v1.ConformancePayload.RequestInfo");

  function requestInfoOf(context, requests) {
    const timeoutMs = context.timeoutMs();
    return create(requestInfo, {
      requestHeaders: [...context.requestHeader].map(([name, value]) => ({ name, value: [value] })),
      ...(timeoutMs === undefined ? {} : { timeoutMs: BigInt(Math.trunc(timeoutMs)) }),
      requests,
    });
  }

  function requested(error, info) {
    const details = error.details.map((detail) => {
      const value = anyUnpack(detail, registry);
      return { desc: registry.getMessage(value.$typeName), value };
    });
    const all = info === undefined ? details : [...details, { desc: requestInfo, value: info }];
    return new ConnectError(error.message ?? "", error.code, undefined, all);
  }

  async function respond(plan, requests, context) {
    const info = requestInfoOf(context, requests);
    begin(plan, context);
    await pause(plan, context);
    const { case: kind, value } = plan?.response ?? {};
    if (kind === "error") {
      throw requested(value, info);
    }
    return { payload: { ...(kind === "responseData" && { data: value }), requestInfo: info } };
  }

  /** Yields the responses after the first `sent` ones, then throws the error of the plan. */
  async function* remainingResponses(plan, requests, sent, context) {
    let info = sent === 0 ? requestInfoOf(context, requests) : undefined;
    for (const data of plan?.responseData.slice(sent) ?? []) {
      await pause(plan, context);
      yield { payload: info === undefined ? { data } : { data, requestInfo: info } };
      info = undefined;
    }
    if (plan?.error !== undefined) {
      throw requested(plan.error, info);
    }
  }

  const { method } = service;
  const unary =
    ({ input }) =>
    (request, context) =>
      respond(request.responseDefinition, [anyPack(input, request)], context);

  return (router) =>
    router.service(service, {
      unary: unary(method.unary),
      idempotentUnary: unary(method.idempotentUnary),

      unimplemented: () => {
        throw new ConnectError("", Code.Unimplemented);
      },

      clientStream: async (requests, context) => {
        let plan;
        const received = [];
        for await (const request of requests) {
          plan = received.length === 0 ? request.responseDefinition : plan;
          received.push(anyPack(method.clientStream.input, request));
        }
        return respond(plan, received, context);
      },

      serverStream: async function* (request, context) {
        const plan = request.responseDefinition;
        begin(plan, context);
        yield* remainingResponses(plan, [anyPack(method.serverStream.input, request)], 0, context);
      },

      bidiStream: async function* (requests, context) {
        let first;
        let sent = 0;
        let received = [];
        for await (const request of requests) {
          if (first === undefined) {
            first = request;
            begin(first.responseDefinition, context);
          }
          received.push(anyPack(method.bidiStream.input, request));
          if (first.fullDuplex) {
            const data = first.responseDefinition?.responseData[sent];
            if (data === undefined) {
              break;
            }
            await pause(first.responseDefinition, context);
            const info = sent === 0 ? requestInfoOf(context, received) : { requests: received };
            yield { payload: { data, requestInfo: info } };
            sent++;
            received = [];
          }
        }
        yield* remainingResponses(first?.responseDefinition, received, sent, context);
      },
    });
}

/** Sets the headers and trailers of a plan. */
function begin(plan, { responseHeader, responseTrailer }) {
  for (const [metadata, headers] of [
    [plan?.responseHeaders, responseHeader],
    [plan?.responseTrailers, responseTrailer],
  ]) {
    for (const { name, value } of metadata ?? []) {
      for (const each of value) {
        headers.append(name, each);
      }
    }
  }
}

async function pause(plan, { signal }) {
  if (plan?.responseDelayMs > 0) {
    await setTimeout(plan.responseDelayMs, undefined, { signal });
  }
}
