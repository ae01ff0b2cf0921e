import {
  create,
  createRegistry,
  type DescMessage,
  type DescMethod,
  isMessage,
  type JsonValue,
  type Message,
  type MessageInitShape,
  type MessageShape,
  type Registry,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextValues,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { HttpRuleSchema } from "../../gen/google/api/http_pb.js";
import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.js";
import { httpOptionsOf } from "../proto-options.js";
import { bindingsOf, type HttpBinding, methodName, ruleInFile } from "../routes/rules/http-rule.js";
import type { HttpRules } from "../routes/rules/http-rules.js";
import { encodeRequest, type RestRequest } from "./rest-request.js";
import { bytesMessage, decodeError, decodeMessage, isBytes } from "./rest-response.js";
import { readStream } from "./rest-stream.js";

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
  /** Resolves the types in `google.protobuf.Any` and in details of errors. Default: `google.rpc` details. */
  readonly registry?: Registry | undefined;
}

/**
 * Creates a transport that calls APIs with `google.api.http` rules with JSON over HTTP, for `createClient` of connect-es. Errors are those of
 * the server: AIP-193, grpc-gateway's form and problem details become a ConnectError with its details. The messages of a request stream are sent
 * together, once the last one is there. Streams in both directions throw `UNIMPLEMENTED`.
 */
export function createRestTransport({
  baseUrl,
  fetch = globalThis.fetch,
  interceptors = [],
  defaultTimeoutMs,
  rules = [],
  registry: types = createRegistry(),
}: RestTransportOptions): Transport {
  const registry = createRegistry(file_google_rpc_error_details, types);
  const known = new WeakMap<DescMethod, readonly HttpBinding[]>();

  function bindings(method: DescMethod): readonly HttpBinding[] {
    const earlier = known.get(method);
    if (earlier !== undefined) {
      return earlier;
    }
    const given = rules.findLast(({ selector }) => selector === methodName(method));
    const rule = given === undefined ? ruleInFile(method) : create(HttpRuleSchema, given);
    const found = bindingsOf(method, rule, httpOptionsOf(method), (error) => {
      throw error;
    });
    known.set(method, found);
    return found;
  }

  /** Sends a request. Resolves to its successful response; rejects with a ConnectError for another one. */
  async function send(
    { httpMethod, target, contentType, body, binding }: RestRequest,
    header: Headers,
    signal: AbortSignal,
  ) {
    const headers = new Headers(header);
    if (contentType !== undefined) {
      headers.set("content-type", contentType);
    }
    if (!headers.has("accept")) {
      headers.set("accept", isBytes(binding) ? "*/*" : "application/json");
    }
    const response = await fetch(baseUrl + target, {
      method: httpMethod,
      headers,
      signal,
      ...(body !== undefined && { body }),
    });
    if (!response.ok) {
      throw decodeError(response.status, jsonOf(await response.text()), response.headers, registry);
    }
    return response;
  }

  function request(
    method: DescMethod,
    header: HeadersInit | undefined,
    signal: AbortSignal,
    contextValues = createContextValues(),
  ) {
    const [binding] = bindings(method);
    return {
      service: method.parent,
      requestMethod: binding?.httpMethod ?? "POST",
      url: baseUrl + (binding?.template.source ?? ""),
      header: new Headers(header),
      signal,
      contextValues,
    };
  }

  return {
    async unary(method, signal, timeoutMs = defaultTimeoutMs, header, input, contextValues) {
      const call = startCall(signal, timeoutMs);
      const next = intercepted(interceptors, async (given) => {
        const { message, header: headers } = given as UnaryRequest;
        const encoded = encodeRequest(method, bindings(method), [message], registry);
        const response = await send(encoded, headers, call.signal);
        return {
          stream: false,
          service: method.parent,
          method,
          header: response.headers,
          trailer: new Headers(),
          message: await readMessage(response, method.output, encoded.binding, registry),
        };
      });
      try {
        const message = normalize(method.input, input);
        const given: UnaryRequest = {
          stream: false,
          method,
          message,
          ...request(method, header, call.signal, contextValues),
        };
        return (await next(given)) as UnaryResponse<typeof method.input, typeof method.output>;
      } catch (thrown) {
        throw call.errorOf(thrown);
      }
    },

    async stream(method, signal, timeoutMs = defaultTimeoutMs, header, input, contextValues) {
      const call = startCall(signal, timeoutMs);
      const next = intercepted(interceptors, async (given) => {
        if (method.methodKind === "bidi_streaming") {
          throw new ConnectError("streams in both directions need gRPC or Connect", Code.Unimplemented);
        }
        const { message: messages, header: headers } = given as StreamRequest;
        const collected: Message[] = [];
        for await (const each of messages) {
          collected.push(each);
        }
        const encoded = encodeRequest(method, bindings(method), collected, registry);
        const response = await send(encoded, headers, call.signal);
        return {
          stream: true,
          service: method.parent,
          method,
          header: response.headers,
          trailer: new Headers(),
          message: readMessages(response, method, encoded.binding, registry),
        };
      });
      const normalized = async function* () {
        for await (const each of input) {
          yield normalize(method.input, each);
        }
      };
      try {
        const given: StreamRequest = {
          stream: true,
          method,
          message: normalized(),
          ...request(method, header, call.signal, contextValues),
        };
        const response = (await next(given)) as StreamResponse<typeof method.input, typeof method.output>;
        return { ...response, message: call.guard(response.message) };
      } catch (thrown) {
        throw call.errorOf(thrown);
      }
    },
  };
}

