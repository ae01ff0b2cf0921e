import type { ConnectError } from "@connectrpc/connect";
import type { ClientConnection } from "@utility-tools/http-server/client";
import { notBegun } from "./unavailable.js";

/** An HTTP/2 connection, and when it was last known to be alive. */
export interface UpstreamSession {
  readonly connection: ClientConnection;
  /** When a part of a response was received, and when a PING was sent; times of `performance.now()`. */
  aliveAt: number;
  pingedAt: number;
}

/** A call without a connection. */
export interface WaitingCall {
  /** Called with a connection that has room for the call. */
  onSession(session: UpstreamSession): void;
  /** Called when the wait has ended without a connection. */
  onNoSession(error: ConnectError): void;
}

/** The limits of the calls that wait for an upstream, and of what they have written. */
export const MAX_WAITING_CALLS = 10_000;
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** What is kept of a call: the bytes that it has written, and the timer of its wait. */
interface Entry {
  bytes: number;
  readonly timer: ReturnType<typeof setTimeout> | undefined;
}

/** The calls that wait for a connection, in their order. */
export class WaitingCalls {
  readonly #entries = new Map<WaitingCall, Entry>();
  #bytes = 0;

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Adds a call. At the limit, it fails at once.
   *
   * @param wait the longest wait in milliseconds; 0 for the result of the next attempt to connect
   * @param problem returns the error at the end of the wait
   */
  add(call: WaitingCall, wait: number, problem: () => ConnectError): void {
    if (this.#entries.size >= MAX_WAITING_CALLS) {
      call.onNoSession(notBegun("too many calls wait for the upstream server"));
      return;
    }
    const expire = (): void => {
      this.delete(call);
      call.onNoSession(problem());
    };
    this.#entries.set(call, { bytes: 0, timer: wait > 0 ? setTimeout(expire, wait) : undefined });
  }

  /** Counts bytes that a call has written. Returns false at the limit. */
  hold(call: WaitingCall, bytes: number): boolean {
    const entry = this.#entries.get(call);
    if (entry === undefined) {
      return true;
    }
    if (this.#bytes + bytes > MAX_WAITING_BYTES) {
      return false;
    }
    entry.bytes += bytes;
    this.#bytes += bytes;
    return true;
  }

  delete(call: WaitingCall): void {
    const entry = this.#entries.get(call);
    if (entry !== undefined) {
      clearTimeout(entry.timer);
      this.#bytes -= entry.bytes;
      this.#entries.delete(call);
    }
  }

  /** Gives calls to the connections that `next` returns, until it returns undefined. */
  serve(next: () => UpstreamSession | undefined): void {
    for (const call of this.#entries.keys()) {
      const session = next();
      if (session === undefined) {
        return;
      }
      this.delete(call);
      call.onSession(session);
    }
  }

  /** Fails the calls that wait for one attempt alone, or all. */
  fail(error: ConnectError, which: "impatient" | "all"): void {
    for (const [call, { timer }] of this.#entries) {
      if (which === "all" || timer === undefined) {
        this.delete(call);
        call.onNoSession(error);
      }
    }
  }
}
