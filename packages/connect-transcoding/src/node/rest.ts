import type { Writable } from "node:stream";
import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { invalidArgument } from "../errors/errors.js";
import { bodyTooLarge } from "../errors/http-error.js";
import { RpcError, toRpcError } from "../errors/rpc-error.js";
import type { RequestContent } from "../request/request-parameters.js";
import { splitTarget } from "../request/request-path.js";
import { headerList, represent, representationOfGiven, toReply } from "../response/representation.js";
import { errorAnswer, errorText, STREAM_TYPE } from "../response/response-encoder.js";
import type { BoundRequest } from "../rules/method-group.js";
import { longestRequest, type RequestLimit } from "../rules/method-options.js";
import type { Route, RouteTable } from "../rules/route-table.js";
import type { Exchange, HeaderList, Reply } from "./exchange.js";
import { ExchangeCall, internalError } from "./handler-context.js";
import type { Origin } from "./host.js";
import type { Answer, MethodImplementation, MethodTable } from "./methods.js";
import { settle } from "./unary.js";

/** What the REST door stands on. */
export interface RestDoorOptions {
  readonly transcoder: RouteTable;
  readonly methods: MethodTable;
  readonly requestLimit: RequestLimit;
  /** Is told of exceptions that are bugs. */
  readonly reportBug: (bug: unknown) => void;
}

/** Answers a request whose target and base URL are known. It never throws and always answers. */
export type RestDoor = (exchange: Exchange, origin: Pick<Origin, "target" | "baseUrl">) => void;

/** An answer as a whole, or the lines of a stream. */
type RestAnswer = Reply | { readonly headers: HeaderList; readonly lines: AsyncIterable<string> };

/** Makes the door for plain JSON over HTTP: `google.api.http` routes, errors as AIP-193 has them. */
export function createRestDoor({ transcoder, methods, requestLimit, reportBug }: RestDoorOptions): RestDoor {
  // Routes that lead to the same methods have them in the same list.
  const limits = new Map<Route["methods"], number>();
  function limitOf({ methods: candidates }: Route): number {
    const limit = limits.get(candidates) ?? longestRequest(candidates, requestLimit);
    limits.set(candidates, limit);
    return limit;
  }

  function answer(exchange: Exchange, route: Route, body: Uint8Array, baseUrl: string) {
    const bound = route.bind(new ExchangeContent(exchange, body));
    exchange.method = bound.method;
    const implementation = methods.of(bound.method);
    const call = new ExchangeCall(bound.method, exchange, baseUrl);
    switch (implementation?.kind) {
      case "unary":
        return answerOnce(implementation, bound, call, exchange);
      case "server_streaming":
        return answerStream(implementation, bound, call, exchange, route.headers);
      default:
        throw new Error(`${bound.method.name} has a route and no handler that could answer there`);
    }
  }

  function answerOnce(
    { handler }: Extract<MethodImplementation, { kind: "unary" }>,
    bound: BoundRequest,
    call: ExchangeCall,
    exchange: Exchange,
  ): Reply | Promise<Reply> {
    const finish = (given: Answer<typeof bound.method>) =>
      withHeaders(represent(representationOfGiven(given, bound.encode), exchange), call.addedHeaders);
    try {
      const given = handler(bound.message, call);
      return given instanceof Promise
        ? given.then(finish, (thrown: unknown) => {
            throw spell(bound, thrown);
          })
        : finish(given);
    } catch (thrown) {
      throw spell(bound, thrown);
    }
  }

  async function answerStream(
    { handler }: Extract<MethodImplementation, { kind: "server_streaming" }>,
    bound: BoundRequest,
    call: ExchangeCall,
    exchange: Exchange,
    routeHeaders: Route["headers"],
  ): Promise<RestAnswer> {
    const headers = headerList({ ...routeHeaders, "content-type": STREAM_TYPE });
    if (exchange.verb === "HEAD") {
      return { headers, lines: nothing() };
    }
    const messages = handler(bound.message, call)[Symbol.asyncIterator]();
    // What fails before the first message is still an ordinary error, with a status of its own.
    const first = await messages.next().catch((thrown: unknown) => {
      throw spell(bound, thrown);
    });
    const lineOf = (each: MessageInitShape<DescMessage>) => `${String(bound.encode(each).body)}\n`;
    const errorLineOf = (thrown: unknown) => `${errorText(failed(exchange, spell(bound, thrown)))}\n`;
    return {
      headers: [...headers, ...call.addedHeaders],
      lines: streamLines(first, messages, lineOf, errorLineOf),
    };
  }

  function failed(exchange: Exchange, thrown: unknown): RpcError {
    const expected = toRpcError(thrown);
    const error = expected instanceof RpcError ? expected : internalError();
    if (error !== expected) {
      reportBug(thrown);
    }
    exchange.code = error.code;
    return error;
  }

  function send(exchange: Exchange, reply: RestAnswer): void {
    if (!("lines" in reply)) {
      exchange.respond(reply);
      return;
    }
    writeStream(exchange.open(200, reply.headers), reply.lines).then(
      (isWhole) => isWhole && exchange.complete(),
      (bug: unknown) => {
        reportBug(bug);
        exchange.destroy();
      },
    );
  }

  return (exchange, { target, baseUrl }) => {
    const fail = (thrown: unknown, headers?: Route["headers"]) =>
      exchange.respond(toReply(errorAnswer(failed(exchange, thrown), headers)));
    let route: Route;
    const { path, query } = splitTarget(target);
    try {
      if (exchange.verb === "OPTIONS") {
        const allow = transcoder.allowedMethods(path).join(", ");
        exchange.respond(toReply({ status: 204, headers: { allow }, body: "" }));
        return;
      }
      route = transcoder.find(exchange.verb, path, query);
    } catch (thrown) {
      fail(thrown);
      return;
    }
    // Which of the methods it is may be in the body.
    const maxBodyBytes = limitOf(route);
    exchange.readBody(maxBodyBytes, (body) => {
      if (body === "too large") {
        fail(bodyTooLarge(maxBodyBytes), route.headers);
      } else {
        settle<RestAnswer>(
          () => answer(exchange, route, body, baseUrl),
          (reply) => send(exchange, reply),
          (thrown) => fail(thrown, route.headers),
        );
      }
    });
  };
}

