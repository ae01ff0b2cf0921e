import type { ContextValues } from "@connectrpc/connect";
import type { Body, BodyReader, BodyWriter, HeaderList, HeaderSection } from "@utility-tools/http-server";
import { knownOptions, type OptionNames, readContentLength } from "@utility-tools/http-server/portable";
import { createAdapter } from "../call/adapter.js";
import { ClosableRequest } from "../call/http/closable-request.js";
import type { Exchange, HostRequest } from "../call/http/exchange.js";
import { bodyConsumed } from "../errors/http-error.js";
import { HOST_OPTIONS, type HostOptions } from "../features/options.js";
import { withFeatures } from "../features/with-features.js";

/** Options of the handler: those of all hosts, and how to read a `Request`. */
export interface TranscodingHandlerOptions extends HostOptions {
  /** Handles requests for which there is no method, route or page. Default: an error in the protocol of the request. */
  readonly fallback?: ((request: Request) => Response | Promise<Response>) | undefined;
  /** Context values to extract from the request. */
  readonly contextValues?: ((request: Request) => ContextValues) | undefined;
  /**
   * Returns the IP address of the client, which a `Request` does not have. `info` is what the runtime passes with it: the server of
   * Bun, the `info` of Deno. Default: empty.
   */
  readonly clientAddress?: ((request: Request, info: unknown) => string) | undefined;
}

const HANDLER_OPTIONS: OptionNames<TranscodingHandlerOptions> = {
  ...HOST_OPTIONS,
  fallback: true,
  contextValues: true,
  clientAddress: true,
};

/** A function from requests to responses, as Bun, Deno, Hono, Next.js and Cloudflare Workers call it. */
export type TranscodingHandler = (request: Request, info?: unknown) => Promise<Response>;

/**
 * Creates a handler for servers with the interface of fetch. It serves JSON over HTTP, Connect and gRPC-Web. gRPC needs HTTP
 * trailers, which a `Response` does not have: its calls fail with `UNIMPLEMENTED`. Bidirectional streams get 505.
 * https://fetch.spec.whatwg.org/
 *
 * Throws an UnknownOptionError, and an Error if a rule contradicts its messages or another rule.
 */
export function createTranscodingHandler(given: TranscodingHandlerOptions): TranscodingHandler {
  const { clientAddress, ...options } = knownOptions("createTranscodingHandler", given, HANDLER_OPTIONS);
  const { fallback, contextValues } = options;
  const adapter = createAdapter(
    withFeatures({
      ...options,
      fallback: fallback && ((exchange) => callFallback(exchange, fallback)),
      contextValues: contextValues && ((exchange) => contextValues(fetchRequestOf(exchange).source)),
    }),
  );
  return (request, info) =>
    new Promise((resolve, reject) => {
      adapter.serve(new FetchHostRequest(request, clientAddress?.(request, info) ?? "", resolve, reject));
    });
}

/** Every request of this adapter is one of fetch. */
function fetchRequestOf(exchange: Exchange): FetchHostRequest {
  return exchange.request as FetchHostRequest;
}

/** Passes a request to another handler, which responds to it. */
function callFallback(
  exchange: Exchange,
  fallback: (request: Request) => Response | Promise<Response>,
): void {
  const host = fetchRequestOf(exchange);
  Promise.resolve(host.source)
    .then(fallback)
    .then(
      (given) => {
        const response = new Response(given.body, given);
        const { extraHeaders } = exchange;
        for (let index = 0; index < extraHeaders.length; index += 2) {
          response.headers.append(extraHeaders[index] ?? "", extraHeaders[index + 1] ?? "");
        }
        exchange.respondedElsewhere(response.status);
        host.settle(response);
      },
      (thrown: unknown) => host.fail(thrown),
    );
}

const EMPTY_BODY: Uint8Array = new Uint8Array();

/** Statuses whose responses cannot have a body. https://fetch.spec.whatwg.org/#null-body-status */
const NULL_BODY_STATUSES: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** A request with the interface of fetch. */
class FetchHostRequest extends ClosableRequest implements HostRequest {
  // A `Request` does not say over which version it came.
  readonly httpVersion = "1.1";
  readonly hasNoTrailers = true;
  readonly rejectedWith = undefined;
  readonly source: Request;
  readonly target: string;
  readonly authority: string;
  readonly headers: HeaderSection;
  readonly connection: HostRequest["connection"];
  hasResponse = false;
  readonly #settle: (response: Response) => void;
  readonly #reject: (reason: unknown) => void;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** Breaks the response that is being sent. */
  #breakOff: (() => void) | undefined;

