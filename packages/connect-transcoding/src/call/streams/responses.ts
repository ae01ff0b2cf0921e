import type { ConnectError } from "@connectrpc/connect";
import type { BodyWriter, HeaderList } from "@utility-tools/http-server";
import type { MessageInit } from "../../codec/message-field.js";
import { withAdded } from "../../errors/metadata.js";
import { type End, joinParts, type StreamFormat, wholeResponse } from "../../protocols/format.js";
import type { OutgoingResponse } from "../../routes/encoding/representation.js";
import type { CallContext } from "../context.js";
import type { Exchange } from "../http/exchange.js";
import type { Pace } from "./pace.js";

/** Messages are sent together until they have this many bytes, or the handler waits for something. */
const MAX_BATCH = 32 * 1024;

/** Runs a function when all microtasks have run, so when handlers wait for something. */
const whenIdle: (run: () => void) => void = globalThis.process?.nextTick ?? ((run) => setTimeout(run, 0));

/** The response messages of a call. */
export class ResponseMessages {
  readonly #exchange: Exchange;
  readonly #format: StreamFormat;
  readonly #context: CallContext;
  readonly #pace: Pace;
  /** The headers, as they were at the first message. */
  #headers: HeaderList | undefined;
  #status = 200;
  #body: BodyWriter | undefined;
  #iterator: AsyncIterator<MessageInit> | undefined;
  #parts: Uint8Array[] = [];
  #size = 0;
  #isScheduled = false;
  #isOver = false;
  /** Pending while the client does not read. */
  #blocked: Promise<void> | undefined;
  #onReady: (() => void) | undefined;
  /** What follows once the client has read. */
  #end: End | undefined;

  constructor(exchange: Exchange, format: StreamFormat, context: CallContext, pace: Pace) {
    this.#exchange = exchange;
    this.#format = format;
    this.#context = context;
    this.#pace = pace;
  }

  /** Sends the messages as fast as the client reads them. Rejects with what the handler throws. */
  async send(messages: AsyncIterable<MessageInit>): Promise<void> {
    const iterator = messages[Symbol.asyncIterator]();
    this.#iterator = iterator;
    if (this.#isOver) {
      this.close();
    }
    while (!this.#isOver) {
      let result: IteratorResult<MessageInit>;
      try {
        result = await iterator.next();
      } catch (thrown) {
        // An iteration that has ended or failed is not stopped again.
        this.#iterator = undefined;
        throw thrown;
      }
      if (result.done === true) {
        this.#iterator = undefined;
      }
      if (this.#isOver) {
        return;
      }
      this.#context.checkDeadline();
      if (result.done === true) {
        this.end();
        return;
      }
      const part = this.#format.writeMessage(result.value);
      this.#headers ??= this.#readHead();
      const pause = this.#add(part instanceof Promise ? await part : part) ?? this.#pace.wait();
      if (pause !== undefined) {
        await pause;
      }
    }
  }

  /** Ends the response. Throws, and sends nothing, for invalid headers. */
  end(error?: ConnectError): void {
    if (this.#isOver) {
      return;
    }
    const { addedTrailers } = this.#context;
    if (error !== undefined && this.#headers === undefined) {
      this.#whole(this.#format.fail(error, this.#context.addedHeaders, addedTrailers));
      return;
    }
    const end = this.#format.end(error, addedTrailers);
    if (end === undefined) {
      this.#isOver = true;
      this.#exchange.abort();
      return;
    }
    if (this.#body === undefined) {
      const headers = this.#headers ?? this.#readHead();
      this.#whole(wholeResponse(this.#status, headers, this.#parts, end));
      return;
    }
    if (end.body !== undefined) {
      this.#parts.push(end.body);
    }
    this.#isOver = true;
    if (this.#blocked === undefined) {
      this.#body.end(joinParts(this.#parts), end.trailers);
    } else {
      // After what the client has not read yet.
      this.#end = end;
    }
  }

  /** Stops the handler: the client has disconnected, the deadline has expired, or the response has been sent. */
  close(): void {
    this.#isOver = true;
    this.#onReady?.();
    const iterator = this.#iterator;
    this.#iterator = undefined;
    // Runs the `finally` blocks of the handler. Its result is of no use any more.
    iterator?.return?.().then(undefined, () => {});
  }

  /** Sets the status, and returns the headers. Throws a TypeError for a status that the response cannot have. */
  #readHead(): HeaderList {
    this.#status = this.#format.streamStatus(this.#context.httpStatus);
    return withAdded(this.#format.headers, this.#context.addedHeaders);
  }

  /** A response that has ended before its first messages were sent needs no stream. */
  #whole(response: OutgoingResponse): void {
    this.#isOver = true;
    this.#exchange.respond(response);
  }

  /** Returns a promise if the client does not read. */
  #add(part: Uint8Array): Promise<void> | undefined {
    this.#parts.push(part);
    this.#size += part.length;
    if (this.#blocked !== undefined) {
      // One message at most waits here: what waits in the server counts in its budget.
      return this.#blocked;
    }
    if (this.#size >= MAX_BATCH) {
      this.#flush();
      return this.#blocked;
    }
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      whenIdle(this.#flushLater);
    }
    return undefined;
  }

  readonly #flushLater = (): void => {
    this.#isScheduled = false;
    if (!this.#isOver && this.#blocked === undefined && this.#parts.length > 0) {
      try {
        this.#flush();
      } catch {
        // A header is invalid.
        this.#exchange.abort();
      }
    }
  };

  #flush(): void {
    this.#body ??= this.#exchange.openResponse(this.#status, this.#headers ?? []);
    const bytes = joinParts(this.#parts);
    this.#parts = [];
    this.#size = 0;
    if (!this.#body.write(bytes, this.#resume)) {
      this.#blocked = new Promise((resolve) => {
        this.#onReady = resolve;
      });
    }
  }

  /** Called when the client has read what was written. */
  readonly #resume = (): void => {
    this.#blocked = undefined;
    this.#onReady?.();
    this.#onReady = undefined;
    if (this.#end !== undefined) {
      this.#body?.end(joinParts(this.#parts), this.#end.trailers);
    } else if (!this.#isOver && this.#parts.length > 0) {
      this.#flush();
    }
  };
}
