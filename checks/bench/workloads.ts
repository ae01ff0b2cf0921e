import {
  create,
  createRegistry,
  type DescMethod,
  type MessageInitShape,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { methodPath } from "connect-transcoding";
import type { Concurrency } from "connect-transcoding-testing/load/closed-loop.js";
import { GRPC_HEADERS, grpcFrame, type Workload } from "connect-transcoding-testing/load/workload.js";
import { encodeRequest } from "../../packages/connect-transcoding/src/client/rest-request.js";
import { httpOptionsOf } from "../../packages/connect-transcoding/src/proto-options.js";
import { bindingsOf, ruleInFile } from "../../packages/connect-transcoding/src/routes/rules/http-rule.js";

/** The host of all measured requests. Responses contain URLs with it. */
export const HOST = "utility-tools.test";

/** A protocol over a version of HTTP. Connect sends JSON, gRPC and gRPC-Web binary messages. */
export type BenchProtocol = (typeof PROTOCOLS)[number];
export const PROTOCOLS = ["rest", "restH2", "grpc", "connect", "connectH2", "web", "webH2"] as const;

const HTTP1: Concurrency = { connections: 50, streams: 1 };
const HTTP2: Concurrency = { connections: 4, streams: 16 };

/** The requests of a method for some messages in a protocol, and how many are sent at a time. */
export function requestsOf<M extends DescMethod>(
  method: M,
  messages: readonly MessageInitShape<M["input"]>[],
  protocol: BenchProtocol,
): { readonly candidates: Workload; readonly concurrency: Concurrency } {
  const complete = messages.map((message) => create(method.input, message));
  const path = methodPath(method);
  const isHttp2 = protocol === "grpc" || protocol.endsWith("H2");
  const http = isHttp2 ? 2 : 1;
  const concurrency = isHttp2 ? HTTP2 : HTTP1;
  const post = { http, grpc: false, method: "POST", authority: HOST } as const;
  if (protocol.startsWith("rest")) {
    const bindings = bindingsOf(method, ruleInFile(method), httpOptionsOf(method), (error) => {
      throw error;
    });
    const registry = createRegistry();
    const encoded = complete.map((message) => encodeRequest(method, bindings, [message], registry));
    const type = encoded[0]?.contentType;
    const requests = encoded.map(({ target, body = "" }) => {
      if (typeof body !== "string") {
        throw new Error("a load of google.api.HttpBody is not supported");
      }
      return { path: target, body: Buffer.from(body) };
    });
    const headers = type === undefined ? [] : ([["content-type", type]] as const);
    const candidates = { ...post, method: type === undefined ? "GET" : "POST", headers, requests } as const;
    return { candidates, concurrency };
  }
  const isJson = protocol.startsWith("connect");
  const type = isJson ? "application/json" : "application/grpc-web+proto";
  const requests = complete.map((message) => ({
    path,
    body: isJson
      ? Buffer.from(toJsonString(method.input, message))
      : grpcFrame(toBinary(method.input, message)),
  }));
  const candidates =
    protocol === "grpc"
      ? grpcCalls(requests)
      : { ...post, headers: [["content-type", type]] as const, requests };
  return { candidates, concurrency };
}

/** gRPC calls, each with its prefix. */
export function grpcCalls(requests: Workload["requests"]): Workload {
  return { http: 2, grpc: true, method: "POST", authority: HOST, headers: GRPC_HEADERS, requests };
}
