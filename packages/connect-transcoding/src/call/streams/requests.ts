import type { Message } from "@bufbuild/protobuf";
import type { BodyReader } from "@utility-tools/http-server";
import { cancelled } from "../../errors/errors.js";
import type { MessageReader } from "../../routes/binding/message-stream.js";
import type { Exchange } from "../http/exchange.js";
import type { Pace } from "./pace.js";

type Result = IteratorResult<Message>;

const DONE: Result = { done: true, value: undefined };

/** The request messages of a call. Each is read when the handler asks for it, so few are in memory. */
export class RequestMessages implements AsyncIterableIterator<Message> {
  readonly #pace: Pace;
  readonly #reader: MessageReader;
  readonly #body: BodyReader;
  #hasEnded = false;
  #isClosed = false;
  #isDone = false;
  /** Set while the handler waits for a message. */
  #waiting: { resolve(result: Result | Promise<Result>): void; reject(reason: unknown): void } | undefined;
  /** The latest result, while it is pending. */
  #last: Promise<Result> | undefined;

  constructor(exchange: Exchange, reader: MessageReader, pace: Pace) {
    this.#pace = pace;
    this.#reader = reader;
    this.#body = exchange.openBody(() => this.#onChange());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const last = this.#last;
    if (last !== undefined) {
      const next = (): Promise<Result> => this.#next();
      return this.#track(last.then(next, next));
    }
    const pause = this.#pace.wait();
    if (pause !== undefined) {
      return this.#track(pause.then(() => this.#next()));
    }
    const result = this.#next();
    return this.#waiting === undefined ? result : this.#track(result);
  }

  /** Remembers a result that is pending: later ones wait for it. */
  #track(result: Promise<Result>): Promise<Result> {
    this.#last = result;
    const forget = (): void => {
      if (this.#last === result) {
        this.#last = undefined;
      }
    };
    result.then(forget, forget);
    return result;
  }

  async return(): Promise<Result> {
    this.#isDone = true;
    return DONE;
  }

  /** Called when the client has disconnected or the call is over: a handler that still reads gets an error. */
  close(): void {
    this.#isClosed = true;
    this.#onChange();
  }

  #next(): Promise<Result> {
    try {
      const result = this.#read();
      if (result !== undefined) {
        return result instanceof Promise ? result : Promise.resolve(result);
      }
    } catch (thrown) {
      return Promise.reject(thrown);
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #onChange(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) {
      return;
    }
    try {
      const result = this.#read();
      if (result !== undefined) {
        this.#waiting = undefined;
        waiting.resolve(result);
      }
    } catch (thrown) {
      this.#waiting = undefined;
      waiting.reject(thrown);
    }
  }

  /** The next message, or the end; undefined if neither has arrived. */
  #read(): Result | Promise<Result> | undefined {
    try {
      while (!this.#isDone) {
        if (this.#isClosed) {
          throw cancelled();
        }
        const message = this.#reader.next();
        if (message instanceof Promise) {
          return message.then((value) => ({ done: false, value }));
        }
        if (message !== undefined) {
          return { done: false, value: message };
        }
        if (!this.#receive()) {
          return undefined;
        }
      }
      return DONE;
    } catch (thrown) {
      this.#isDone = true;
      throw thrown;
    }
  }

  /** Adds the bytes that have arrived. Returns whether anything has changed. */
  #receive(): boolean {
    const part = this.#body.take();
    if (part !== undefined) {
      this.#reader.push(part);
    } else if (!this.#body.isTaken) {
      this.#body.retain(this.#reader.length);
      return false;
    } else if (this.#hasEnded) {
      this.#isDone = true;
    } else {
      this.#hasEnded = true;
      this.#reader.end();
    }
    this.#body.retain(this.#reader.length);
    return true;
  }
}
