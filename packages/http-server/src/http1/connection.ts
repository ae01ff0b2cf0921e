import type { Socket } from "node:net";
import { BaseConnection } from "../core/base-connection.js";
import type { WholeResponse } from "../core/base-request.js";
import { discardInput } from "../core/discard-input.js";
import { MAX_DISCARDED } from "../core/incoming-body.js";
import { badRequest, type Rejection, rejection } from "../core/rejection.js";
import { rejectionOf } from "../core/rules.js";
import type { ConnectionOptions } from "../options.js";
import { type ConnectionStage, Stage } from "../port/stage.js";
import type { BodyWriter, HeaderList } from "../request.js";
import { type Http1Head, parseHead, rejectIncomplete } from "./head-parser.js";
import { Http1Request, type Http1RequestConnection } from "./http1-request.js";
import { Output } from "./output.js";
import { type Framing, framingOf, responseHead } from "./response-head.js";
import { MAX_CHUNK, ResponseWriter } from "./response-writer.js";
import { type Activity, Http1Timeouts, type TimedConnection } from "./timeouts.js";

/** The number of requests and chunks, and of bytes, after which the time is compared. */
const CLOCK_INTERVAL = 2;
const CLOCK_BYTES = 8_192;
/** The number of connections that are still read after their last response; further ones are closed at once. */
const MAX_LINGERING = 512;

/** Milliseconds until the response to a client that has closed its half must start or continue. */
const HALF_CLOSED_TIMEOUT = 500;
/** How far a connection is that waits for its client. */
const STAGES = {
  end: Stage.LINGERING,
  idle: Stage.IDLE,
  head: Stage.HEAD,
  body: Stage.BODY,
  output: Stage.UNREAD,
} as const;

const HEAD_END = Buffer.from("\r\n\r\n");
const CR = 0x0d;
const LF = 0x0a;

/** Serves HTTP/1.1 and HTTP/1.0 on a connection (RFC 9112). */
export class Http1Connection extends BaseConnection implements Http1RequestConnection, TimedConnection {
  readonly #output: Output;
  readonly #timeouts: Http1Timeouts;
  /** The request whose response is not complete. */
  #current: Http1Request | undefined;
  /** The request whose body is not complete: the current one, or the one before it. */
  #receiving: Http1Request | undefined;
  /** The response of the current request, if it is written part by part. */
  #writer: ResponseWriter | undefined;
  requests = 0;
  /** The number of bytes of an incomplete head that have been examined. */
  #examined = 0;
  /** Whether input follows what is being parsed. */
  #hasMore = false;
  /** Whether the connection closes after the response to the current request. */
  #isLast = false;
  /** Whether the last response is complete. */
  #isEnding = false;
  /** The number of bytes of a body that have been discarded after its response. */
  #discarded = 0;
  /** Expires if a client that has closed its half has disconnected. */
  #halfClosed: NodeJS.Timeout | undefined;

