import { BaseRequest, type RequestConnection, type WholeResponse } from "../../core/base-request.js";
import { type ConnectionStage, Stage } from "../../port/stage.js";
import type { BodyWriter, HeaderList } from "../../request.js";
import { ErrorCode, INITIAL_WINDOW } from "../frames/frames.js";
import type { Outgoing, Sender, SendingStream } from "../sender.js";
import type { RequestHead } from "./request-head.js";

const NOTHING: Uint8Array = new Uint8Array();

/** What a request over HTTP/2 needs of its connection. */
export interface Http2RequestConnection extends RequestConnection {
  readonly sender: Sender<Http2Stream>;
  readonly streams: { reset(stream: Http2Stream, code: number): void };
  /** Called when a part of a response has been sent. */
  onPart(): void;
}

/** A request over HTTP/2. */
export class Http2Stream extends BaseRequest implements SendingStream {
  readonly httpVersion = "2.0";
  readonly connection: Http2RequestConnection;
  readonly id: number;
  readonly head: RequestHead;
  /** Bytes of the body that have been received. */
  received = 0;
  /** Bytes of DATA frames for which the window has not been enlarged again. */
  unacknowledged = 0;
  /** Whether the whole response has been sent, before the end of the request. */
  isSent = false;
  sendCredit = 0;
  outgoing: Outgoing | undefined;
  /** The time of the first check of timeouts that found the stream open. */
  seenAt: number | undefined;

  constructor(connection: Http2RequestConnection, id: number, head: RequestHead, isEnded: boolean) {
    super(head, head, isEnded);
    this.connection = connection;
    this.id = id;
    this.head = head;
  }

  get stage(): ConnectionStage {
    if (this.outgoing !== undefined) {
      return Stage.UNREAD;
    }
    if (this.hasResponse && !this.isSent) {
      return Stage.STREAM;
    }
    return this.isEnded ? Stage.ACTIVE : Stage.BODY;
  }

  /** Called with the bytes of a DATA frame, unless they are the whole body. */
  receive(view: Uint8Array): void {
    // After the response, the client need not send more than the window allows, which is no longer enlarged.
    if (!this.isClosed && !this.isSent) {
      this.body().receive(view);
    }
  }

  acknowledge(): void {
    // A smaller increment is not worth a frame.
    const isWorthwhile = this.unacknowledged >= INITIAL_WINDOW / 2;
    if (isWorthwhile && !this.isEnded && !this.isClosed && !this.isSent) {
      this.connection.sender.windowUpdate(this.id, this.unacknowledged);
      this.unacknowledged = 0;
    }
  }

  protected send(response: WholeResponse): void {
    this.connection.sender.respond(this, response);
  }

  protected open(status: number, headers: HeaderList): BodyWriter {
    const { sender } = this.connection;
    const canHaveBody = this.canHaveBody(status);
    sender.section(this.id, status, canHaveBody ? withoutLength(headers) : headers, 0);
    this.hasResponse = true;
    let isOver = false;
    return {
      write: (part, onReady) => {
        if (isOver || this.isClosed || !canHaveBody || part.length === 0) {
          return true;
        }
        let isWaiting = false;
        sender.queue(this, part, undefined, () => {
          this.connection.onPart();
          if (isWaiting) {
            onReady();
          }
        });
        isWaiting = this.outgoing !== undefined;
        return !isWaiting;
      },
      end: (part = NOTHING, trailers = []) => {
        if (isOver || this.isClosed) {
          return;
        }
        sender.checkTrailers(trailers);
        isOver = true;
        const { outgoing } = this;
        const last = canHaveBody ? part : NOTHING;
        const rest = outgoing?.chunk.subarray(outgoing.offset);
        sender.discard(this);
        const end = { trailers: trailers.length === 0 ? undefined : trailers };
        sender.queue(this, rest === undefined ? last : Buffer.concat([rest, last]), end, undefined);
      },
    };
  }

  abort(): void {
    if (!this.isSent) {
      this.connection.streams.reset(this, ErrorCode.CANCEL);
    }
  }
}

/** A `content-length` of a response that is written part by part could be wrong, which would be malformed. */
function withoutLength(headers: HeaderList): HeaderList {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name === "content-length");
  return at < 0 ? headers : [...headers.slice(0, at), ...headers.slice(at + 2)];
}
