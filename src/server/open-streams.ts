import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";

/** How long the streams of a connection may take, in milliseconds. */
export interface StreamTimes {
  /** Until a request has come in. */
  readonly requestTimeout: number;
  /** Whether a request may go on for longer than that. */
  readonly isOpenEnded: (headers: IncomingHttpHeaders) => boolean;
}

interface OpenStream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** When a look found it first; nothing asks for the time when a stream opens. */
  seenAt: number | undefined;
  /** Octets of the answer that wait to be sent, and since when it has been so many. */
  unsent: number;
  unsentSince: number;
}

/** How many streams that have closed are kept at most. */
const MAX_CLOSED = 64;

/** The streams of an HTTP/2 connection. Those that have closed are sorted out now and then: to find each would cost more. */
export class OpenStreams {
  #streams: OpenStream[] = [];
  /** With how many they are sorted out next. */
  #sortOutAt = MAX_CLOSED;

  /** There is a new one. */
  add(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    this.#streams.push({ stream, headers, seenAt: undefined, unsent: 0, unsentSince: 0 });
    if (this.#streams.length >= this.#sortOutAt) {
      this.sortOut();
    }
  }

  /** Forgets those that have closed. */
  sortOut(): void {
    this.#streams = this.#streams.filter(({ stream }) => !stream.destroyed);
    this.#sortOutAt = this.#streams.length + MAX_CLOSED;
  }

  /** Whether there are none, as they were when they were sorted out last. */
  get isEmpty(): boolean {
    return this.#streams.length === 0;
  }

  /**
   * Resets those whose request should have come in, and those of whose answer nothing has been taken for `stallTimeout`
   * milliseconds.
   */
  look(now: number, { requestTimeout, isOpenEnded }: StreamTimes, stallTimeout: number): void {
    for (const open of this.#streams) {
      const { stream, headers } = open;
      open.seenAt ??= now;
      if (stream.writableLength === 0 || stream.writableLength !== open.unsent) {
        open.unsent = stream.writableLength;
        open.unsentSince = now;
      }
      const isOverdue = now - open.seenAt >= requestTimeout && isComing(stream) && !isOpenEnded(headers);
      if (isOverdue || now - open.unsentSince >= stallTimeout) {
        stream.close(constants.NGHTTP2_CANCEL);
      }
    }
  }
}

/** Whether the end of a request has not come yet. */
function isComing(stream: ServerHttp2Stream): boolean {
  return !stream.endAfterHeaders && !stream.destroyed && stream.state.remoteClose === 0;
}
