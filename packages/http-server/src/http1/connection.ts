import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { type ByteBudget, type ByteHolder, OPEN_REQUEST_BYTES } from "../byte-budget.js";
import type { Body, HeaderList, ResponseStream, ServerRequest } from "../request.js";
import { HeadParser } from "./head-parser.js";
import { Http1Body } from "./http1-body.js";
import { Http1Request, type RequestOwner } from "./http1-request.js";
import { Output } from "./output.js";
import { type Framing, framingOf, responseHead } from "./response-head.js";
import { Http1ResponseStream } from "./response-stream.js";
import { type Activity, type Http1Times, type Snapshot, Stopwatch } from "./timeouts.js";

/** How to serve a connection. */
export interface Http1Options extends Http1Times {
  /** Called with each request, one at a time. An error that it throws closes the connection. */
  onRequest(request: ServerRequest): void;
  /**
   * Takes over a connection with all its unread bytes: those of a request that is not ordinary, and what follows. The responses
   * to earlier requests have been written. The socket is paused, and resumed once this has returned.
   */
  handOver(socket: Socket): void;
  /** The maximum length of a head in bytes; a longer one is handed over. */
  readonly maxHeaderBytes: number;
  /** The bytes that all connections may hold. */
  readonly budget: ByteBudget;
  /** Whether the server shuts down: connections close after the next response. */
  isStopping?(): boolean;
  /** Called for each request whose head does not arrive in time. */
  onIncompleteHead?(peerAddress: string): void;
}

/** A connection that `serveHttp1` serves. Its owner calls `check` periodically; timeouts depend on it. */
export interface Http1Connection {
  /** Closes the connection if a timeout has expired. `now` is in milliseconds. */
  check(now: number): void;
  /** Since when the connection is idle, as of the latest check; undefined if it has been used since. */
  readonly idleSince: number | undefined;
  /** Closes the connection if it has no request. */
  closeIdle(): void;
}

/** The maximum number of pieces in which an ordinary head arrives; each of them is parsed from the start. */
const MAX_HEAD_PIECES = 16;
/** The number of requests of one read after which other connections get their turn. */
const MAX_BATCH = 128;
/** The same in milliseconds. */
const MAX_BATCH_TIME = 10;
/** The number of requests after which the time is compared. */
const CLOCK_INTERVAL = 16;
/** The maximum length of a text that is sent with its head in one write. */
const MAX_TEXT = 65_536;

/**
 * Serves HTTP/1.1 on a connection (RFC 9112). It serves ordinary requests itself and hands the connection over before the
 * first byte of any other: what another recipient might read differently is not ordinary. The socket must allow half-open
 * connections; the caller must not read or write it until `handOver` is called.
 */
export function serveHttp1(socket: Socket, options: Http1Options): Http1Connection {
  return new Connection(socket, options);
}

/** A class, because its fields change with every request. */
class Connection implements Http1Connection, RequestOwner, ByteHolder {
  readonly socket: Socket;
  readonly peerAddress: string;
  readonly isSecure: boolean;
  readonly #options: Http1Options;
  readonly #head = new HeadParser();
  readonly #output: Output;
  readonly #body: Http1Body;
  readonly #stopwatch: Stopwatch;
  /** The request whose response is not complete. */
  #current: Http1Request | undefined;
  /** Its response, if that is a stream. */
  #responseStream: Http1ResponseStream | undefined;
  /** The number of requests so far. */
  #requests = 0;
  /** The held bytes that have been reported to the budget. */
  #held = 0;
  /** The number of bytes of memory that the handler of the current request holds. */
  #heldByHandler = 0;
  /** The start of a head. */
  #partial: Buffer | undefined;
  #pieces = 0;
  #isParsing = false;
  /** Whether input waits in the paused socket. */
  #isHeld = false;
  /** Whether the input waits so that other connections get their turn. */
  #isYielding = false;
  /** Whether the connection closes after the response to the current request. */
  #isLast = false;
  /** Whether the last response is complete. If so, further input is not parsed. */
  #isEnding = false;
  #isHandedOver = false;
  /** Whether the connection has closed or has been handed over. */
  #isGone = false;
  readonly #onData = (chunk: Buffer): void => this.#receive(chunk);
  readonly #onEnd = (): void => this.#endInput();
  readonly #onClose = (): void => this.#disconnect();
  readonly #resume = (): void => this.#resumeIfPossible();

