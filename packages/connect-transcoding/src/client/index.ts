import {
  create,
  createRegistry,
  type DescMethod,
  type JsonValue,
  type Message,
  type Registry,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextValues,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { pipeTo, runStreamingCall, runUnaryCall, sinkAll } from "@connectrpc/connect/protocol";
import { knownOptions } from "@utility-tools/http-server/portable";
import { HttpRuleSchema } from "../../gen/google/api/http_pb.js";
import { createJsonReaders } from "../codec/json/reader.js";
import { DETAIL_TYPES } from "../errors/detail-types.js";
import { httpOptionsOf } from "../proto-options.js";
import { bindingsOf, type HttpBinding, methodName, ruleInFile } from "../routes/rules/http-rule.js";
import type { HttpRules } from "../routes/rules/http-rules.js";
import { decodeError, throwConnectError } from "./rest-error.js";
import { encodeRequest } from "./rest-request.js";
import { readMessages } from "./rest-response.js";
import { parsedJson, plainJson } from "./rest-stream.js";

/** Options of {@link createRestTransport}. */
export interface RestTransportOptions {
  /** The URL before the paths of the rules, without a final slash: `https://api.example.com`. */
  readonly baseUrl: string;
  /** Default: `fetch` of the runtime. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** The timeout of calls without one, in milliseconds. Default: none. */
  readonly defaultTimeoutMs?: number | undefined;
  /** Rules that override those in the proto files, as in the `http` section of a service configuration. */
  readonly rules?: HttpRules | undefined;
  /** Whether the server accepts entries of maps in a query, `labels[color]=red`, by its option of this name or as grpc-gateway does. Default: false. */
  readonly mapParameters?: boolean | undefined;
  /** Resolves the types in `google.protobuf.Any` and in details of errors. Default: those of `google.rpc` and the well-known ones. */
  readonly registry?: Registry | undefined;
}

/**
 * Creates a transport that calls APIs with `google.api.http` rules with JSON over HTTP, for `createClient` of connect-es. Errors are those of
 * the server: AIP-193, grpc-gateway's form and problem details become a ConnectError with its details. The messages of a request stream are sent
 * together, once the last one is there. Streams in both directions throw `UNIMPLEMENTED`. Throws an UnknownOptionError.
 */
export function createRestTransport(options: RestTransportOptions): Transport {
  const {
    baseUrl,
    fetch = globalThis.fetch,
    interceptors = [],
    defaultTimeoutMs,
    rules = [],
    mapParameters = false,
    registry: types = createRegistry(),
  } = knownOptions("createRestTransport", options, {
    baseUrl: true,
    fetch: true,
    interceptors: true,
    defaultTimeoutMs: true,
    rules: true,
    mapParameters: true,
    registry: true,
  });
  const registry = createRegistry(DETAIL_TYPES, types);
  const readers = createJsonReaders(registry);
  const known = new WeakMap<DescMethod, readonly HttpBinding[]>();

  function bindings(method: DescMethod): readonly HttpBinding[] {
    let found = known.get(method);
    if (found === undefined) {
      const given = rules.findLast(({ selector }) => selector === methodName(method));
      const rule = given === undefined ? ruleInFile(method) : create(HttpRuleSchema, given);
      found = bindingsOf(method, rule, httpOptionsOf(method));
      known.set(method, found);
    }
    return found;
  }

  /** What interceptors see, and how the call ends. */
  function callOf(
    method: DescMethod,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    given: HeadersInit | undefined,
    contextValues = createContextValues(),
  ) {
    const [first] = bindings(method);
    const header = new Headers(given);
    // Interceptors can remove the timeout.
    if (timeoutMs !== undefined && !header.has("grpc-timeout")) {
      header.set("grpc-timeout", grpcTimeout(timeoutMs));
    }
    const requestMethod = first?.httpMethod ?? "POST";
    const url = baseUrl + (first?.template.source ?? "");
    return {
      interceptors: [...interceptors],
      ...(timeoutMs !== undefined && { timeoutMs: Math.min(timeoutMs, MAX_TIMER) }),
      ...(signal !== undefined && { signal }),
      request: { service: method.parent, requestMethod, url, header, contextValues },
    };
  }

  /** Sends a request. Resolves to its successful response; rejects with a ConnectError for another one. */
  async function send(
    { method, header, signal }: { method: DescMethod; header: Headers; signal: AbortSignal },
    messages: readonly Message[],
  ) {
    const request = encodeRequest(method, bindings(method), messages, registry, mapParameters);
    const { binding, target, contentType, body = null } = request;
    const headers = {
      accept: "application/json, */*;q=0.5",
      ...Object.fromEntries(header),
      ...(contentType !== undefined && { "content-type": contentType }),
    };
    // A rule for every HTTP method is called with POST.
    const httpMethod = binding.httpMethod === "*" ? "POST" : binding.httpMethod;
    const init = { method: httpMethod, headers, signal, body };
    const response = await fetch(baseUrl + target, init).catch(throwConnectError);
    if (!response.ok) {
      throw decodeError(response, await errorBody(response), registry);
    }
    return {
      head: { service: method.parent, header: response.headers, trailer: new Headers() },
      received: readMessages(response, binding, registry, readers),
    };
  }

  return {
    async unary(method, signal, timeoutMs = defaultTimeoutMs, header, message, contextValues) {
      const { request, ...options } = callOf(method, signal, timeoutMs, header, contextValues);
      return await runUnaryCall({
        ...options,
        req: { ...request, stream: false, method, message },
        next: async (sent) => {
          const { head, received } = await send(sent, [sent.message]);
          return { ...head, stream: false, method, message: (await received.next()).value };
        },
      });
    },
    async stream(method, signal, timeoutMs = defaultTimeoutMs, header, messages, contextValues) {
      if (method.methodKind === "bidi_streaming") {
        throw new ConnectError("streams in both directions need gRPC or Connect", Code.Unimplemented);
      }
      const { request, ...options } = callOf(method, signal, timeoutMs, header, contextValues);
      return await runStreamingCall({
        ...options,
        req: { ...request, stream: true, method, message: messages },
        next: async (sent) => {
          const { head, received } = await send(sent, await pipeTo(sent.message, sinkAll()));
          return { ...head, stream: true, method, message: received as never };
        },
      });
    },
  };
}

/** The JSON of an error; undefined for another body. */
async function errorBody(response: Response): Promise<JsonValue | undefined> {
  try {
    return plainJson(parsedJson(await response.text()));
  } catch {
    return undefined;
  }
}

/** The longest timer of JavaScript, in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1;

/** A timeout as in `grpc-timeout`, of at most eight digits. grpc-gateway and Envoy read it over REST as well. */
function grpcTimeout(timeoutMs: number): string {
  const timeout = Math.ceil(Math.min(Math.max(timeoutMs, 1), MAX_TIMER));
  return timeout > 99_999_999 ? `${Math.ceil(timeout / 1000)}S` : `${timeout}m`;
}