type Next = (request: UnaryRequest | StreamRequest) => Promise<UnaryResponse | StreamResponse>;

function intercepted(interceptors: readonly Interceptor[], next: Next): Next {
  return interceptors.reduceRight((inner: Next, interceptor) => interceptor(inner), next);
}

function normalize<I extends DescMessage>(desc: I, input: MessageInitShape<I>): MessageShape<I> {
  return isMessage(input, desc) ? (input as MessageShape<I>) : create(desc, input);
}

async function readMessage<O extends DescMessage>(
  response: Response,
  output: O,
  binding: HttpBinding,
  registry: Registry,
): Promise<MessageShape<O>> {
  if (isBytes(binding)) {
    const data = new Uint8Array(await response.arrayBuffer());
    return bytesMessage(output, binding, response.headers.get("content-type") ?? "", data);
  }
  const text = await response.text();
  if (text === "") {
    return create(output);
  }
  const json = jsonOf(text);
  if (json === undefined) {
    throw new ConnectError("the response is not JSON", Code.Internal, response.headers);
  }
  return decodeMessage(output, binding, json, registry);
}

async function* readMessages<O extends DescMessage>(
  response: Response,
  method: DescMethod & { readonly output: O },
  binding: HttpBinding,
  registry: Registry,
): AsyncIterable<MessageShape<O>> {
  const { output } = method;
  if (method.methodKind === "client_streaming") {
    yield await readMessage(response, output, binding, registry);
    return;
  }
  const contentType = response.headers.get("content-type") ?? "";
  const body = partsOf(response);
  if (isBytes(binding)) {
    let type = contentType;
    for await (const part of body) {
      yield bytesMessage(output, binding, type, part);
      type = "";
    }
    return;
  }
  const fields = new Set(
    binding.responseBody === undefined ? output.fields.map(({ jsonName }) => jsonName) : ["error", "result"],
  );
  for await (const { json, isError } of readStream(body, contentType, fields)) {
    if (isError) {
      throw decodeError(response.status, json, response.headers, registry);
    }
    yield decodeMessage(output, binding, json, registry);
  }
}

/** The parts of a body. Not all browsers can iterate over a ReadableStream. */
async function* partsOf({ body }: Response): AsyncIterable<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
      yield read.value;
    }
  } finally {
    // Breaks the connection if the client has stopped reading.
    await reader?.cancel();
  }
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The longest timer of JavaScript, in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1;

/** Joins the signal of the caller and the timeout of a call. */
function startCall(given: AbortSignal | undefined, timeoutMs: number | undefined) {
  const timeout =
    timeoutMs === undefined ? undefined : AbortSignal.timeout(Math.min(Math.max(timeoutMs, 0), MAX_TIMER));
  const signals = [given, timeout].filter((each) => each !== undefined);

  function errorOf(thrown: unknown): ConnectError {
    if (timeout?.aborted === true) {
      return new ConnectError("the deadline of the call has expired", Code.DeadlineExceeded);
    }
    if (given?.aborted === true) {
      return ConnectError.from(given.reason, Code.Canceled);
    }
    // fetch rejects with a TypeError if it cannot connect, or if the connection breaks.
    return ConnectError.from(thrown, thrown instanceof TypeError ? Code.Unavailable : Code.Unknown);
  }

  return {
    signal: AbortSignal.any(signals),
    errorOf,
    async *guard<T>(messages: AsyncIterable<T>): AsyncIterable<T> {
      try {
        yield* messages;
      } catch (thrown) {
        throw errorOf(thrown);
      }
    },
  };
}
