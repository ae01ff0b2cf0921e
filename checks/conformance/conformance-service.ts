import { setTimeout } from "node:timers/promises";
import { create, type Registry } from "@bufbuild/protobuf";
import { type Any, anyPack, anyUnpack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import type { Protos } from "./load-protos.js";
import type { RequestedError, RequestInfo, StreamPlan, UnaryPlan } from "./messages.js";

/**
 * The service that the suite calls. Requests specify the response, and responses report what the server received.
 * https://github.com/connectrpc/conformance/blob/main/docs/testing_servers.md#implementing-the-conformanceservice
 */
export function conformanceRoutes({
  service,
  requestInfo,
  registry,
}: Protos): (router: ConnectRouter) => void {
  const { method } = service;

  function requestInfoOf(context: HandlerContext, requests: Any[]): RequestInfo {
    const timeoutMs = context.timeoutMs();
    return create(requestInfo, {
      requestHeaders: [...context.requestHeader].map(([name, value]) => ({ name, value: [value] })),
      ...(timeoutMs === undefined ? {} : { timeoutMs: BigInt(Math.trunc(timeoutMs)) }),
      requests,
    });
  }

  function requested(error: RequestedError, info: RequestInfo | undefined): ConnectError {
    const details = error.details.map((detail) => unpack(detail, registry));
    const all = info === undefined ? details : [...details, { desc: requestInfo, value: info }];
    return new ConnectError(error.message ?? "", error.code, undefined, all);
  }

  async function respond(plan: UnaryPlan | undefined, requests: Any[], context: HandlerContext) {
    const info = requestInfoOf(context, requests);
    if (plan === undefined) {
      return { payload: { requestInfo: info } };
    }
    const { response } = plan;
    sendMetadata(plan, context);
    await pause(plan.responseDelayMs, context);
    switch (response.case) {
      case "error":
        throw requested(response.value, info);
      case "responseData":
        return { payload: { data: response.value, requestInfo: info } };
      default:
        return { payload: { requestInfo: info } };
    }
  }

  /** Yields the responses after the first `sent` ones, then throws the error of the plan. */
  async function* remainingResponses(
    plan: StreamPlan | undefined,
    requests: Any[],
    sent: number,
    context: HandlerContext,
  ) {
    if (plan === undefined) {
      return;
    }
    let info = sent === 0 ? requestInfoOf(context, requests) : undefined;
    for (const data of plan.responseData.slice(sent)) {
      await pause(plan.responseDelayMs, context);
      yield { payload: info === undefined ? { data } : { data, requestInfo: info } };
      info = undefined;
    }
    if (plan.error !== undefined) {
      throw requested(plan.error, info);
    }
  }

  return (router) =>
    router.service(service, {
      unary: (request, context) =>
        respond(request.responseDefinition, [anyPack(method.unary.input, request)], context),

      idempotentUnary: (request, context) =>
        respond(request.responseDefinition, [anyPack(method.idempotentUnary.input, request)], context),

      unimplemented: () => {
        throw new ConnectError("", Code.Unimplemented);
      },

      clientStream: async (requests, context) => {
        let plan: UnaryPlan | undefined;
        const received: Any[] = [];
        for await (const request of requests) {
          if (received.length === 0) {
            plan = request.responseDefinition;
          }
          received.push(anyPack(method.clientStream.input, request));
        }
        return respond(plan, received, context);
      },

      serverStream: async function* (request, context) {
        const plan = request.responseDefinition;
        sendMetadata(plan, context);
        yield* remainingResponses(plan, [anyPack(method.serverStream.input, request)], 0, context);
      },

      bidiStream: async function* (requests, context) {
        let plan: StreamPlan | undefined;
        let fullDuplex = false;
        let isFirst = true;
        let sent = 0;
        let received: Any[] = [];
        for await (const request of requests) {
          if (isFirst) {
            isFirst = false;
            plan = request.responseDefinition;
            fullDuplex = request.fullDuplex;
            sendMetadata(plan, context);
          }
          received.push(anyPack(method.bidiStream.input, request));
          if (fullDuplex) {
            const data = plan?.responseData[sent];
            if (data === undefined) {
              break;
            }
            await pause(plan?.responseDelayMs ?? 0, context);
            const info = sent === 0 ? requestInfoOf(context, received) : { requests: received };
            yield { payload: { data, requestInfo: info } };
            sent++;
            received = [];
          }
        }
        yield* remainingResponses(plan, received, sent, context);
      },
    });
}

function sendMetadata(plan: UnaryPlan | StreamPlan | undefined, context: HandlerContext): void {
  for (const { name, value } of plan?.responseHeaders ?? []) {
    for (const each of value) {
      context.responseHeader.append(name, each);
    }
  }
  for (const { name, value } of plan?.responseTrailers ?? []) {
    for (const each of value) {
      context.responseTrailer.append(name, each);
    }
  }
}

async function pause(milliseconds: number, { signal }: HandlerContext): Promise<void> {
  if (milliseconds > 0) {
    await setTimeout(milliseconds, undefined, { signal });
  }
}

function unpack(detail: Any, registry: Registry) {
  const value = anyUnpack(detail, registry);
  const desc = registry.getMessage(value?.$typeName ?? "");
  if (value === undefined || desc === undefined) {
    throw new Error(`the suite has no ${detail.typeUrl}`);
  }
  return { desc, value };
}