  constructor(socket: Socket, options: Http1Options) {
    this.socket = socket;
    this.peerAddress = socket.remoteAddress ?? "";
    this.isSecure = "encrypted" in socket;
    this.#options = options;
    this.#output = new Output(socket, this.#resume);
    this.#body = new Http1Body(this.#resume);
    this.#stopwatch = new Stopwatch(options);
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("close", this.#onClose);
    socket.on("drain", this.#resume);
    // The socket closes after an error.
    socket.on("error", ignore);
    socket.resume();
  }

  // Input.

  #receive(chunk: Buffer): void {
    if (this.#isEnding) {
      return;
    }
    const partial = this.#partial;
    this.#partial = undefined;
    const input = partial === undefined ? chunk : Buffer.concat([partial, chunk]);
    this.#isParsing = true;
    let at: number | "handed over";
    try {
      at = this.#parse(input);
    } catch (error) {
      this.abort();
      throw error;
    } finally {
      this.#isParsing = false;
    }
    if (at === "handed over") {
      return;
    }
    if (this.socket.destroyed) {
      return;
    }
    if (this.#isEnding) {
      this.#shut(at < input.length || this.#body.left > 0);
      return;
    }
    this.#output.flush();
    if (at < input.length) {
      this.#hold(input.subarray(at));
    }
    this.#updateBudget();
  }

  /** Serves the requests in the input. Returns the position of the input that must wait. */
  #parse(input: Buffer): number | "handed over" {
    const { socket } = this;
    const body = this.#body;
    const output = this.#output;
    let at = 0;
    let count = 0;
    let startedAt = 0;
    while (at < input.length && !this.#isEnding && !socket.destroyed) {
      if (body.left > 0) {
        const taken = body.take(input, at);
        if (taken === 0) {
          break;
        }
        at += taken;
        continue;
      }
      if (this.#current !== undefined || output.isBlocked) {
        break;
      }
      if (count > 0 && count % CLOCK_INTERVAL === 0) {
        const now = performance.now();
        startedAt ||= now;
        if (count >= MAX_BATCH || now - startedAt >= MAX_BATCH_TIME) {
          this.#yield();
          break;
        }
      }
      const end = this.#readHead(input, at);
      if (end === "doubtful") {
        this.#handOver(input.subarray(at));
        return "handed over";
      }
      if (end === "incomplete") {
        this.#partial = retainable(input, at);
        return input.length;
      }
      at = end;
      count += 1;
      this.#begin();
    }
    return at;
  }

