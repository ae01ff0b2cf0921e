import type { HeaderSection } from "../../request.js";
import { ErrorCode, INITIAL_WINDOW } from "../frames/frames.js";
import type { HeaderBlock } from "../hpack/header-block.js";
import type { Outgoing, Sender, SendingStream } from "../sender.js";
import { readTrailers, Section } from "../streams/section.js";

/** Receives a response. Nothing follows `onEnd` and `onClose`. */
export interface ResponseListener {
  onHead(head: ResponseHead): void;
  /** Called with a part of the body. Views of the same memory may follow. */
  onData(bytes: Buffer): void;
  /** Called at the end of the response. The request may go on. */
  onEnd(trailers: HeaderSection | undefined): void;
  /** Called when the stream has closed before the end of the response. */
  onClose(reason: CloseReason): void;
  /** Called when more can be written. */
  onDrain(): void;
}

/** Why a stream has closed before the end of its response. */
export type CloseReason =
  /** The server has reset it. */
  | { readonly kind: "reset"; readonly code: number }
  /** The server has not begun it, and will not. */
  | { readonly kind: "refused" }
  /** The response is invalid. */
  | { readonly kind: "invalid"; readonly problem: string }
  /** The connection has closed. */
  | { readonly kind: "closed" };

const NOTHING = Buffer.alloc(0);

/** What a stream needs of its connection. */
export interface StreamOwner {
  readonly sender: Sender<ClientStream>;
  /** Called when no more frames belong to the stream. */
  onStreamClose(stream: ClientStream): void;
}

/** A request of a client, and its response. A class, because one is created for every request. */
export class ClientStream implements SendingStream {
  readonly id: number;
  readonly #connection: StreamOwner;
  readonly #listener: ResponseListener;
  sendCredit = 0;
  outgoing: Outgoing | undefined;
  /** Whether frames belong to the stream: until the response has been received, or the stream was reset. */
  #isOpen = true;
  /** Whether the end of the request has been written, and whether it has been sent. */
  #isEnding = false;
  #isSent = false;
  #hasHead = false;
  #isPaused = false;
  /** Bytes of DATA frames for which the window has not been enlarged again. */
  #unacknowledged = 0;
  /** What was received during a pause: no more than the window. */
  #held: Buffer[] = [];
  /** The end of the response, until it is passed on. */
  #end: { readonly trailers: HeaderSection | undefined } | undefined;

  constructor(connection: StreamOwner, id: number, listener: ResponseListener) {
    this.#connection = connection;
    this.id = id;
    this.#listener = listener;
  }

