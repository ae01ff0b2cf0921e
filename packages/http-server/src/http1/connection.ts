import type { Socket } from "node:net";
import type { ByteHolder } from "../core/byte-budget.js";
import { MAX_DISCARDED } from "../core/incoming-body.js";
import { Input, type InputHandler } from "../core/input.js";
import { badRequest, type Rejection, rejection } from "../core/rejection.js";
import { type RuleContext, rejectionOf } from "../core/rules.js";
import type { ConnectionOptions } from "../options.js";
import type { ServedConnection } from "../port/connections.js";
import type { BodyWriter, HeaderList, ServerConnection } from "../request.js";
import { type Http1Head, parseHead, rejectIncomplete } from "./head-parser.js";
import { Http1Request } from "./http1-request.js";
import { Output } from "./output.js";
import { type Framing, framingOf, responseHead } from "./response-head.js";
import { ResponseWriter } from "./response-writer.js";
import { type Activity, type Snapshot, Stopwatch } from "./timeouts.js";

/** The number of requests and chunks, and of bytes, after which the time is compared. */
const CLOCK_INTERVAL = 2;
const CLOCK_BYTES = 8_192;
/** The maximum length of a text that is sent with its head in one write. */
const MAX_TEXT = 65_536;

/** The number of connections that are still read after their last response; further ones are closed at once. */
const MAX_LINGERING = 512;

const HEAD_END = Buffer.from("\r\n\r\n");
const CR = 0x0d;
const LF = 0x0a;

