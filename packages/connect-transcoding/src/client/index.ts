import {
  create,
  createRegistry,
  type DescMessage,
  type DescMethod,
  isMessage,
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
import { grpcTimeout, startDeadline } from "./deadline.js";
import { encodeRequest, type RestRequest } from "./rest-request.js";
import { isBytes, readMessage, readMessages, responseError } from "./rest-response.js";

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

type AnyRequest = UnaryRequest | StreamRequest;
type AnyResponse = UnaryResponse | StreamResponse;
type Input = Pick<AnyRequest, "stream" | "method" | "message">;

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
    const given = rules.findLast(({ selector }) => selector === methodName(method));
    const rule = given === undefined ? ruleInFile(method) : create(HttpRuleSchema, given);
    const found =
      known.get(method) ??
      bindingsOf(method, rule, httpOptionsOf(method), (error) => {
        throw error;
      });
    known.set(method, found);
    return found;
  }

  /** Sends a request. Resolves to its successful response; rejects with a ConnectError for another one. */
  async function send(request: RestRequest, header: Headers, signal: AbortSignal): Promise<Response> {
    const { binding, httpMethod, target, contentType, body = null } = request;
    const headers = new Headers(header);
    if (contentType !== undefined) {
      headers.set("content-type", contentType);
    }
    if (!headers.has("accept")) {
      headers.set("accept", isBytes(binding) ? "*/*" : "application/json");
    }
    const response = await fetch(baseUrl + target, { method: httpMethod, headers, signal, body });
    if (!response.ok) {
      throw await responseError(response, registry);
    }
    return response;
  }

  /** Calls a method through the interceptors. */
  async function call(
    input: Pick<UnaryRequest, keyof Input> | Pick<StreamRequest, keyof Input>,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined = defaultTimeoutMs,
    header: HeadersInit | undefined,
    contextValues = createContextValues(),
  ): Promise<AnyResponse> {
    const { method } = input;
    const deadline = startDeadline(signal, timeoutMs);

    async function respond(given: AnyRequest): Promise<AnyResponse> {
      const messages = given.stream ? await collect(given.message) : [given.message];
      const encoded = encodeRequest(method, bindings(method), messages, registry);
      const response = await send(encoded, given.header, deadline.signal);
      const head = { service: method.parent, header: response.headers, trailer: new Headers() };
      return input.stream
        ? { ...head, ...input, message: readMessages(response, encoded.binding, registry) }
        : { ...head, ...input, message: await readMessage(response, encoded.binding, registry) };
    }

    try {
      if (method.methodKind === "bidi_streaming") {
        throw new ConnectError("streams in both directions need gRPC or Connect", Code.Unimplemented);
      }
      const [first] = bindings(method);
      const next = interceptors.reduceRight((inner, interceptor) => interceptor(inner), respond);
      const response = await next({
        ...input,
        service: method.parent,
        requestMethod: first?.httpMethod ?? "POST",
        url: baseUrl + (first?.template.source ?? ""),
        header: requestHeader(header, timeoutMs),
        signal: deadline.signal,
        contextValues,
      });
      return response.stream ? { ...response, message: deadline.guard(response.message) } : response;
    } catch (thrown) {
      throw deadline.errorOf(thrown);
    }
  }

  return {
    async unary(method, signal, timeoutMs, header, input, contextValues) {
      const message = normalize(method.input, input);
      const response = await call(
        { stream: false, method, message },
        signal,
        timeoutMs,
        header,
        contextValues,
      );
      return response as UnaryResponse<typeof method.input, typeof method.output>;
    },
    async stream(method, signal, timeoutMs, header, input, contextValues) {
      const message = normalizeAll(method.input, input);
      const response = await call(
        { stream: true, method, message },
        signal,
        timeoutMs,
        header,
        contextValues,
      );
      return response as StreamResponse<typeof method.input, typeof method.output>;
    },
  };
}

/** The headers of a call. Interceptors can remove the timeout. */
function requestHeader(given: HeadersInit | undefined, timeoutMs: number | undefined): Headers {
  const header = new Headers(given);
  if (timeoutMs !== undefined && !header.has("grpc-timeout")) {
    header.set("grpc-timeout", grpcTimeout(timeoutMs));
  }
  return header;
}

async function collect(messages: AsyncIterable<Message>): Promise<Message[]> {
  const collected: Message[] = [];
  for await (const each of messages) {
    collected.push(each);
  }
  return collected;
}

function normalize<I extends DescMessage>(desc: I, input: MessageInitShape<I>): MessageShape<I> {
  return isMessage(input, desc) ? (input as MessageShape<I>) : create(desc, input);
}

async function* normalizeAll<I extends DescMessage>(desc: I, inputs: AsyncIterable<MessageInitShape<I>>) {
  for await (const each of inputs) {
    yield normalize(desc, each);
  }
}
