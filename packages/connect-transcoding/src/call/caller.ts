import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { HeaderSection } from "@utility-tools/http-server";
import { cancelled } from "../errors/errors.js";
import { RestFormat } from "../protocols/rest/response.js";
import { createRouteTable, type RouteTable, type RouteTableOptions } from "../routes/route-table.js";
import { type HttpBinding, methodName } from "../routes/rules/http-rule.js";
import type { ServedMethod } from "../routes/served-methods.js";
import { type CallOptions, startCall } from "./call.js";
import { Exchange, type ExchangeOptions } from "./http/exchange.js";
import { LocalRequest, type LocalResponse } from "./http/local-request.js";

/** What a call within the process sends beside its message. */
export interface CallerOptions {
  /** Headers of the request, in addition to those of the request that is being served. */
  readonly headers?: Iterable<readonly [name: string, value: string]> | undefined;
  /** The IP address of the client. Default: that of the request that is being served, or empty. */
  readonly clientAddress?: string | undefined;
  /** Scheme and authority of URLs in responses. Default: those of the request that is being served, `publicBaseUrl`, or `http://localhost`. */
  readonly baseUrl?: string | undefined;
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** Ends a stream of responses after this number of messages. Default: 100. */
  readonly maxMessages?: number | undefined;
}

/** The response of a method. */
export interface CallerResponse {
  /** `application/json; charset=utf-8`, `application/x-ndjson` for a stream of messages, or the type of a `google.api.HttpBody`. */
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Whether the method would have sent more messages, or more than 1 MiB of them. */
  readonly isCut: boolean;
}

/** Calls methods within the process. */
export interface Caller {
  /** The methods that can be called: those with one request message that is no `google.api.HttpBody`. */
  readonly methods: readonly DescMethod[];
  /** The `google.api.http` bindings of all methods. */
  readonly bindings: readonly HttpBinding[];
  /** How requests and responses are read and written. */
  readonly format: Pick<RouteTableOptions, "json" | "unknownParameters">;
  /**
   * Calls a method as a request over REST does whose body is the whole message: through its interceptors, with its limits and the deadline
   * in `grpc-timeout`. `onRequest` and observers are not called. Rejects with a ConnectError whose field violations have the
   * names in `message`.
   */
  call(method: DescMethod, message: JsonObject, options?: CallerOptions): Promise<CallerResponse>;
}

/** What the callers of one adapter share. */
export interface CallerContext {
  readonly methods: readonly ServedMethod[];
  readonly bindings: readonly HttpBinding[];
  readonly routeOptions: RouteTableOptions;
  readonly calls: CallOptions;
  readonly exchangeOptions: ExchangeOptions;
  readonly publicBaseUrl: string | undefined;
}

/** The default of `maxMessages`. */
export const DEFAULT_MAX_MESSAGES = 100;

const MAX_STREAM_BYTES = 1024 * 1024;

/** The type of a stream of messages: one in each line. */
const MESSAGES_TYPE = "application/x-ndjson";

const HTTP_BODY = "google.api.HttpBody";

/** Headers of a request that are about its own content, connection and protocol. */
const OWN_HEADER =
  /^(?:accept(?:-.*)?|connection|content-.*|expect|host|if-.*|last-event-id|mcp-.*|origin|range|te|transfer-encoding|upgrade)$/;

