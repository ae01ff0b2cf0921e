import type { Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "one-port";
import type { MessageInit } from "../codec/message-field.js";
import { bodyTooLarge, errorStatus, routeNotFound } from "../errors/http-error.js";
import type { Exchange } from "../node/exchange.js";
import type { RequestUrl } from "../node/host.js";
import { nothing, startingWith, writeChunks } from "../node/write-chunks.js";
import type { RequestContent } from "../request/request-parameters.js";
import {
  headerList,
  type OutgoingResponse,
  representMessage,
  selectResponse,
  toOutgoing,
} from "../response/representation.js";
import { encodeError, errorText } from "../response/response-encoder.js";
import { dataParts, encodeEach, negotiateStreamFormat, streamParts } from "../response/stream-format.js";
import type { BoundCall, BoundRequest, BoundStream } from "../rules/method-group.js";
import type { Route, RouteTable } from "../rules/route-table.js";
import { CallContext, type ContextOptions } from "./handler-context.js";
import { createClientStreamInvoker, createServerStreamInvoker, createUnaryInvoker } from "./invoke.js";
import { inTurns } from "./run-in-turns.js";
import type { ServedMethod } from "./served-methods.js";
import { settle, type ToError } from "./unary.js";

/** Serves a request by the `google.api.http` rules. Always responds, and never throws. */
export type ServeRest = (exchange: Exchange, url: RequestUrl) => void;

/** A whole response, or one in parts. */
type RestResponse =
  | OutgoingResponse
  | { readonly headers: HeaderList; readonly parts: AsyncIterable<string | Uint8Array> };

/** Responds to a bound request of one method. */
type Respond<Bound> = (
  bound: Bound,
  context: CallContext,
  exchange: Exchange,
  route: Route,
) => RestResponse | Promise<RestResponse>;

/** The responders of one method: one of them is undefined. */
interface Responders {
  readonly toMessage?: Respond<BoundRequest>;
  readonly toStream?: Respond<BoundStream>;
}

/** Options of the REST adapter. */
export interface RestOptions {
  /** The prefix of the paths of all routes. */
  readonly prefix: string;
  /** Handles requests whose path has no route; undefined to respond with an error. */
  readonly fallback: ((exchange: Exchange) => void) | undefined;
}

/** Creates the protocol adapter for JSON over HTTP, with errors as in AIP-193. */
export function createRestAdapter(
  routes: RouteTable,
  methods: readonly ServedMethod[],
  contextOptions: ContextOptions,
  toError: ToError,
  { prefix, fallback }: RestOptions,
): ServeRest {
  const byMethod = new Map(methods.map((served) => [served.method, served]));
  const responders = new Map(methods.map((served) => [served.method, createResponders(served)]));

  // Which method of a route is called may depend on the body.
  const limits = new Map<Route["methods"], number>();
  function limitOf(candidates: Route["methods"]): number {
    let limit = limits.get(candidates);
    if (limit === undefined) {
      limit = Math.max(...candidates.map((method) => byMethod.get(method)?.maxRequestBytes ?? 0));
      limits.set(candidates, limit);
    }
    return limit;
  }

  function createResponders({ spec, options: { interceptors = [] } }: ServedMethod): Responders {
    switch (spec.kind) {
      case "unary": {
        const invoke = createUnaryInvoker(spec, interceptors);
        return {
          toMessage: (bound, context, exchange) =>
            respondOnce(invoke, bound.message, bound, context, exchange),
        };
      }
      case "server_streaming": {
        const invoke = createServerStreamInvoker(spec, interceptors);
        return {
          toMessage: (bound, context, exchange, route) =>
            respondStream(invoke, bound, context, exchange, route),
        };
      }
      case "client_streaming": {
        const invoke = createClientStreamInvoker(spec, interceptors);
        return {
          toStream: (bound, context, exchange) =>
            respondOnce(invoke, inTurns(bound.messages, exchange), bound, context, exchange),
        };
      }
      default:
        return {};
    }
  }

  function respondOnce<Input>(
    invoke: (input: Input, context: CallContext) => MessageInit | Promise<MessageInit>,
    input: Input,
    bound: BoundCall,
    context: CallContext,
    exchange: Exchange,
  ): OutgoingResponse | Promise<OutgoingResponse> {
    const finish = (message: MessageInit) =>
      withHeaders(selectResponse(representMessage(message, bound.encode), exchange), context.addedHeaders);
    try {
      const message = invoke(input, context);
      return message instanceof Promise
        ? message.then(finish, (thrown: unknown) => {
            throw renamed(bound, context, thrown);
          })
        : finish(message);
    } catch (thrown) {
      throw renamed(bound, context, thrown);
    }
  }

  async function respondStream(
    invoke: (message: Message, context: CallContext) => AsyncIterable<MessageInit>,
    bound: BoundRequest,
    context: CallContext,
    exchange: Exchange,
    route: Route,
  ): Promise<RestResponse> {
    const format =
      bound.responseKind === "bytes" ? undefined : negotiateStreamFormat(exchange.header("accept"));
    const formatHeaders =
      format === undefined
        ? route.headers
        : { ...route.headers, "content-type": format.contentType, vary: "accept" };
    if (exchange.httpMethod === "HEAD") {
      return { headers: headerList(formatHeaders), parts: nothing() };
    }
    const responses = encodeEach(() => invoke(bound.message, context), bound.encode);
    const fail = (thrown: unknown): ConnectError => {
      const error = renamed(bound, context, thrown);
      exchange.code = error.code;
      return error;
    };
    // An error before the first message is an ordinary error with its status.
    const first = await responses.next().catch((thrown: unknown) => {
      throw fail(thrown);
    });
    const all = startingWith(first, responses);
    const headers = headerList(format === undefined && !first.done ? first.value.headers : formatHeaders);
    return {
      headers: [...headers, ...context.addedHeaders],
      parts:
        format === undefined
          ? dataParts(all, fail)
          : streamParts(format, all, (thrown) => errorText(fail(thrown))),
    };
  }

  /** The error of a call, with its fields named as the client spelled them. */
  function renamed(bound: BoundCall, context: CallContext, thrown: unknown): ConnectError {
    return toError(bound.rename(toError(thrown, context)));
  }

  function respond<Bound extends BoundCall>(
    bound: Bound,
    responder: Respond<Bound> | undefined,
    exchange: Exchange,
    route: Route,
    baseUrl: string,
  ) {
    exchange.method = bound.method;
    if (responder === undefined) {
      throw new Error(`${bound.method.name} has a route and no implementation`);
    }
    const context = new CallContext(bound.method, "rest", exchange, baseUrl, contextOptions);
    return responder(bound, context, exchange, route);
  }

  function respondToMessage(exchange: Exchange, route: Route, body: Uint8Array, baseUrl: string) {
    const bound = route.bind(new ExchangeContent(exchange, body));
    return respond(bound, responders.get(bound.method)?.toMessage, exchange, route, baseUrl);
  }

  function respondToStream(
    exchange: Exchange,
    route: Route,
    bindStream: NonNullable<Route["bindStream"]>,
    limit: number,
    baseUrl: string,
  ) {
    const bound = bindStream({
      limit,
      contentType: exchange.header("content-type"),
      contentEncoding: exchange.header("content-encoding"),
      body: exchange,
    });
    return respond(bound, responders.get(bound.method)?.toStream, exchange, route, baseUrl);
  }

  function send(exchange: Exchange, response: RestResponse): void {
    if (!("parts" in response)) {
      exchange.respond(response);
      return;
    }
    // The request may be closed once the end of the response has been written, which would look as if the client had disconnected.
    const complete = (): void => exchange.complete();
    writeChunks(exchange.open(200, response.headers), response.parts, complete).catch((thrown: unknown) => {
      toError(thrown, exchange);
      exchange.destroy();
    });
  }

  return (exchange, { path: fullPath, query, baseUrl }) => {
    const fail = (thrown: unknown, headers?: Route["headers"]): void => {
      const error = toError(thrown, exchange);
      if (exchange.isClosed) {
        // The record of the request says why: the client has disconnected, or was too slow.
        return;
      }
      exchange.code = error.code;
      exchange.respond(toOutgoing(encodeError(error, headers)));
    };
    let route: Route;
    try {
      if (!fullPath.startsWith(prefix)) {
        throw routeNotFound();
      }
      const path = fullPath.slice(prefix.length);
      if (exchange.httpMethod === "OPTIONS" && (isPreflight(exchange) || !routes.hasRule("OPTIONS", path))) {
        const allow = routes.allowedMethods(path).join(", ");
        exchange.respond(toOutgoing({ status: 204, headers: { allow }, body: "" }));
        return;
      }
      route = routes.find(exchange.httpMethod, path, query);
    } catch (thrown) {
      const error = toError(thrown, exchange);
      if (fallback !== undefined && errorStatus(error) === 404) {
        fallback(exchange);
      } else {
        fail(error);
      }
      return;
    }
    const maxBodyBytes = limitOf(route.methods);
    const { bindStream } = route;
    if (bindStream !== undefined) {
      settle<RestResponse>(
        () => respondToStream(exchange, route, bindStream, maxBodyBytes, baseUrl),
        (response) => send(exchange, response),
        (thrown) => fail(thrown, route.errorHeaders),
      );
      return;
    }
    exchange.readBody(maxBodyBytes, (body) => {
      if (body === "too large") {
        fail(bodyTooLarge(maxBodyBytes), route.errorHeaders);
      } else {
        settle<RestResponse>(
          () => respondToMessage(exchange, route, body, baseUrl),
          (response) => send(exchange, response),
          (thrown) => fail(thrown, route.errorHeaders),
        );
      }
    });
  };
}

/** Whether a request is a CORS preflight request. https://fetch.spec.whatwg.org/#cors-preflight-request */
function isPreflight(exchange: Exchange): boolean {
  return (
    exchange.header("origin") !== undefined && exchange.header("access-control-request-method") !== undefined
  );
}

/** The body of a request and the headers that describe it, which are read only if a method takes a body. */
class ExchangeContent implements RequestContent {
  readonly body: Uint8Array;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, body: Uint8Array) {
    this.#exchange = exchange;
    this.body = body;
  }

  get contentType(): string | undefined {
    return this.#exchange.header("content-type");
  }

  get contentEncoding(): string | undefined {
    return this.#exchange.header("content-encoding");
  }
}

function withHeaders(
  response: OutgoingResponse | Promise<OutgoingResponse>,
  added: HeaderList,
): OutgoingResponse | Promise<OutgoingResponse> {
  if (added.length === 0) {
    return response;
  }
  const add = (each: OutgoingResponse) => ({ ...each, headers: [...each.headers, ...added] });
  return response instanceof Promise ? response.then(add) : add(response);
}