  constructor(
    source: Request,
    peerAddress: string,
    settle: (response: Response) => void,
    reject: (reason: unknown) => void,
  ) {
    super();
    const { host, protocol, pathname, search } = new URL(source.url);
    this.source = source;
    this.target = pathname + search;
    this.authority = host;
    this.connection = { peerAddress, isSecure: protocol === "https:", isOverdrawn: false };
    this.headers = { list: [...source.headers].flat(), get: (name) => source.headers.get(name) ?? undefined };
    this.#settle = settle;
    this.#reject = reject;
    if (source.signal.aborted) {
      this.abort();
    } else {
      source.signal.addEventListener("abort", () => this.abort(), { once: true });
    }
  }

  get problem() {
    return this.source.bodyUsed && !this.hasResponse && this.#reader === undefined
      ? bodyConsumed()
      : undefined;
  }

  get method(): string {
    return this.source.method;
  }

  /** Responds with the response of another handler. */
  settle(response: Response): void {
    this.hasResponse = true;
    this.#settle(response);
    this.#close();
  }

  /** Passes on what another handler has thrown. */
  fail(reason: unknown): void {
    this.#reject(reason);
    this.#close();
  }

  readBody(limit: number, done: (body: Body) => void): void {
    const announced = this.headers.get("content-length");
    if ((readContentLength(announced ?? "") ?? 0) > limit) {
      done("too large");
      return;
    }
    const body = this.openBody(() => collect());
    const parts: Uint8Array[] = [];
    let length = 0;
    let isDone = false;
    const collect = (): void => {
      for (let part = body.take(); part !== undefined && !isDone; part = body.take()) {
        parts.push(part);
        length += part.length;
        if (length > limit) {
          isDone = true;
          this.#cancelBody();
          done("too large");
        }
      }
      if (body.isTaken && !isDone) {
        isDone = true;
        done(parts.length === 1 ? (parts[0] ?? EMPTY_BODY) : Buffer.concat(parts));
      }
    };
    collect();
  }

  openBody(onChange: () => void): BodyReader {
    const { body } = this.source;
    let part: Uint8Array | undefined;
    let isEnded = body === null;
    const reader = body?.getReader();
    this.#reader = reader;
    const read = (): void => {
      reader?.read().then(
        ({ done, value }) => {
          isEnded = done;
          part = value;
          onChange();
        },
        // The client has disconnected before the end.
        () => this.abort(),
      );
    };
    read();
    return {
      take: () => {
        const taken = part;
        if (taken !== undefined) {
          part = undefined;
          read();
        }
        return taken;
      },
      retain: () => {},
      get isTaken() {
        return isEnded && part === undefined;
      },
    };
  }

  #cancelBody(): void {
    this.#reader?.cancel().catch(() => {});
  }

  respond(status: number, headers: HeaderList, body: string | Uint8Array | undefined): boolean {
    if (this.isClosed || this.hasResponse) {
      return false;
    }
    const isBare = this.method === "HEAD" || NULL_BODY_STATUSES.has(status);
    const response = new Response(isBare ? null : ((body ?? EMPTY_BODY) as Uint8Array<ArrayBuffer>), {
      status,
      headers: pairs(headers),
    });
    this.hasResponse = true;
    this.#settle(response);
    this.#close();
    return true;
  }

  openResponse(status: number, headers: HeaderList): BodyWriter {
    let isOver = false;
    let onReady: (() => void) | undefined;
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (given) => {
          controller = given;
        },
        pull: () => {
          const ready = onReady;
          onReady = undefined;
          ready?.();
        },
        cancel: () => {
          isOver = true;
          this.abort();
        },
      },
      { highWaterMark: 64 * 1024, size: (part) => part?.length ?? 0 },
    );
    this.#breakOff = () => {
      if (!isOver) {
        isOver = true;
        controller?.error(new Error("the call was aborted"));
      }
    };
    this.hasResponse = true;
    this.#settle(new Response(stream, { status, headers: pairs(headers) }));
    return {
      write: (part, ready) => {
        if (isOver || part.length === 0) {
          return true;
        }
        // The reader may transfer the buffer of a part, which can be shared.
        controller?.enqueue(new Uint8Array(part));
        const isReady = (controller?.desiredSize ?? 0) > 0;
        onReady = isReady ? undefined : ready;
        return isReady;
      },
      end: (part) => {
        if (!isOver) {
          isOver = true;
          if (part !== undefined && part.length > 0) {
            controller?.enqueue(new Uint8Array(part));
          }
          controller?.close();
          this.#close();
        }
      },
    };
  }

  holdMemory(): void {}

  abort(): void {
    this.#cancelBody();
    this.#breakOff?.();
    if (!this.hasResponse) {
      this.#reject(new Error("the request was aborted"));
    }
    this.#close();
  }

  #close(): void {
    this.close(() => this.#cancelBody());
  }
}

function pairs(list: HeaderList): [string, string][] {
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ""]] : []));
}