/** Serves HTTP/1.1 and HTTP/1.0 on a connection (RFC 9112). A class, because its fields change with every request. */
export class Http1Connection implements ServedConnection, ServerConnection, ByteHolder, InputHandler {
  readonly socket: Socket;
  readonly peerAddress: string;
  readonly isSecure: boolean;
  readonly #options: ConnectionOptions;
  readonly #rules: RuleContext;
  readonly #input: Input;
  readonly #output: Output;
  readonly #stopwatch: Stopwatch;
  /** The request whose response is not complete. */
  #current: Http1Request | undefined;
  /** The request whose body is not complete: the current one, or the one before it. */
  #receiving: Http1Request | undefined;
  /** The response of the current request, if it is written part by part. */
  #writer: ResponseWriter | undefined;
  /** The number of requests so far. */
  #requests = 0;
  /** The held bytes that have been reported to the budget. */
  #reported = 0;
  /** The number of bytes that bodies and handlers hold. */
  #heldByRequests = 0;
  /** The number of bytes of an incomplete head that have been examined. */
  #examined = 0;
  #isParsing = false;
  /** Whether input follows what is being parsed. */
  #hasMore = false;
  /** Whether the connection closes after the response to the current request. */
  #isLast = false;
  /** Whether the last response is complete. If so, further input is discarded. */
  #isEnding = false;
  /** Whether this half of the connection has been closed. */
  #hasEnded = false;
  /** The number of bytes that have been discarded since the last response, or of a body after its response. */
  #discarded = 0;
  #isGone = false;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.socket = socket;
    this.peerAddress = socket.remoteAddress ?? "";
    this.isSecure = "encrypted" in socket;
    this.#options = options;
    this.#rules = {
      methods: options.methods,
      isSecure: this.isSecure,
      isGateway: options.isGateway(this.peerAddress),
    };
    this.#output = new Output(socket, () => this.#onDrain());
    this.#stopwatch = new Stopwatch(options);
    this.#input = new Input(socket, this);
    socket.on("close", () => this.#disconnect());
    socket.on("drain", () => this.#onDrain());
    // The socket closes after an error.
    socket.on("error", () => {});
    socket.resume();
  }

  // Input.

  handleInput(bytes: Buffer, until: number): number {
    this.#isParsing = true;
    const at = this.#parse(bytes, until);
    this.#isParsing = false;
    if (this.#isGone) {
      return bytes.length;
    }
    if (this.#isEnding) {
      if (!this.#hasEnded) {
        this.#end(at < bytes.length || this.#receiving !== undefined);
      }
      this.#discard(bytes.length - at);
      return bytes.length;
    }
    this.#output.flush();
    this.#current?.keepBody();
    return at;
  }

  /** Serves the requests in the input. Returns the position of the input that must wait. */
  #parse(bytes: Buffer, until: number): number {
    let at = 0;
    let looked = 0;
    for (let count = 1; at < bytes.length && !this.#isEnding && !this.#isGone; count++) {
      const start = at;
      if (this.#receiving !== undefined) {
        if (!this.#receiving.isBodyWanted) {
          this.#input.stop = "blocked";
          break;
        }
        at = this.#readBody(this.#receiving, bytes, at);
      } else if (this.#current !== undefined || this.#output.isBlocked) {
        this.#input.stop = "blocked";
        break;
      } else {
        at = this.#readHead(bytes, at);
      }
      if (at === start) {
        break;
      }
      if (count % CLOCK_INTERVAL === 0 || at - looked >= CLOCK_BYTES) {
        looked = at;
        if (performance.now() >= until) {
          this.#input.stop = "time";
          break;
        }
      }
    }
    return at;
  }

  /** Returns the position after the head, the same if it is incomplete. */
  #readHead(bytes: Buffer, at: number): number {
    if (bytes[at] === CR && (bytes[at + 1] ?? LF) === LF) {
      // Empty lines before a request are ignored (RFC 9112, section 2.2).
      return at + 1 < bytes.length ? at + 2 : at;
    }
    const examined = this.#examined;
    const end = bytes.indexOf(HEAD_END, Math.max(at, at + examined - HEAD_END.length + 1));
    if (end < 0) {
      const problem = rejectIncomplete(bytes, at, at + examined, this.#options);
      this.#examined = bytes.length - at;
      if (problem !== undefined) {
        this.#reject(problem);
      }
      return at;
    }
    this.#examined = 0;
    const head = parseHead(bytes, at, end + HEAD_END.length, this.#options);
    if ("status" in head) {
      this.#reject(head);
      return at;
    }
    return this.#begin(head, bytes, end + HEAD_END.length);
  }

  /** Begins a request. Returns the position after its body, or where that begins. */
  #begin(head: Http1Head, bytes: Buffer, at: number): number {
    this.#requests += 1;
    this.#isLast = head.isLast;
    const request = new Http1Request(this, head, this.#options);
    this.#current = request;
    let end = at;
    if (!request.isEnded) {
      end = request.takeWholeBody(bytes, at);
      if (!request.isEnded) {
        this.#receiving = request;
        this.#discarded = 0;
      }
    }
    this.#hasMore = end < bytes.length;
    const problem = rejectionOf(head.method, head.scheme, head.expect, this.#rules);
    if (problem === undefined) {
      this.#options.onRequest(request);
    } else {
      this.#options.onReject(problem, this.peerAddress);
      const { headers, body } = this.#options.formatRejection(problem);
      request.respond(problem.status, headers, body);
    }
    return end;
  }

  /** Returns the position after what has been read of a body, the same if more bytes are needed. */
  #readBody(request: Http1Request, bytes: Buffer, at: number): number {
    this.#hasMore = true;
    const end = request.take(bytes, at);
    if (request.problem !== undefined) {
      this.#reject(request.problem);
    } else if (request.isEnded) {
      this.#receiving = undefined;
    } else if (request.isClosed) {
      this.#discarded += end - at;
      if (this.#discarded > MAX_DISCARDED) {
        this.#end(true);
      }
    }
    return end;
  }

  /** Counts input after the last response. */
  #discard(bytes: number): void {
    this.#discarded += bytes;
    if (this.#discarded > MAX_DISCARDED) {
      this.destroy();
    }
  }

  /** Called when the client has closed its half. It waits for the response, or it has disconnected: the two look the same. */
  endInput(): void {
    const request = this.#current;
    if (this.#isEnding) {
      this.#output.end(() => this.socket.destroySoon());
    } else if (this.#input.rest !== undefined || (this.#receiving !== undefined && request !== undefined)) {
      this.#reject(badRequest("the request is incomplete"));
    } else if (request === undefined) {
      this.#end(false);
    } else {
      this.#isLast = true;
    }
  }

  #onDrain(): void {
    this.#writer?.onDrain();
    this.updateBudget();
    this.resume();
  }

  /** Continues with input that waited for a response, for the client to read, or for the reader of a body. */
  resume(): void {
    if (!this.#isParsing) {
      this.#input.resume();
    }
  }

  // Requests.

  get isOverdrawn(): boolean {
    return this.#options.budget.isOverdrawn(this);
  }

  /** Adds to the number of bytes that the connection holds. */
  hold(bytes: number): void {
    this.#heldByRequests += bytes;
    if (bytes > 0 && !this.#isParsing) {
      this.updateBudget();
    }
  }

  /** Asks for a body (RFC 9110, section 10.1.1). */
  inform(): void {
    this.#output.addText("HTTP/1.1 100 Continue\r\n\r\n");
    this.#flushLater();
  }

  respond(
    request: Http1Request,
    status: number,
    headers: HeaderList,
    body: string | Uint8Array | undefined,
    trailers: HeaderList | undefined,
  ): void {
    if (trailers !== undefined && trailers.length > 0 && request.httpVersion === "1.1") {
      this.openResponse(request, status, headers).end(
        typeof body === "string" ? Buffer.from(body) : body,
        trailers,
      );
      return;
    }
    const length = lengthOf(body);
    const framing = framingOf(request, status, length);
    const head = this.#formatHead(request, status, headers, framing);
    request.hasResponse = true;
    if (typeof framing !== "number" || body === undefined) {
      this.#output.addText(head);
    } else if (typeof body === "string" && length === body.length && length <= MAX_TEXT) {
      // The text is ASCII, which is the same in UTF-8 and in ISO 8859-1.
      this.#output.addText(head + body);
    } else {
      this.#output.addText(head);
      this.#output.addBytes(typeof body === "string" ? Buffer.from(body) : body);
    }
    this.#complete(request);
  }

  openResponse(request: Http1Request, status: number, headers: HeaderList): BodyWriter {
    const framing = framingOf(request, status, undefined);
    this.#isLast ||= framing === "close";
    const head = this.#formatHead(request, status, headers, framing);
    request.hasResponse = true;
    this.#output.addText(head);
    this.#writer = new ResponseWriter(this.#output, framing, () => this.#complete(request));
    // The first part of the body may follow at once.
    this.#flushLater();
    return this.#writer;
  }

  #flushLater(): void {
    if (!this.#isParsing) {
      process.nextTick(() => this.#output.flush());
    }
  }

  #formatHead(request: Http1Request, status: number, headers: HeaderList, framing: Framing): string {
    this.#isLast ||=
      this.#options.isStopping() ||
      (this.#input.hasEnded && !this.#hasInput) ||
      // The rest of a body is discarded after its response, unless it is long, or the client may not send it.
      (!request.isEnded && (request.expectsContinue || this.#isLong(request)));
    return responseHead(status, headers, framing, this.#isLast);
  }

  /** Whether further requests may have arrived. */
  get #hasInput(): boolean {
    return this.#isParsing ? this.#hasMore : this.#input.rest !== undefined;
  }

  /** Whether the rest of a body is longer than what is discarded. */
  #isLong({ missing }: Http1Request): boolean {
    return missing > MAX_DISCARDED && Number.isFinite(missing);
  }

  /** Called when the response has been passed to the output. */
  #complete(request: Http1Request): void {
    if (request !== this.#current) {
      return;
    }
    this.#current = undefined;
    this.#writer = undefined;
    this.#isEnding = this.#isLast;
    request.close();
    if (this.#isParsing) {
      return;
    }
    if (this.#isEnding) {
      this.#end(this.#input.held > 0 || this.#receiving !== undefined);
    } else {
      this.#output.flush();
      this.updateBudget();
      this.resume();
    }
  }

  destroy(): void {
    this.socket.destroy();
    this.#disconnect();
  }

  evict(): void {
    this.destroy();
  }

  #disconnect(): void {
    this.#isEnding = true;
    this.#isGone = true;
    this.#options.lingering.delete(this);
    this.#input.close();
    const request = this.#current;
    this.#current = undefined;
    this.#receiving = undefined;
    this.#writer?.close();
    request?.close();
    this.#heldByRequests = 0;
    this.updateBudget();
  }

  // The end.

  /** Responds to an invalid or incomplete request and ends the connection. */
  #reject(problem: Rejection): void {
    const request = this.#current;
    const isReceived = request !== undefined;
    if (isReceived ? request.hasResponse : this.#receiving !== undefined) {
      // Only the rest of a request that has its response is missing or invalid.
      this.destroy();
      return;
    }
    if (isReceived) {
      request.rejectedWith = problem.status;
      this.#current = undefined;
      request.close();
    } else {
      this.#options.onReject(problem, this.peerAddress);
    }
    const { headers, body } = this.#options.formatRejection(problem);
    this.#output.addText(responseHead(problem.status, headers, Buffer.byteLength(body), true));
    this.#output.addBytes(Buffer.from(body));
    this.#end(true);
  }

  /**
   * Ends the connection. If the client may still be sending, reads and discards data until the client closes its half or stops
   * sending: closing a connection with unread data resets it, and the reset can arrive before the response (RFC 9112,
   * section 9.6).
   */
  #end(lingers: boolean): void {
    const { socket } = this;
    this.#isEnding = true;
    this.#hasEnded = true;
    this.#receiving = undefined;
    this.#discarded = 0;
    const { lingering } = this.#options;
    const isDone = !lingers || this.#input.hasEnded || lingering.size >= MAX_LINGERING;
    if (!isDone) {
      lingering.add(this);
    }
    this.#output.end(() => (isDone ? socket.destroySoon() : socket.end()));
    this.updateBudget();
    this.resume();
  }

  updateBudget(): void {
    const request = this.#current;
    const held = this.#isGone
      ? 0
      : this.#output.held +
        this.#input.held +
        this.#heldByRequests +
        (this.#writer?.held ?? 0) +
        (request === undefined ? 0 : request.ownBytes);
    if (held !== this.#reported) {
      this.#reported = held;
      this.#options.budget.set(this, held);
    }
  }

  check(now: number): void {
    if (this.#isGone || this.socket.destroyed) {
      return;
    }
    this.updateBudget();
    switch (this.#stopwatch.check(this.#snapshot(), now)) {
      case undefined:
        return;
      case "head":
        this.#reject(rejection("REQUEST_TIMEOUT", "the header section did not arrive in time"));
        return;
      case "body":
        this.#reject(rejection("REQUEST_TIMEOUT", "the body did not arrive in time"));
        return;
      case "idle":
        this.#end(false);
        return;
      default:
        this.destroy();
    }
  }

  get idleSince(): number | undefined {
    return this.#isGone ? undefined : this.#stopwatch.idleSince(this.#snapshot());
  }

  get isLingering(): boolean {
    return this.#isEnding && !this.#isGone;
  }

  shutDown(now: number, isLate: boolean): void {
    this.check(now);
    if (isLate && !this.#isGone && this.#activity() === "idle") {
      this.#end(false);
    }
  }

  #snapshot(): Snapshot {
    return {
      activity: this.#activity(),
      requests: this.#requests,
      unsent: this.#output.unsent,
      sent: this.#output.sent,
      received: this.socket.bytesRead,
      isOpenEnded: this.#receiving !== undefined && this.#options.isOpenEnded(this.#receiving.target),
      isStopping: this.#options.isStopping(),
    };
  }

  #activity(): Activity {
    if (this.#isEnding) {
      return this.#output.unsent > 0 ? "output" : "end";
    }
    if (this.#input.isQueued) {
      // The server is busy.
      return "response";
    }
    if (this.#receiving?.isBodyWanted === true) {
      return "body";
    }
    if (this.#current !== undefined) {
      return this.#input.hasEnded ? "half-closed response" : "response";
    }
    if (this.#output.unsent > 0) {
      return "output";
    }
    return this.#input.rest === undefined ? "idle" : "head";
  }
}

/** The length of a body in bytes. */
function lengthOf(body: string | Uint8Array | undefined): number {
  if (typeof body === "string") {
    return Buffer.byteLength(body);
  }
  return body?.length ?? 0;
}
