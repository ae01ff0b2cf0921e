import { ConnectError } from "@connectrpc/connect";
import type { HeaderSection } from "@utility-tools/http-server/client";
import { PREFIX_BYTES, type RawRequest } from "connect-transcoding";
import type { CallListener, UpstreamCall } from "../grpc/call.js";
import { statusError } from "../grpc/status.js";
import { ownStatus, type RelayEnd, responseHeaders, statusList, type WireForm } from "./forms.js";
import { FrameLimit, frameTooLarge } from "./frame-limit.js";

type Writer = ReturnType<RawRequest["openResponse"]>;

/** What the responses of a method have in common. */
export interface ResponseOptions {
  readonly form: WireForm;
  readonly isStream: boolean;
  /** The limit of a message in bytes. */
  readonly limit: number;
}

/**
 * Passes the response of an upstream to a client. A response with one message is sent whole, and a stream part by part, as fast as the client
 * reads. As long as nothing was sent, the call can be tried again.
 */
export class ResponseRelay implements CallListener {
  readonly #request: RawRequest;
  readonly #options: ResponseOptions;
  readonly #limit: FrameLimit;
  readonly #call: (() => UpstreamCall) | undefined;
  readonly #settle: (error: ConnectError | undefined) => void;
  readonly #onDrain: (() => void) | undefined;
  #head: HeaderSection | undefined;
  #parts: Buffer[] = [];
  #size = 0;
  #writer: Writer | undefined;
  /** The status, in the form of the client. */
  #status: readonly string[] = [];
  #error: ConnectError | undefined;

  /** @param settle called once at the end; with the error if nothing was sent, so that `refuse` must follow */
  constructor(
    request: RawRequest,
    options: ResponseOptions,
    call: (() => UpstreamCall) | undefined,
    settle: (error: ConnectError | undefined) => void,
    onDrain?: () => void,
  ) {
    this.#request = request;
    this.#options = options;
    this.#limit = new FrameLimit(options.limit);
    this.#call = call;
    this.#settle = settle;
    this.#onDrain = onDrain;
  }

  onHead(head: HeaderSection): void {
    this.#head = head;
  }

  onData(bytes: Buffer): void {
    try {
      this.#limit.pass(bytes);
      if (!this.#options.isStream) {
        this.#parts.push(bytes);
        this.#size += bytes.length;
        if (this.#size > this.#options.limit + PREFIX_BYTES) {
          throw frameTooLarge(this.#options.limit);
        }
        return;
      }
      this.#writer ??= this.#open(this.#head);
      if (!this.#writer.write(bytes, () => this.#call?.().resume())) {
        this.#call?.().pause();
      }
    } catch (thrown) {
      this.#call?.().cancel(ConnectError.from(thrown));
    }
  }

  onEnd(trailers: HeaderSection): void {
    this.#error = statusError(trailers);
    this.#status = statusList(trailers, this.#error);
    this.#finish();
  }

  onError(error: ConnectError): void {
    this.#error = error;
    this.#status = ownStatus(error);
    this.#finish();
  }

  onDrain(): void {
    this.#onDrain?.();
  }

  #finish(): void {
    const error = this.#error;
    this.#request.code = error?.code;
    if (this.#writer !== undefined) {
      const { body, trailers } = this.#end();
      this.#writer.end(body, trailers);
      this.#settle(undefined);
    } else if (error === undefined) {
      this.#respond();
      this.#settle(undefined);
    } else {
      this.#settle(error);
    }
  }

  /** Sends the error that `settle` was called with. */
  refuse(): void {
    this.#parts = [];
    this.#respond();
  }

  #open(head: HeaderSection | undefined): Writer {
    return this.#request.openResponse(200, responseHeaders(this.#options.form, head));
  }

  #end(): RelayEnd {
    return this.#options.form.end(this.#status);
  }

  #respond(): void {
    const { body: last, trailers } = this.#end();
    const parts = last === undefined ? this.#parts : [...this.#parts, last];
    const [only = Buffer.alloc(0)] = parts;
    const body = parts.length > 1 ? Buffer.concat(parts) : only;
    const { form } = this.#options;
    // An upstream without messages has sent its metadata in the trailers.
    const head = this.#head?.get("grpc-status") === undefined ? this.#head : undefined;
    const headers = head === undefined ? form.headers : responseHeaders(form, head);
    if (head === undefined && trailers !== undefined) {
      this.#request.respond({ status: 200, headers: [...headers, ...trailers], body: "", length: 0 });
      return;
    }
    this.#request.respond({
      status: 200,
      headers,
      body,
      length: body.length,
      ...(trailers !== undefined && { trailers }),
    });
  }
}