  constructor(socket: Socket, options: ConnectionOptions, clientAddress?: string) {
    super(socket, options, clientAddress);
    this.#output = new Output(socket);
    this.#timeouts = new Http1Timeouts(this);
    socket.on("end", () => this.#awaitResponse());
  }

  // Input.

  handleInput(bytes: Buffer, until: number): number {
    const at = this.#parse(bytes, until);
    if (this.isOver) {
      return bytes.length;
    }
    if (this.#isEnding) {
      if (!this.input.isClosed) {
        this.#end(at < bytes.length || this.#receiving !== undefined);
      }
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
    for (let count = 1; at < bytes.length && !this.#isEnding && !this.isOver; count++) {
      const start = at;
      if (this.#receiving !== undefined) {
        if (!this.#receiving.isBodyWanted) {
          this.input.stop = "blocked";
          break;
        }
        at = this.#readBody(this.#receiving, bytes, at);
      } else if (this.#current !== undefined || this.#output.isBlocked) {
        this.input.stop = "blocked";
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
          this.input.stop = "time";
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
      const problem = rejectIncomplete(bytes, at, at + examined, this.options);
      this.#examined = bytes.length - at;
      if (problem !== undefined) {
        this.#fail(problem, bytes.subarray(at));
      }
      return at;
    }
    this.#examined = 0;
    const head = parseHead(bytes, at, end + HEAD_END.length, this.options);
    if ("status" in head) {
      this.#fail(head, bytes.subarray(at));
      return at;
    }
    return this.#begin(head, bytes, end + HEAD_END.length);
  }

  /** Begins a request. Returns the position after its body, or where that begins. */
  #begin(head: Http1Head, bytes: Buffer, at: number): number {
    this.requests += 1;
    this.#isLast = head.isLast;
    const request = new Http1Request(this, head, this.options);
    this.#current = request;
    if (this.input.hasEnded) {
      this.#awaitResponse();
    }
    let end = at;
    if (!request.isEnded) {
      end = request.takeWholeBody(bytes, at);
      if (!request.isEnded) {
        this.#receiving = request;
        this.#discarded = 0;
      }
    }
    this.#hasMore = end < bytes.length;
    const problem = rejectionOf(head.method, head.scheme, head.expect, this.rules);
    if (problem === undefined) {
      this.options.onRequest(request);
    } else {
      this.reject(request, problem);
    }
    return end;
  }

  /** Returns the position after what has been read of a body, the same if more bytes are needed. */
  #readBody(request: Http1Request, bytes: Buffer, at: number): number {
    this.#hasMore = true;
    const end = request.take(bytes, at);
    if (typeof end === "object") {
      if (request.isClosed) {
        // Its response must arrive.
        this.#end(true);
      } else {
        this.#fail(end);
      }
      return at;
    }
    if (request.isEnded) {
      this.#receiving = undefined;
    } else if (request.isClosed) {
      this.#discarded += end - at;
      if (this.#discarded > MAX_DISCARDED) {
        this.#end(true);
      }
    }
    return end;
  }

  /** Called when the client has closed its half. It waits for the response, or it has disconnected: the two look the same. */
  endInput(): void {
    const request = this.#current;
    if (this.input.rest !== undefined || (this.#receiving !== undefined && request !== undefined)) {
      this.#fail(badRequest("the request is incomplete"));
    } else if (request === undefined) {
      this.#end(false);
    } else {
      this.#isLast = true;
    }
  }

  /**
   * Limits the time in which nothing is written to a client that has closed its half: the handler of a client that has disconnected works in
   * vain. Only a later write to such a client is an error.
   */
  #awaitResponse(): void {
    const { socket } = this;
    const { bytesWritten } = socket;
    clearTimeout(this.#halfClosed);
    if (this.#current !== undefined) {
      this.#halfClosed = setTimeout(() => {
        if (socket.bytesWritten === bytesWritten && socket.writableLength === 0) {
          this.destroy();
        } else {
          this.#awaitResponse();
        }
      }, HALF_CLOSED_TIMEOUT);
    }
  }

  protected onDrain(): void {
    this.#writer?.onDrain();
    this.updateBudget();
    this.input.resume();
  }

  // Requests.

  inform(): void {
    this.#output.addText("HTTP/1.1 100 Continue\r\n\r\n");
    this.#output.flushLater();
  }

  respond(request: Http1Request, { status, headers, body, trailers }: WholeResponse): void {
    if (trailers !== undefined && trailers.length > 0 && request.httpVersion === "1.1") {
      this.openResponse(request, status, headers).end(bytesOf(body), trailers);
      return;
    }
    const length = typeof body === "string" ? Buffer.byteLength(body) : (body?.length ?? 0);
    const framing = framingOf(request, status, length);
    this.#addHead(request, status, headers, framing);
    if (length > MAX_CHUNK) {
      this.#openWriter(request, framing).end(bytesOf(body));
      return;
    }
    if (typeof body === "string" && length === body.length) {
      // ASCII is the same in UTF-8 and in ISO 8859-1.
      this.#output.addText(body);
    } else if (body !== undefined) {
      this.#output.addBytes(bytesOf(body));
    }
    this.#complete(request);
  }

  openResponse(request: Http1Request, status: number, headers: HeaderList): BodyWriter {
    const framing = framingOf(request, status, undefined);
    this.#isLast ||= framing === "close";
    this.#addHead(request, status, headers, framing);
    // The first part of the body may follow at once.
    this.#output.flushLater();
    return this.#openWriter(request, framing);
  }

