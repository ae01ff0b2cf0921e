import { turns } from "@utility-tools/http-server/portable";
import type { Exchange } from "../http/exchange.js";

/** Milliseconds for which a stream works until others get their turn. A turn for each message would cost 8 us. */
const SLICE = 2;

/** The clock is not read for this many messages after ones that took less than `SHORT` milliseconds: reading it costs a tenth of a message. */
const UNTIMED = 7;
const SHORT = 0.02;

/** Lets a stream work in slices of time, so that it never holds the event loop. */
export class Pace {
  readonly #exchange: Pick<Exchange, "queue" | "isClosed" | "onClose">;
  #until = 0;
  /** Ends the waits: a call of a closed exchange takes memory until it ends. */
  readonly #wakes = new Set<() => void>();
  /** The latest time that was read. */
  #readAt = 0;
  #untimed = 0;

  constructor(exchange: Pick<Exchange, "queue" | "isClosed" | "onClose">) {
    this.#exchange = exchange;
    exchange.onClose(() => {
      for (const wake of this.#wakes) {
        wake();
      }
    });
  }

  /** Called before each message. Returns undefined if the stream may continue, or a promise of its next slice or its end. */
  wait(): Promise<void> | undefined {
    if (this.#untimed > 0) {
      this.#untimed--;
      return undefined;
    }
    const now = performance.now();
    const isQuick = now - this.#readAt < SHORT;
    this.#readAt = now;
    if (now < this.#until || this.#exchange.isClosed) {
      if (isQuick) {
        this.#untimed = UNTIMED;
      }
      return undefined;
    }
    const left = turns.timeLeft();
    if (left > 0) {
      this.#until = now + Math.min(left, SLICE);
      return undefined;
    }
    return this.#turn();
  }

  async #turn(): Promise<void> {
    const { queue } = this.#exchange;
    let wake = (): void => {};
    const closed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#wakes.add(wake);
    await Promise.race([turns.wait(queue, () => this.#exchange.isClosed), closed]);
    this.#wakes.delete(wake);
    this.#until = performance.now() + SLICE;
  }
}
