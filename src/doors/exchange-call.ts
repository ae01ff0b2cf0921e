import type { DescMethod } from "@bufbuild/protobuf";
import type { Call } from "../rpc/call.js";
import { deadlineExceeded } from "../rpc/deadline.js";
import { cancelled } from "../rpc/guard.js";
import type { Exchange, HeaderList } from "./exchange.js";

/** A call that an exchange makes. What most handlers never ask for is made when it is asked for. */
export class ExchangeCall implements Call {
  readonly method: DescMethod;
  readonly baseUrl: string;
  readonly timeoutMs: number | undefined;
  readonly #exchange: Exchange;
  #controller: AbortController | undefined;
  #headers: string[] | undefined;
  #trailers: string[] | undefined;

  constructor(method: DescMethod, exchange: Exchange, baseUrl: string, timeoutMs?: number) {
    this.method = method;
    this.baseUrl = baseUrl;
    this.timeoutMs = timeoutMs;
    this.#exchange = exchange;
    if (timeoutMs !== undefined && timeoutMs <= MAX_TIMER_MS) {
      // Time runs from now on, not from when somebody asks for the signal.
      this.#start(timeoutMs);
    }
  }

  get callerAddress(): string {
    return this.#exchange.callerAddress;
  }

  get signal(): AbortSignal {
    return (this.#controller ?? this.#start(undefined)).signal;
  }

  header(name: string): string | undefined {
    return this.#exchange.header(name);
  }

  headers(): Iterable<readonly [string, string]> {
    return this.#exchange.headers();
  }

  addHeader(name: string, value: string): void {
    this.#headers ??= [];
    this.#headers.push(name.toLowerCase(), value);
  }

  addTrailer(name: string, value: string): void {
    this.#trailers ??= [];
    this.#trailers.push(name.toLowerCase(), value);
  }

  /** Headers that were added to the answer. */
  get addedHeaders(): HeaderList {
    return this.#headers ?? NONE;
  }

  /** Trailers that were added to the answer. */
  get addedTrailers(): HeaderList {
    return this.#trailers ?? NONE;
  }

  #start(timeoutMs: number | undefined): AbortController {
    const controller = new AbortController();
    this.#controller = controller;
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(deadlineExceeded()), timeoutMs);
    this.#exchange.onClose(() => {
      clearTimeout(timer);
      controller.abort(cancelled());
    });
    return controller;
  }
}

const NONE: HeaderList = [];

/** The longest time that timers can be set to, about 24.8 days, in milliseconds; no call lives to see the end of it. */
export const MAX_TIMER_MS = 0x7fff_ffff;