  #openWriter(request: Http1Request, framing: Framing): BodyWriter {
    this.#writer = new ResponseWriter(this.#output, framing, () => this.#complete(request));
    return this.#writer;
  }

  #addHead(request: Http1Request, status: number, headers: HeaderList, framing: Framing): void {
    this.#isLast ||=
      this.options.isStopping() ||
      (this.input.hasEnded && !this.#hasInput) ||
      // The rest of a body is discarded after its response, unless it is long, or the client may not send it.
      (!request.isEnded && (request.expectsContinue || request.isRestLong));
    this.#output.addText(responseHead(status, headers, framing, this.#isLast));
    request.hasResponse = true;
  }

  /** Whether further requests may have arrived. */
  get #hasInput(): boolean {
    return this.input.isHandling ? this.#hasMore : this.input.rest !== undefined;
  }

  /** Called when the response has been passed to the output. */
  #complete(request: Http1Request): void {
    if (request !== this.#current) {
      return;
    }
    this.#current = undefined;
    this.#writer = undefined;
    this.#isEnding = this.#isLast;
    clearTimeout(this.#halfClosed);
    request.close();
    if (this.input.isHandling) {
      return;
    }
    if (this.#isEnding) {
      this.#end(this.input.held > 0 || this.#receiving !== undefined);
    } else {
      this.#output.flush();
      this.updateBudget();
      this.input.resume();
    }
  }

  protected closeRequests(): void {
    this.#isEnding = true;
    clearTimeout(this.#halfClosed);
    this.options.lingering.delete(this);
    const request = this.#current;
    this.#current = undefined;
    this.#receiving = undefined;
    this.#writer?.close();
    request?.close();
  }

  // The end.

  /**
   * Responds to an invalid or incomplete request and ends the connection.
   *
   * @param head what has been received of a request that has not begun
   */
  #fail(problem: Rejection, head: Buffer | undefined = this.input.rest): void {
    const request = this.#current;
    const isReceived = request !== undefined;
    if (isReceived ? request.hasResponse : this.#receiving !== undefined) {
      // Only the rest of a request that has its response is missing or invalid. Earlier responses may wait.
      this.#output.flush();
      this.destroy();
      return;
    }
    if (isReceived) {
      request.rejectedWith = problem.status;
      this.#current = undefined;
      request.close();
    } else {
      this.options.onReject(problem, this.peerAddress);
    }
    const { headers, body } = this.options.formatRejection(problem);
    this.#output.addText(responseHead(problem.status, headers, Buffer.byteLength(body), true));
    const isHead = isReceived ? request.method === "HEAD" : head?.toString("latin1", 0, 5) === "HEAD ";
    if (!isHead) {
      this.#output.addBytes(Buffer.from(body));
    }
    this.#end(true);
  }

  /**
   * Ends the connection: at once, or when the client closes its half or stops sending.
   *
   * @param lingers whether the client may still be sending
   */
  #end(lingers: boolean): void {
    const { socket } = this;
    this.#isEnding = true;
    this.#receiving = undefined;
    this.input.close();
    const { lingering } = this.options;
    const isDone = !lingers || this.input.hasEnded || lingering.size >= MAX_LINGERING;
    if (!isDone) {
      lingering.add(this);
    }
    this.#output.flush();
    if (isDone) {
      socket.destroySoon();
    } else {
      socket.end();
    }
    discardInput(socket);
    this.updateBudget();
  }

  protected get ownBytes(): number {
    return this.#output.length + (this.#writer?.held ?? 0) + (this.#current?.ownBytes ?? 0);
  }

  check(now: number): void {
    if (this.isOver || this.socket.destroyed) {
      return;
    }
    this.updateBudget();
    const expired = this.#timeouts.check(now);
    if (expired === "head" || expired === "body") {
      const part = expired === "head" ? "header section" : "body";
      this.#fail(rejection("REQUEST_TIMEOUT", `the ${part} did not arrive in time`));
    } else if (expired === "idle") {
      this.#end(false);
    } else if (expired !== undefined) {
      this.destroy();
    }
  }

  get idleSince(): number | undefined {
    return this.isOver ? undefined : this.#timeouts.idleSince;
  }

  get stage(): ConnectionStage {
    const { activity } = this;
    if (activity in STAGES) {
      return STAGES[activity as keyof typeof STAGES];
    }
    if (this.#writer === undefined) {
      return Stage.ACTIVE;
    }
    return this.socket.writableLength > 0 ? Stage.UNREAD : Stage.STREAM;
  }

  get openRequests(): readonly Http1Request[] {
    return this.#current === undefined ? [] : [this.#current];
  }

  shutDown(now: number, isLate: boolean): void {
    this.check(now);
    if (isLate && !this.isOver && this.activity === "idle") {
      this.#end(false);
    }
  }

  get isOpenEnded(): boolean {
    return this.#receiving !== undefined && this.options.isOpenEnded(this.#receiving.target);
  }

  get activity(): Activity {
    if (this.#isEnding) {
      return this.socket.writableLength > 0 ? "output" : "end";
    }
    if (this.input.isQueued) {
      // The server is busy.
      return "response";
    }
    if (this.#receiving?.isBodyWanted === true) {
      return "body";
    }
    if (this.#current !== undefined) {
      const hasPipelined = this.#receiving === undefined && this.input.rest !== undefined;
      return this.#writer !== undefined && hasPipelined ? "blocking response" : "response";
    }
    if (this.socket.writableLength > 0) {
      return "output";
    }
    return this.input.rest === undefined ? "idle" : "head";
  }
}

function bytesOf(body: string | Uint8Array = ""): Uint8Array {
  return typeof body === "string" ? Buffer.from(body) : body;
}