/** What a request has besides its target; its headers are looked at where its method takes a body. */
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

function withHeaders(reply: Reply | Promise<Reply>, added: HeaderList): Reply | Promise<Reply> {
  if (added.length === 0) {
    return reply;
  }
  const add = (each: Reply): Reply => ({ ...each, headers: [...each.headers, ...added] });
  return reply instanceof Promise ? reply.then(add) : add(reply);
}

/** An error with its fields named as the caller spelled them. */
function spell(bound: BoundRequest, thrown: unknown): unknown {
  return thrown instanceof RpcError && thrown.violations.length > 0
    ? bound.rename(invalidArgument(thrown.violations))
    : thrown;
}

async function* nothing(): AsyncIterable<never> {}

/** The lines of a stream whose first message is there: one for each message, and at the end the error, if it fails. */
async function* streamLines<T>(
  first: IteratorResult<T>,
  messages: AsyncIterator<T>,
  lineOf: (message: T) => string,
  errorLineOf: (thrown: unknown) => string,
): AsyncIterable<string> {
  try {
    for (let next = first; !next.done; next = await messages.next()) {
      yield lineOf(next.value);
    }
  } catch (thrown) {
    yield errorLineOf(thrown);
  } finally {
    await messages.return?.();
  }
}

/**
 * Writes an answer that comes in pieces, no faster than the caller takes them, and ends it. Stops asking for more once
 * the caller has gone, and says whether all was written.
 */
export async function writeStream(target: Writable, pieces: AsyncIterable<string>): Promise<boolean> {
  for await (const piece of pieces) {
    if (target.destroyed || target.writableEnded) {
      return false;
    }
    if (!target.write(piece)) {
      await drained(target);
    }
  }
  target.end();
  return true;
}

/** Resolves when a caller has taken what was written, or has gone; leaves no listener behind. */
function drained(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      target.off("drain", settle);
      target.off("close", settle);
      resolve();
    };
    target.on("drain", settle);
    target.on("close", settle);
  });
}