/** Creates a function that returns the caller for a request, or one without a request. The routes of calls are created at the first one. */
export function createCallers(context: CallerContext): (outer?: Exchange) => Caller {
  const served = new Map<DescMethod, ServedMethod>(
    context.methods
      .filter(({ method, takesStream }) => !takesStream && method.input.typeName !== HTTP_BODY)
      .map((each) => [each.method, each]),
  );
  const methods = [...served.keys()];
  const { bindings, calls, publicBaseUrl = "http://localhost" } = context;
  const { json, unknownParameters } = context.routeOptions;
  // The address is known, whatever headers say.
  const exchangeOptions = { ...context.exchangeOptions, proxies: undefined };
  let routes: RouteTable | undefined;

  function start(method: DescMethod, message: JsonObject, options: CallerOptions, outer?: Exchange) {
    const known = served.get(method);
    if (known === undefined) {
      throw new TypeError(`${methodName(method)} cannot be called within the process`);
    }
    routes ??= callRoutes(methods, context);
    const path = `/${methodName(method)}`;
    const route = routes.find("POST", path, "");
    return new Promise<CallerResponse>((resolve, reject) => {
      let failure: ConnectError | undefined;
      const request = new LocalRequest({
        path,
        headers: headersOf(outer, options.headers),
        body: jsonOf(message),
        connection: {
          peerAddress: options.clientAddress ?? outer?.clientAddress ?? "",
          isSecure: false,
          isOverdrawn: false,
          ...(outer === undefined ? {} : { queue: outer.queue }),
        },
        maxLines: options.maxMessages ?? DEFAULT_MAX_MESSAGES,
        maxBytes: MAX_STREAM_BYTES,
        holdMemory: (bytes) => outer?.holdMemory(bytes),
        done: (response) => {
          options.signal?.removeEventListener("abort", abort);
          if (response === undefined || failure !== undefined) {
            reject(failure ?? cancelled());
          } else {
            resolve(responseOf(response, options.maxMessages));
          }
        },
      });
      const abort = (): void => request.abort();
      const text = (error: ConnectError): string => {
        failure = error;
        return "";
      };
      const respond = (error: ConnectError) => ({ status: 500, headers: [], body: text(error), length: 0 });
      const exchange = new Exchange(request, exchangeOptions);
      exchange.path = path;
      exchange.principal = outer?.principal;
      const format = new RestFormat(exchange, route, known.maxRequestBytes, () => known, { respond, text });
      options.signal?.addEventListener("abort", abort);
      outer?.onClose(abort);
      if (options.signal?.aborted === true) {
        abort();
        return;
      }
      const { contextValues } = calls;
      const own = outer && contextValues ? { ...calls, contextValues: () => contextValues(outer) } : calls;
      startCall(own, exchange, options.baseUrl ?? outer?.baseUrl ?? publicBaseUrl, format);
    });
  }

  return (outer) => ({
    methods,
    bindings,
    format: { json, unknownParameters },
    call: async (method, message, options = {}) => {
      if (outer === undefined) {
        return await start(method, message, options);
      }
      // The record of the request is that of the call.
      outer.method = method;
      outer.code = undefined;
      try {
        return await start(method, message, options, outer);
      } catch (thrown) {
        outer.code = (thrown as Partial<ConnectError>).code;
        throw thrown;
      }
    },
  });
}

/** The JSON of a value, in which a number beyond 2^53 has all digits, and one beyond the range of a double stays beyond it. */
function jsonOf(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(jsonOf).join()}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([, each]) => each !== undefined);
    return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${jsonOf(each)}`).join()}}`;
  }
  const isNumber = typeof value === "number" || typeof value === "bigint";
  return isNumber ? String(value).replace("Infinity", "1e999") : JSON.stringify(value);
}

/** The routes of calls: `POST /package.Service.Method` with the whole message as the body. */
function callRoutes(methods: readonly DescMethod[], { bindings, routeOptions }: CallerContext): RouteTable {
  const rules = methods.map((method) => ({
    selector: methodName(method),
    pattern: { case: "post" as const, value: `/${methodName(method)}` },
    body: "*",
    // Bytes that a rule returns as the body have their own media type.
    responseBody:
      bindings.find((each) => each.method === method && each.responseBody?.message?.typeName === HTTP_BODY)
        ?.responseBody?.name ?? "",
  }));
  return createRouteTable(methods, {
    ...routeOptions,
    unsupported: "skip",
    rules,
    methodOptions: () => ({}),
  });
}

const CONTENT_HEADERS = new Map([
  ["content-type", "application/json"],
  ["accept", MESSAGES_TYPE],
]);

/** The headers of a call. Most handlers read none, so that those of the request that is being served are listed when one does. */
function headersOf(outer: Exchange | undefined, added: CallerOptions["headers"]): HeaderSection {
  const own =
    added === undefined
      ? CONTENT_HEADERS
      : new Map([
          ...[...added].map(([name, value]) => [name.toLowerCase(), value] as const),
          ...CONTENT_HEADERS,
        ]);
  return {
    get: (name) => own.get(name) ?? (OWN_HEADER.test(name) ? undefined : outer?.header(name)),
    get list() {
      const passed = [...(outer?.headers() ?? [])].filter(
        ([name]) => !OWN_HEADER.test(name) && !own.has(name),
      );
      return [...passed, ...own].flat();
    },
  };
}

function responseOf(
  { headers, body, isCut }: LocalResponse,
  maxMessages: number = DEFAULT_MAX_MESSAGES,
): CallerResponse {
  const contentType =
    headers[headers.findIndex((each, at) => at % 2 === 0 && each === "content-type") + 1] ?? "";
  let end = 0;
  for (let count = 0; count < maxMessages && end < body.length; count++) {
    end = body.indexOf(0x0a, end) + 1 || body.length;
  }
  return contentType === MESSAGES_TYPE
    ? { contentType, body: body.subarray(0, end), isCut: isCut || end < body.length }
    : { contentType, body, isCut };
}
