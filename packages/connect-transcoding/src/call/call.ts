import type { ConnectError } from "@connectrpc/connect";
import type { MessageInit } from "../codec/message-field.js";
import { deadlineExceeded } from "../errors/errors.js";
import type { ToError } from "../errors/to-error.js";
import type { Format, StreamFormat } from "../protocols/format.js";
import type { OutgoingResponse } from "../routes/encoding/representation.js";
import type { RequestGate } from "../routes/route-options.js";
import type { ServedMethod } from "../routes/served-methods.js";
import { CallContext, type ContextOptions } from "./context.js";
import type { Exchange } from "./http/exchange.js";
import type { CallInput, CallOutput, Invoke } from "./invoke.js";
import { settle } from "./settle.js";
import { Pace } from "./streams/pace.js";
import { RequestMessages } from "./streams/requests.js";
import { ResponseMessages } from "./streams/responses.js";

/** The memory of a call that streams, in bytes. */
const STREAM_BYTES = 8 * 1024;

/** Orchestrators restart a process whose health check takes long. */
const HEALTH = "grpc.health.v1.Health";

const NO_BODY: Uint8Array = new Uint8Array();

/** What the calls of one adapter share. */
export interface CallOptions extends ContextOptions {
  readonly toError: ToError;
  /** Returns the function that calls the implementation of a method. */
  readonly invokerOf: (served: ServedMethod) => Invoke;
}

/** Serves one call of any kind in any protocol. Never throws. */
export function startCall(options: CallOptions, exchange: Exchange, baseUrl: string, format: Format): void {
  new Call(options, exchange, baseUrl, format).start();
}

/** Reads the request, calls the handler and sends the response. A class, because one is created for every request. */
class Call {
  readonly #options: CallOptions;
  readonly #exchange: Exchange;
  readonly #format: Format;
  readonly #context: CallContext;
  #requests: RequestMessages | undefined;
  #responses: ResponseMessages | undefined;
  #pace: Pace | undefined;
  #hasFailed = false;

  constructor(options: CallOptions, exchange: Exchange, baseUrl: string, format: Format) {
    this.#options = options;
    this.#exchange = exchange;
    this.#format = format;
    this.#context = new CallContext(format, exchange, baseUrl, options);
    if (format.timeoutMs !== undefined) {
      // The deadline can expire before the request has arrived, and ends streams at once.
      this.#context.onTimeout = () => this.#fail(deadlineExceeded());
    }
  }

  start(): void {
    const gate = this.#format.knownMethod?.options.requestGate;
    if (gate === undefined) {
      this.#receive();
    } else {
      this.#pass(gate, () => this.#receive());
    }
  }

  /** Calls the gate of the method, then `proceed`. Meanwhile the client may disconnect, or the deadline expire. */
  #pass(gate: RequestGate, proceed: () => void): void {
    this.#exchange.method = this.#format.served.method;
    settle(
      () => {
        // A thenable of another library is awaited too.
        const passed: unknown = gate(this.#context);
        return passed === undefined ? undefined : Promise.resolve(passed).then(() => this.#exchange.turn());
      },
      () => {
        if (!this.#hasFailed && !this.#exchange.isClosed) {
          proceed();
        }
      },
      (thrown) => this.#fail(thrown),
    );
  }

  #receive(): void {
    const format = this.#format;
    if (format.problem !== undefined) {
      this.#fail(format.problem);
    } else if (format.streams?.takesStream === true) {
      this.#readStream(format.streams);
    } else if (format.maxBodyBytes === undefined) {
      this.#read(NO_BODY);
    } else {
      const goesFirst = format.knownMethod?.method.parent.typeName === HEALTH;
      this.#exchange.readBody(format.maxBodyBytes, (body) => this.#read(body), goesFirst);
    }
  }

