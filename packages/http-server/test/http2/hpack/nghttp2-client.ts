import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { type Duplex, duplexPair } from "node:stream";
import {
  ACK,
  END_HEADERS,
  END_STREAM,
  FRAME,
  type Frame,
  frame,
  HAS_PRIORITY,
  PADDED,
  readFrames,
  settings,
} from "connect-transcoding-testing/raw-http2.js";

const MAX_FRAME_LENGTH = 16_384;
const HEADER_TABLE_SIZE = 0x1;

/**
 * A client session of node:http2, which encodes and decodes with nghttp2, and the server at its other end: that knows frames
 * only, and passes header blocks on.
 */
export class Nghttp2Client {
  readonly #session: ClientHttp2Session;
  readonly #server: Duplex;
  readonly #respond: (block: Uint8Array) => Uint8Array;
  #block: Buffer[] = [];

  /** @param respond called with the header block of each request; returns that of the response */
  constructor(respond: (block: Uint8Array) => Uint8Array) {
    this.#respond = respond;
    const [client, server] = duplexPair();
    this.#server = server;
    readFrames(server, (each) => this.#readFrame(each), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".length);
    server.write(frame(FRAME.SETTINGS, 0, 0));
    this.#session = connect("http://test:81", { createConnection: () => client });
  }

  request(headers: OutgoingHttpHeaders): Promise<Map<string, unknown>> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request(headers, { endStream: true });
      stream.on("response", (received) => resolve(new Map(Object.entries(received))));
      stream.on("error", reject);
      stream.resume();
    });
  }

  /** Sends SETTINGS_HEADER_TABLE_SIZE to the client. */
  setTableSize(size: number): void {
    this.#server.write(frame(FRAME.SETTINGS, 0, 0, settings([HEADER_TABLE_SIZE, size])));
  }

  close(): void {
    this.#session.destroy();
    this.#server.destroy();
  }

  #readFrame({ type, flags, stream, payload }: Frame): void {
    if (type === FRAME.SETTINGS && (flags & ACK) === 0) this.#server.write(frame(FRAME.SETTINGS, ACK, 0));
    if (type !== FRAME.HEADERS && type !== FRAME.CONTINUATION) return;
    // The client neither pads frames nor sends priorities.
    if ((flags & (PADDED | HAS_PRIORITY)) !== 0) throw new Error("The frame has padding or a priority");
    this.#block.push(payload);
    if ((flags & END_HEADERS) === 0) return;
    const request = Buffer.concat(this.#block);
    this.#block = [];
    this.#writeBlock(stream, this.#respond(request));
  }

  #writeBlock(stream: number, block: Uint8Array): void {
    for (let start = 0; start === 0 || start < block.length; start += MAX_FRAME_LENGTH) {
      const end = start + MAX_FRAME_LENGTH;
      const flags = (start === 0 ? END_STREAM : 0) | (end >= block.length ? END_HEADERS : 0);
      const type = start === 0 ? FRAME.HEADERS : FRAME.CONTINUATION;
      this.#server.write(frame(type, flags, stream, block.subarray(start, end)));
    }
  }
}