  /** Returns the position after the head. */
  #readHead(input: Buffer, at: number): number | "incomplete" | "doubtful" {
    const head = this.#head;
    const { maxHeaderBytes } = this.#options;
    const outcome = head.read(input, at);
    if (outcome === "complete") {
      this.#pieces = 0;
      return head.end - at > maxHeaderBytes ? "doubtful" : head.end;
    }
    this.#pieces += 1;
    return input.length - at > maxHeaderBytes || this.#pieces > MAX_HEAD_PIECES ? "doubtful" : outcome;
  }

  #begin(): void {
    const { method, target, section } = this.#head;
    if (section === undefined) {
      return;
    }
    this.#requests += 1;
    this.#isLast = section.closes;
    this.#body.begin(section.contentLength);
    const request = new Http1Request(this, method, target, section);
    this.#current = request;
    this.#options.onRequest(request);
  }

  /** Puts back input that has to wait, so that the end of the client's half is not reported before it has been read. */
  #hold(rest: Buffer): void {
    this.#isHeld = true;
    this.socket.pause();
    this.socket.unshift(rest);
  }

  #yield(): void {
    this.#isYielding = true;
    setImmediate(() => {
      this.#isYielding = false;
      this.#resumeIfPossible();
    });
  }

  #resumeIfPossible(): void {
    this.#updateBudget();
    if (!this.#isHeld || this.#isParsing || this.#isYielding) {
      return;
    }
    const isWanted =
      this.#body.left > 0 ? this.#body.isWanted : this.#current === undefined && !this.#output.isBlocked;
    if (isWanted) {
      this.#isHeld = false;
      this.socket.resume();
    }
  }

  #handOver(rest: Buffer): void {
    const { socket } = this;
    this.#output.flush();
    this.#isHandedOver = true;
    this.#isGone = true;
    this.#updateBudget();
    socket.off("data", this.#onData);
    socket.off("end", this.#onEnd);
    socket.off("close", this.#onClose);
    socket.off("drain", this.#resume);
    socket.off("error", ignore);
    socket.pause();
    socket.unshift(rest);
    this.#options.handOver(socket);
    socket.resume();
  }

  /** Called when the client has closed its half. It waits for the response, or it has disconnected: the two look the same. */
  #endInput(): void {
    if (this.#isEnding) {
      this.#shut(false);
    } else if (this.#partial !== undefined || (this.#current !== undefined && this.#body.left > 0)) {
      this.#reject(400);
    } else if (this.#current === undefined) {
      this.#shut(false);
    } else if (this.#current.hasResponse) {
      // A client that reads a stream of messages does not close its half.
      this.abort();
    } else {
      this.#isLast = true;
    }
  }

  #disconnect(): void {
    this.#isEnding = true;
    this.#isGone = true;
    this.#partial = undefined;
    this.#updateBudget();
    const request = this.#current;
    const stream = this.#responseStream;
    this.#current = undefined;
    this.#responseStream = undefined;
    this.#body.abort();
    stream?.destroy();
    request?.close();
  }

  /** Closes the connection because all connections hold too much. */
  evict(): void {
    this.abort();
  }

  #updateBudget(): void {
    const held = this.#isGone
      ? 0
      : this.#output.unsent + this.#requestBytes + (this.#partial?.length ?? 0) + this.#heldByHandler;
    if (held !== this.#held) {
      this.#held = held;
      this.#options.budget.set(this, held);
    }
  }

  /** The bytes of the request without a response. */
  get #requestBytes(): number {
    return this.#current === undefined ? 0 : OPEN_REQUEST_BYTES + this.#body.held;
  }

  get isOverdrawn(): boolean {
    return this.#options.budget.isOverdrawn(this);
  }

  // Requests.

  hold(bytes: number): void {
    this.#heldByHandler += bytes;
    this.#updateBudget();
  }

  readBody(request: Http1Request, limit: number, done: (body: Body) => void): void {
    if (request === this.#current) {
      this.#body.collect(limit, done);
    }
  }

  readStream(request: Http1Request): Readable {
    if (request === this.#current) {
      return this.#body.stream();
    }
    // The request is over.
    const body = new Http1Body(ignore);
    body.begin(1);
    const stream = body.stream();
    body.abort();
    return stream;
  }

  respond(
    request: Http1Request,
    status: number,
    headers: HeaderList,
    body: string | Uint8Array | undefined,
  ): void {
    const length = lengthOf(body);
    const framing = framingOf(request.method, status, length);
    // The rest of the request body is discarded after a whole response.
    const head = this.#formatHead(status, headers, framing, this.#body.isLong);
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

  respondStream(request: Http1Request, status: number, headers: HeaderList): ResponseStream {
    const framing = framingOf(request.method, status, undefined);
    const head = this.#formatHead(status, headers, framing, this.#body.isRefused);
    const stream = new Http1ResponseStream({
      output: this.#output,
      isEmpty: framing !== "chunked",
      onFinish: () => this.#complete(request),
      onAbort: () => this.#responseStream === stream && this.abort(),
    });
    if (request !== this.#current || request.hasResponse) {
      return stream.destroy();
    }
    request.hasResponse = true;
    this.#responseStream = stream;
    this.#output.addText(head);
    // The first part of the body may follow at once.
    process.nextTick(() => this.#output.flush());
    return stream;
  }

  #formatHead(status: number, headers: HeaderList, framing: Framing, isLast: boolean): string {
    this.#isLast ||= isLast || this.#options.isStopping?.() === true;
    return responseHead(status, headers, framing, this.#isLast);
  }

  /** Called when the response has been passed to the output. */
  #complete(request: Http1Request): void {
    if (request !== this.#current) {
      return;
    }
    this.#current = undefined;
    this.#responseStream = undefined;
    const body = this.#body;
    if (body.left > 0) {
      body.discard();
      this.#isLast ||= body.isRefused;
    }
    this.#isEnding = this.#isLast;
    request.close();
    if (this.#isParsing) {
      return;
    }
    if (this.#isEnding) {
      this.#shut(this.#isHeld || body.left > 0);
    } else {
      this.#output.flush();
      this.#resumeIfPossible();
    }
  }

  abort(): void {
    this.socket.destroy();
    this.#disconnect();
  }

  // The end.

  /** Responds to an incomplete request and ends the connection. */
  #reject(status: 400 | 408): void {
    const request = this.#current;
    if (request === undefined ? this.#partial === undefined : request.hasResponse) {
      // Only the rest of a request that has its response is missing.
      this.abort();
      return;
    }
    this.#current = undefined;
    this.#partial = undefined;
    this.#body.abort();
    if (request !== undefined) {
      request.rejectedWith = status;
      request.close();
    }
    this.#output.addText(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
    );
    this.#shut(true);
  }

  /**
   * Ends the connection. If the client may still be sending, reads and discards data until the client closes its half or stops
   * sending: closing a connection with unread data resets it, and the reset can arrive before the response (RFC 9112,
   * section 9.6).
   */
  #shut(lingers: boolean): void {
    const { socket } = this;
    this.#isEnding = true;
    this.#isHeld = false;
    this.#output.end(() => (lingers ? socket.end() : socket.destroySoon()));
    this.#updateBudget();
    socket.resume();
  }

  check(now: number): void {
    if (this.#isHandedOver || this.socket.destroyed) {
      return;
    }
    switch (this.#stopwatch.check(this.#snapshot(), now)) {
      case undefined:
        return;
      case "head":
        this.#options.onIncompleteHead?.(this.peerAddress);
        this.#reject(408);
        return;
      case "body":
        this.#reject(408);
        return;
      default:
        this.abort();
    }
  }

  get idleSince(): number | undefined {
    return this.#isHandedOver ? undefined : this.#stopwatch.idleSince(this.#snapshot());
  }

  closeIdle(): void {
    if (!this.#isHandedOver && this.#activity() === "idle") {
      this.#shut(false);
    }
  }

  #snapshot(): Snapshot {
    return {
      activity: this.#activity(),
      requests: this.#requests,
      unsent: this.#output.unsent,
      sent: this.#output.sent,
      received: this.socket.bytesRead,
    };
  }

  #activity(): Activity {
    if (this.#isEnding) {
      return this.#output.unsent > 0 ? "output" : "end";
    }
    if (this.#body.isWanted) {
      return "body";
    }
    if (this.#current !== undefined) {
      return this.socket.readableEnded ? "half-closed response" : "response";
    }
    if (this.#output.unsent > 0) {
      return "output";
    }
    return this.#partial === undefined && !this.#isHeld ? "idle" : "head";
  }
}

/** The length of a body in bytes. */
function lengthOf(body: string | Uint8Array | undefined): number {
  if (typeof body === "string") {
    return Buffer.byteLength(body);
  }
  return body?.length ?? 0;
}

/** The rest of the input from a position; a copy if it is less than half, because a view would retain all of it. */
function retainable(input: Buffer, at: number): Buffer {
  const rest = input.subarray(at);
  return rest.length < input.length / 2 ? Buffer.from(rest) : rest;
}

function ignore(): void {}
