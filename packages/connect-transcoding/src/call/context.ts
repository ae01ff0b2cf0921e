import type { DescMethod, DescService } from "@bufbuild/protobuf";
import {
  type ConnectError,
  type ContextValues,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import type { HeaderList } from "@utility-tools/http-server";
import { cancelled, deadlineExceeded } from "../errors/errors.js";
import { handlerHeaders, removeInvalidHeaders } from "../errors/metadata.js";
import type { Format } from "../protocols/format.js";
import { baseUrlKey, clientAddressKey, httpStatusKey, queueKey } from "./context-keys.js";
import type { Exchange } from "./http/exchange.js";

/** What the contexts of one adapter share. */
export interface ContextOptions {
  /** Context values that the user extracts from the request. */
  readonly contextValues: ((exchange: Exchange) => ContextValues) | undefined;
}

/** The longest delay of a timer in milliseconds, about 24.8 days. Longer timeouts never expire. */
const MAX_TIMER_MS = 0x7fff_ffff;

/**
 * The HandlerContext of a call. Most handlers read little of it, so everything is created on
 * first use. A class, because one is created for every call.
 */
export class CallContext implements HandlerContext {
  /** Called when the deadline expires, unless the response has been sent by then. */
  onTimeout: (() => void) | undefined;
  readonly #format: Format;
  readonly #exchange: Exchange;
  readonly #baseUrl: string;
  readonly #options: ContextOptions;
  readonly #deadline: number | undefined;
  #controller: AbortController | undefined;
  #signal: AbortSignal | undefined;
  /** Creates the reason why the call has ended. */
  #reason: (() => ConnectError) | undefined;
  #values: ContextValues | undefined;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;

  constructor(format: Format, exchange: Exchange, baseUrl: string, options: ContextOptions) {
    this.#format = format;
    this.#exchange = exchange;
    this.#baseUrl = baseUrl;
    this.#options = options;
    const { timeoutMs } = format;
    if (timeoutMs === undefined) {
      return;
    }
    this.#deadline = performance.now() + timeoutMs;
    if (timeoutMs <= MAX_TIMER_MS) {
      const timer = setTimeout(() => {
        this.#end(deadlineExceeded);
        this.onTimeout?.();
      }, timeoutMs);
      exchange.onClose(() => {
        clearTimeout(timer);
        this.#end(cancelled);
      });
    }
  }

  get method(): DescMethod {
    return this.#format.served.method;
  }

  get protocolName(): string {
    return this.#format.protocolName;
  }

  get service(): DescService {
    return this.method.parent;
  }

  get requestMethod(): string {
    return this.#exchange.httpMethod;
  }

  get url(): string {
    return this.#baseUrl + this.#exchange.rawTarget;
  }

  get timeoutMs(): () => number | undefined {
    const deadline = this.#deadline;
    return () => (deadline === undefined ? undefined : deadline - performance.now());
  }

  /** Throws `DEADLINE_EXCEEDED` if the deadline has expired. */
  checkDeadline(): void {
    if (this.#deadline !== undefined && performance.now() >= this.#deadline) {
      this.#end(deadlineExceeded);
      throw deadlineExceeded();
    }
  }

  /** Why the call has ended: its deadline has expired, its response has been sent, or its client has disconnected. */
  get endReason(): ConnectError | undefined {
    return this.#reason?.();
  }

  get hasEnded(): boolean {
    return this.#reason !== undefined;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#createSignal();
    return this.#signal;
  }

  #createSignal(): AbortSignal {
    const controller = new AbortController();
    this.#controller = controller;
    if (this.#reason !== undefined) {
      controller.abort(this.#reason());
    } else {
      this.#exchange.onClose(() => this.#end(cancelled));
    }
    const { shutdownSignal } = this.#format.served.options;
    return shutdownSignal === undefined
      ? controller.signal
      : AbortSignal.any([controller.signal, shutdownSignal]);
  }

  get values(): ContextValues {
    this.#values ??= callValues(this.#options.contextValues?.(this.#exchange), this.#exchange, this.#baseUrl);
    return this.#values;
  }

  /** The HTTP status that the handler or an interceptor has set; 0 without one. */
  get httpStatus(): number {
    return this.#values === undefined ? 0 : this.#values.get(httpStatusKey);
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= requestHeaders(this.#exchange);
    return this.#requestHeader;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  /** The response headers that the handler has set, without those of the protocols. Throws a TypeError for a value that HTTP does not allow. */
  get addedHeaders(): HeaderList {
    return this.#responseHeader === undefined ? NONE : handlerHeaders(this.#responseHeader);
  }

  /** The same for the response trailers. */
  get addedTrailers(): HeaderList {
    return this.#responseTrailer === undefined ? NONE : handlerHeaders(this.#responseTrailer);
  }

  /** Removes response headers and trailers that HTTP does not allow, so that an error can be sent. */
  removeInvalidHeaders(): void {
    for (const headers of [this.#responseHeader, this.#responseTrailer]) {
      if (headers !== undefined) {
        removeInvalidHeaders(headers);
      }
    }
  }

  #end(reason: () => ConnectError): void {
    if (this.#reason === undefined) {
      this.#reason = reason;
      if (this.#controller !== undefined) {
        // The stack takes longer than the rest of a short call, and shows only this function.
        const { stackTraceLimit } = Error;
        Error.stackTraceLimit = 0;
        const error = reason();
        Error.stackTraceLimit = stackTraceLimit;
        this.#controller.abort(error);
      }
    }
  }
}

function requestHeaders(exchange: Exchange): Headers {
  return new Headers([...exchange.headers()].map(([name, value]) => [name, value]));
}

/** Adds the values of the server to those of the user. */
function callValues(
  values: ContextValues = createContextValues(),
  exchange: Exchange,
  baseUrl: string,
): ContextValues {
  return values
    .set(baseUrlKey, baseUrl)
    .set(clientAddressKey, exchange.clientAddress)
    .set(queueKey, exchange.queue);
}

const NONE: HeaderList = [];