  #readStream(format: StreamFormat): void {
    settle(
      () => {
        const reader = format.openRequest();
        this.#requests = new RequestMessages(this.#exchange, reader, this.#stream());
        return this.#requests;
      },
      (requests) => this.#run(requests),
      (thrown) => this.#fail(thrown),
    );
  }

  #read(body: Uint8Array | "too large"): void {
    if (this.#hasFailed || this.#context.hasEnded) {
      return;
    }
    try {
      if (body === "too large") {
        throw this.#format.tooLarge();
      }
      const message = this.#format.readOne(body);
      if (message instanceof Promise) {
        message.then((each) => this.#run(each)).catch((thrown: unknown) => this.#fail(thrown));
      } else {
        this.#run(message);
      }
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #run(input: CallInput): void {
    if (this.#exchange.isClosed) {
      // The client has disconnected while its message was decompressed.
      return;
    }
    const { served, knownMethod } = this.#format;
    const gate = knownMethod === undefined ? served.options.requestGate : undefined;
    if (gate === undefined) {
      this.#invoke(input);
    } else {
      this.#pass(gate, () => this.#invoke(input));
    }
  }

  #invoke(input: CallInput): void {
    const { served, early, streams } = this.#format;
    this.#exchange.method = served.method;
    if (early !== undefined) {
      this.#exchange.respond(early);
      return;
    }
    settle<CallOutput>(
      () => {
        // The timer of the deadline is late while the process is busy.
        this.#context.checkDeadline();
        if (served.givesStream && streams !== undefined) {
          this.#responses = new ResponseMessages(this.#exchange, streams, this.#context, this.#stream());
        }
        return this.#options.invokerOf(served)(input, this.#context);
      },
      (output) => {
        if (this.#responses !== undefined) {
          return this.#responses.send(output as AsyncIterable<MessageInit>);
        }
        this.#context.checkDeadline();
        return this.#respond(output as MessageInit);
      },
      (thrown) => this.#fail(thrown),
    );
  }

  /** Prepares a stream of messages, once for both directions. */
  #stream(): Pace {
    if (this.#pace === undefined) {
      this.#pace = new Pace(this.#exchange);
      this.#exchange.holdMemory(STREAM_BYTES);
      this.#exchange.onClose(() => this.#close());
    }
    return this.#pace;
  }

  #respond(message: MessageInit): void | Promise<void> {
    const { addedHeaders, addedTrailers, httpStatus } = this.#context;
    const response = this.#format.respond(message, addedHeaders, addedTrailers, httpStatus);
    if (response instanceof Promise) {
      return response.then((each) => this.#send(each));
    }
    this.#send(response);
  }

  /** The deadline may have expired while the response was compressed. */
  #send(response: OutgoingResponse): void {
    if (!this.#hasFailed) {
      this.#exchange.respond(response);
      this.#requests?.close();
    }
  }

  #fail(thrown: unknown): void {
    if (this.#hasFailed) {
      return;
    }
    this.#hasFailed = true;
    const { toError } = this.#options;
    try {
      // The context has a method only once the request has been read.
      const call = { method: this.#exchange.method, endReason: this.#context.endReason };
      const error = this.#format.toClientError(toError(thrown, call));
      // Of a request that is over, its record says why: the client has disconnected, or was too slow.
      if (!this.#exchange.isClosed) {
        this.#exchange.code = error.code;
        this.#context.removeInvalidHeaders();
        this.#sendError(error);
      }
    } catch (unexpected) {
      toError(unexpected);
      this.#exchange.abort();
    }
    this.#close();
  }

  #sendError(error: ConnectError): void {
    if (this.#responses !== undefined) {
      this.#responses.end(error);
      return;
    }
    const { addedHeaders, addedTrailers } = this.#context;
    this.#exchange.respond(this.#format.fail(error, addedHeaders, addedTrailers));
  }

  /** Ends both streams. */
  #close(): void {
    this.#requests?.close();
    this.#responses?.close();
  }
}
