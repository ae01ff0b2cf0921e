import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { Duplex } from "node:stream";

const MAX_FRAME_LENGTH = 16_384;
const HEADERS = 0x1;
const SETTINGS = 0x4;
const CONTINUATION = 0x9;
const ACK = 0x1;
const END_STREAM = 0x1;
const END_HEADERS = 0x4;
const HEADER_TABLE_SIZE = 0x1;

/**
 * A client session of node:http2, which encodes and decodes with nghttp2, and the server at its other end: that knows frames
 * only, and passes header blocks on.
 */
export class Nghttp2Client {
  readonly #session: ClientHttp2Session;
  readonly #server: Duplex;
  readonly #respond: (block: Uint8Array) => Uint8Array;
  #input: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  #block: Buffer[] = [];
  #hasPreface = false;

  /** @param respond called with the header block of each request; returns that of the response */
  constructor(respond: (block: Uint8Array) => Uint8Array) {
    this.#respond = respond;
    const [client, server] = createPair();
    this.#server = server;
    server.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#writeFrame(SETTINGS, 0, 0, Buffer.alloc(0));
    this.#session = connect("http://test:81", { createConnection: () => client });
  }

  /** Sends a request, and returns the headers of its response. */
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
    const payload = Buffer.alloc(6);
    payload.writeUInt16BE(HEADER_TABLE_SIZE, 0);
    payload.writeUInt32BE(size, 2);
    this.#writeFrame(SETTINGS, 0, 0, payload);
  }

  close(): void {
    this.#session.destroy();
    this.#server.destroy();
  }

  #read(chunk: Buffer): void {
    this.#input = Buffer.concat([this.#input, chunk]);
    if (!this.#hasPreface) {
      if (this.#input.length < 24) return;
      this.#hasPreface = true;
      this.#input = this.#input.subarray(24);
    }
    while (this.#input.length >= 9) {
      const end = 9 + this.#input.readUIntBE(0, 3);
      if (this.#input.length < end) return;
      const frame = this.#input.subarray(0, end);
      this.#input = this.#input.subarray(end);
      this.#readFrame(frame.readUInt8(3), frame.readUInt8(4), frame.readUInt32BE(5), frame.subarray(9));
    }
  }

  #readFrame(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (type === SETTINGS && (flags & ACK) === 0) this.#writeFrame(SETTINGS, ACK, 0, Buffer.alloc(0));
    if (type !== HEADERS && type !== CONTINUATION) return;
    // The client neither pads frames nor sends priorities.
    if ((flags & 0x28) !== 0) throw new Error("The frame has padding or a priority");
    this.#block.push(payload);
    if ((flags & END_HEADERS) === 0) return;
    const request = Buffer.concat(this.#block);
    this.#block = [];
    this.#writeBlock(streamId, this.#respond(request));
  }

  #writeBlock(streamId: number, block: Uint8Array): void {
    for (let start = 0, type = HEADERS; start === 0 || start < block.length; start += MAX_FRAME_LENGTH) {
      const end = start + MAX_FRAME_LENGTH;
      const flags = (type === HEADERS ? END_STREAM : 0) | (end >= block.length ? END_HEADERS : 0);
      this.#writeFrame(type, flags, streamId, block.subarray(start, end));
      type = CONTINUATION;
    }
  }

  #writeFrame(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(streamId, 5);
    this.#server.write(Buffer.concat([head, payload]));
  }
}

/** Two streams; what is written to one is read from the other. */
function createPair(): [Duplex, Duplex] {
  const create = (other: () => Duplex) =>
    new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        other().push(chunk);
        done();
      },
      final(done) {
        other().push(null);
        done();
      },
    });
  const one: Duplex = create(() => two);
  const two: Duplex = create(() => one);
  return [one, two];
}
