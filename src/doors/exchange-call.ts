import { validateHeaderName, validateHeaderValue } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import type { Call } from "../rpc/call.js";
import { deadlineExceeded } from "../rpc/deadline.js";
import { cancelled } from "../rpc/guard.js";
import type { RpcError } from "../rpc/rpc-error.js";
import type { Exchange, HeaderList } from "./exchange.js";

/** A call that an exchange makes. What most handlers never ask for is made when it is asked for. */
export class ExchangeCall implements Call {
  readonly method: DescMethod;
  readonly baseUrl: string;
  readonly timeoutMs: number | undefined;
  /** Is told that the time is up, if the answer is not out by then. */
  onTimeUp: (() => void) | undefined;
  readonly #exchange: Exchange;
  #controller: AbortController | undefined;
  /** Makes the reason for which the call has ended. */
  #ending: (() => RpcError) | undefined;
  #headers: string[] | undefined;
  #trailers: string[] | undefined;

  constructor(method: DescMethod, exchange: Exchange, baseUrl: string, timeoutMs?: number) {
    this.method = method;
    this.baseUrl = baseUrl;
    this.timeoutMs = timeoutMs;
    this.#exchange = exchange;
    if (timeoutMs !== undefined && timeoutMs <= MAX_TIMER_MS) {
      // Time runs from now on, not from when somebody asks for the signal.
      const timer = setTimeout(() => {
        this.#end(deadlineExceeded);
        this.onTimeUp?.();
      }, timeoutMs);
      exchange.onClose(() => {
        clearTimeout(timer);
        this.#end(cancelled);
      });
    }
  }

  get callerAddress(): string {
    return this.#exchange.callerAddress;
  }

  /** Whether the time is up, or the answer is out, or the caller has gone: what is to come makes no difference. */
  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ending !== undefined) {
        this.#controller.abort(this.#ending());
      } else {
        this.#exchange.onClose(() => this.#end(cancelled));
      }
    }
    return this.#controller.signal;
  }

  header(name: string): string | undefined {
    return this.#exchange.header(name);
  }

  headers(): Iterable<readonly [string, string]> {
    return this.#exchange.headers();
  }

  addHeader(name: string, value: string): void {
    this.#headers = added(this.#headers, name, value);
  }

  addTrailer(name: string, value: string): void {
    this.#trailers = added(this.#trailers, name, value);
  }

  /** Headers that were added to the answer. */
  get addedHeaders(): HeaderList {
    return this.#headers ?? NONE;
  }

  /** Trailers that were added to the answer. */
  get addedTrailers(): HeaderList {
    return this.#trailers ?? NONE;
  }

  #end(ending: () => RpcError): void {
    if (this.#ending === undefined) {
      this.#ending = ending;
      this.#controller?.abort(ending());
    }
  }
}

const NONE: HeaderList = [];

/** A list with one more header. Throws a TypeError for one that no answer can have, before it is too late for an error. */
function added(list: string[] = [], name: string, value: string): string[] {
  validateHeaderName(name);
  validateHeaderValue(name, value);
  list.push(name.toLowerCase(), value);
  return list;
}

/** The longest time that timers can be set to, about 24.8 days, in milliseconds; no call lives to see the end of it. */
export const MAX_TIMER_MS = 0x7fff_ffff;