  /** Sends a part of the body. Returns false if the next one must wait for `onDrain`. The bytes must not change until then. */
  write(part: Uint8Array): boolean {
    if (!this.#isOpen || this.#isEnding || part.length === 0) {
      return true;
    }
    let isWaiting = false;
    this.#queue(part, undefined, () => {
      if (isWaiting) {
        this.#listener.onDrain();
      }
    });
    isWaiting = this.outgoing !== undefined;
    return !isWaiting;
  }

  end(part: Uint8Array = NOTHING): void {
    if (this.#isOpen && !this.#isEnding) {
      this.#isEnding = true;
      this.#queue(part, { trailers: undefined }, undefined);
    }
  }

  #queue(part: Uint8Array, end: Outgoing["end"], onSent: Outgoing["onSent"]): void {
    const { sender } = this.#connection;
    const rest = this.outgoing?.chunk.subarray(this.outgoing.offset);
    sender.discard(this);
    sender.queue(this, rest === undefined ? part : Buffer.concat([rest, part]), end, onSent);
  }

  /** Called when the end of the request has been sent. */
  onSent(): void {
    this.#isSent = true;
  }

  /** Stops `onData` and `onEnd`. The server can send as much as the window allows. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused && this.#held.length > 0) {
      this.#pass(this.#held.shift() ?? NOTHING);
    }
    this.#passEnd();
  }

  /** Closes the stream. The listener is not called any more. */
  reset(code: number): void {
    this.#held = [];
    this.#end = undefined;
    if (this.#isOpen) {
      this.#connection.sender.reset(this.id, code);
      this.#close();
    }
  }

  /** Called with the header block of a frame, which is the head, an interim response or trailers. */
  onBlock(block: HeaderBlock, isEnd: boolean): void {
    if (block.isTooLarge) {
      this.fail("its headers are too large", ErrorCode.ENHANCE_YOUR_CALM);
    } else if (this.#hasHead) {
      const trailers = isEnd ? readTrailers(block) : undefined;
      if (trailers === undefined) {
        this.fail("its trailers are malformed");
      } else {
        this.#receiveEnd(trailers);
      }
    } else {
      this.#onHead(readResponseHead(block), isEnd);
    }
  }

  #onHead(head: ResponseHead | undefined, isEnd: boolean): void {
    if (head === undefined || (head.status < 200 && isEnd)) {
      this.fail("its head is malformed");
    } else if (head.status >= 200) {
      this.#hasHead = true;
      this.#listener.onHead(head);
      if (isEnd) {
        this.#receiveEnd(undefined);
      }
    }
  }

  /**
   * Called with the content of a DATA frame.
   *
   * @param length the length of its payload, with its padding
   */
  onData(part: Buffer, length: number, isEnd: boolean): void {
    this.#unacknowledged += length;
    if (!this.#hasHead) {
      this.fail("it has no head");
    } else if (this.#unacknowledged > INITIAL_WINDOW) {
      this.fail("it exceeds its window", ErrorCode.FLOW_CONTROL_ERROR);
    } else {
      if (this.#isPaused) {
        this.#held.push(part);
      } else {
        this.#pass(part);
      }
      if (isEnd) {
        this.#receiveEnd(undefined);
      }
    }
  }

  #pass(part: Buffer): void {
    if (part.length > 0) {
      this.#listener.onData(part);
    }
    // A smaller increment is not worth a frame.
    if (this.#isOpen && !this.#isPaused && this.#unacknowledged >= INITIAL_WINDOW / 2) {
      this.#connection.sender.windowUpdate(this.id, this.#unacknowledged);
      this.#unacknowledged = 0;
    }
  }

  #receiveEnd(trailers: HeaderSection | undefined): void {
    // The listener can have reset the stream.
    if (!this.#isOpen) {
      return;
    }
    if (!this.#isSent) {
      // The server needs no more of the request.
      this.#connection.sender.reset(this.id, ErrorCode.NO_ERROR);
    }
    this.#close();
    this.#end = { trailers };
    this.#passEnd();
  }

  #passEnd(): void {
    if (this.#end !== undefined && !this.#isPaused && this.#held.length === 0) {
      const { trailers } = this.#end;
      this.#end = undefined;
      this.#listener.onEnd(trailers);
    }
  }

  /** Resets the stream, because its response is invalid. */
  fail(problem: string, code: number = ErrorCode.PROTOCOL_ERROR): void {
    if (this.#isOpen) {
      this.reset(code);
      this.#listener.onClose({ kind: "invalid", problem });
    }
  }

  /** Called when the server has reset the stream, or the connection has closed. */
  onClose(reason: CloseReason): void {
    if (this.#isOpen) {
      this.#held = [];
      this.#close();
      this.#listener.onClose(reason);
    }
  }

  #close(): void {
    this.#isOpen = false;
    this.#connection.onStreamClose(this);
  }
}

/** The header section of a response. */
export class ResponseHead extends Section {
  readonly status: number;

  constructor({ list }: HeaderBlock, status: number) {
    super(list.slice(2));
    this.status = status;
  }
}

const STATUS = /^[1-5]\d\d$/;

/** The head with a header block; undefined if it is malformed (RFC 9113, section 8.3.2). */
function readResponseHead(block: HeaderBlock): ResponseHead | undefined {
  const [, , , , status] = block.special;
  const isValid =
    status !== undefined && STATUS.test(status) && block.pseudoCount === 1 && !block.isMalformed;
  return isValid ? new ResponseHead(block, Number(status)) : undefined;
}
