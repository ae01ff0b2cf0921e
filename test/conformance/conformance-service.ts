import { setTimeout } from "node:timers/promises";
import { create, type Registry } from "@bufbuild/protobuf";
import { type Any, anyPack, anyUnpack } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import type { Call } from "connect-transcoding";
import { type ErrorDetail, implement, RpcError, type ServiceImplementation } from "connect-transcoding";
import type { Protos } from "./load-protos.js";
import type { RequestedError, RequestInfo, StreamPlan, UnaryPlan } from "./messages.js";

/**
 * The service that the suite calls. Requests specify the response, and responses report what the server received.
 * https://github.com/connectrpc/conformance/blob/main/docs/testing_servers.md#implementing-the-conformanceservice
 */
export function conformanceService({ service, requestInfo, registry }: Protos): ServiceImplementation {
  const { method } = service;

  function requestInfoOf(call: Call, requests: Any[]): RequestInfo {
    return create(requestInfo, {
      requestHeaders: [...call.headers()].map(([name, value]) => ({ name, value: [value] })),
      ...(call.timeoutMs === undefined ? {} : { timeoutMs: BigInt(Math.trunc(call.timeoutMs)) }),
      requests,
    });
  }

  function requested(error: RequestedError, info: RequestInfo | undefined): RpcError {
    const details = error.details.map((detail) => unpack(detail, registry));
    return new RpcError({
      code: error.code,
      reason: "WANTED_BY_CALLER",
      message: error.message ?? "",
      details: info === undefined ? details : [...details, { desc: requestInfo, value: info }],
    });
  }

  async function respond(plan: UnaryPlan | undefined, requests: Any[], call: Call) {
    const info = requestInfoOf(call, requests);
    if (plan === undefined) {
      return { payload: { requestInfo: info } };
    }
    const { response } = plan;
    sendMetadata(plan, call);
    await pause(plan.responseDelayMs, call);
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
    call: Call,
  ) {
    if (plan === undefined) {
      return;
    }
    let info = sent === 0 ? requestInfoOf(call, requests) : undefined;
    for (const data of plan.responseData.slice(sent)) {
      await pause(plan.responseDelayMs, call);
      yield { payload: info === undefined ? { data } : { data, requestInfo: info } };
      info = undefined;
    }
    if (plan.error !== undefined) {
      throw requested(plan.error, info);
    }
  }

  return implement(service, {
    unary: (request, call) =>
      respond(request.responseDefinition, [anyPack(method.unary.input, request)], call),

    idempotentUnary: (request, call) =>
      respond(request.responseDefinition, [anyPack(method.idempotentUnary.input, request)], call),

    unimplemented: () => {
      throw new RpcError({ code: Code.Unimplemented, reason: "UNIMPLEMENTED", message: "", details: [] });
    },

    clientStream: async (requests, call) => {
      let plan: UnaryPlan | undefined;
      const received: Any[] = [];
      for await (const request of requests) {
        if (received.length === 0) {
          plan = request.responseDefinition;
        }
        received.push(anyPack(method.clientStream.input, request));
      }
      return respond(plan, received, call);
    },

    serverStream: async function* (request, call) {
      const plan = request.responseDefinition;
      sendMetadata(plan, call);
      yield* remainingResponses(plan, [anyPack(method.serverStream.input, request)], 0, call);
    },

    bidiStream: async function* (requests, call) {
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
          sendMetadata(plan, call);
        }
        received.push(anyPack(method.bidiStream.input, request));
        if (fullDuplex) {
          const data = plan?.responseData[sent];
          if (data === undefined) {
            break;
          }
          await pause(plan?.responseDelayMs ?? 0, call);
          const info = sent === 0 ? requestInfoOf(call, received) : { requests: received };
          yield { payload: { data, requestInfo: info } };
          sent++;
          received = [];
        }
      }
      yield* remainingResponses(plan, received, sent, call);
    },
  });
}

function sendMetadata(plan: UnaryPlan | StreamPlan | undefined, call: Call): void {
  for (const { name, value } of plan?.responseHeaders ?? []) {
    for (const each of value) {
      call.addHeader(name, each);
    }
  }
  for (const { name, value } of plan?.responseTrailers ?? []) {
    for (const each of value) {
      call.addTrailer(name, each);
    }
  }
}

async function pause(milliseconds: number, { signal }: Call): Promise<void> {
  if (milliseconds > 0) {
    await setTimeout(milliseconds, undefined, { signal });
  }
}

function unpack(detail: Any, registry: Registry): ErrorDetail {
  const value = anyUnpack(detail, registry);
  const desc = registry.getMessage(value?.$typeName ?? "");
  if (value === undefined || desc === undefined) {
    throw new Error(`the suite has no ${detail.typeUrl}`);
  }
  return { desc, value };
}
