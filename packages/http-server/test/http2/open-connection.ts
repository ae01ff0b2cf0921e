import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import {
  describeFrame,
  FRAME,
  type Frame,
  frame,
  PREFACE,
  type RawHttp2,
  rawHttp2,
} from "connect-transcoding-testing/raw-http2.js";
import { afterEach } from "vitest";
import { Http2Connection } from "../../src/http2/connection.js";
import { HpackDecoder } from "../../src/http2/hpack/decoder.js";
import { OutputBuffer } from "../../src/http2/output-buffer.js";
import type { ConnectionOptions } from "../../src/options.js";
import type { HeaderList, ServerRequest } from "../../src/request.js";
import { connectionOptions } from "../support/connection-options.js";

/** One connection, with its client and its requests. */
export interface OpenConnection {
  readonly connection: Http2Connection;
  readonly raw: RawHttp2;
  /** All requests, in their order. */
  readonly requests: readonly ServerRequest[];
  /**
   * Sends frames and a PING, and resolves with what the server has sent up to the response to the PING, or to the end of the
   * connection.
   */
  exchange(...frames: readonly Uint8Array[]): Promise<string[]>;
  /** Resolves with the next frames, until one that matches. */
  until(fits: (frame: Frame) => boolean): Promise<Frame[]>;
  /** What a frame says, with the status of header blocks. Each frame must be described once, in order. */
  describe(frame: Frame): string;
}

const closers: (() => void)[] = [];

/** Closes the connections that a test has opened, after each test of a file. */
export function closeConnectionsAfterEach(): void {
  afterEach(() => {
    for (const close of closers.splice(0)) {
      close();
    }
  });
}

/** Responds to `/never` not at all, to `/now` before it reads the body, and to everything else with the body. */
function respondWithBody(request: ServerRequest): void {
  if (request.target === "/now") {
    request.respond(200, [], "now");
  } else if (request.target !== "/never") {
    request.readBody(10_000_000, (body) => {
      request.respond(200, [], typeof body === "string" ? body : Uint8Array.from(body));
    });
  }
}

/** The defaults of tests: timeouts never pass by themselves, as nobody calls `check`. */
function testOptions(overrides: Partial<ConnectionOptions> = {}): ConnectionOptions {
  return connectionOptions({
    onRequest: respondWithBody,
    headersTimeout: 1000,
    requestTimeout: 3000,
    idleTimeout: 6000,
    pingTimeout: 1000,
    maxConcurrentStreams: 100,
    ...overrides,
  });
}

/** The headers in a block of the server, which uses no dynamic table; undefined if it is incomplete. */
export function headersOf(block: Buffer): HeaderList | undefined {
  return new HpackDecoder({ maxHeaderBytes: 1_000_000, maxHeaderFields: 10_000 }).decode(
    block,
    0,
    block.length,
  )?.list;
}

/** Opens a connection whose client has sent nothing. */
export async function openSilent(overrides: Partial<ConnectionOptions> = {}): Promise<OpenConnection> {
  const options = testOptions(overrides);
  const requests: ServerRequest[] = [];
  const output = new OutputBuffer();
  const server = createServer({ allowHalfOpen: true, noDelay: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", noDelay: true });
  const raw = rawHttp2(socket);
  const [accepted] = await once(server, "connection");
  const onRequest = (request: ServerRequest): void => {
    requests.push(request);
    options.onRequest(request);
  };
  const connection = new Http2Connection(accepted, { ...options, onRequest }, output);
  server.close();
  closers.push(() => {
    connection.destroy();
    socket.destroy();
  });

  const describe = (received: Frame): string =>
    describeFrame(received, (block) => {
      const list = headersOf(block);
      return list === undefined ? "incomplete" : list[0] === ":status" ? `${list[1]}` : "trailers";
    });
  let fences = 0;
  const until = async (fits: (frame: Frame) => boolean): Promise<Frame[]> => {
    const received: Frame[] = [];
    for (;;) {
      const next = await raw.next(() => true).catch(() => undefined);
      if (next === undefined) {
        return received;
      }
      received.push(next);
      if (fits(next)) {
        return received;
      }
    }
  };
  return {
    connection,
    raw,
    requests,
    describe,
    until,
    exchange: async (...frames) => {
      const fence = Buffer.from(`fence${`${fences++}`.padStart(3, "0")}`);
      socket.write(Buffer.concat([...frames, frame(FRAME.PING, 0, 0, fence)]));
      const isFence = ({ type, payload }: Frame) => type === FRAME.PING && payload.equals(fence);
      return (await until(isFence)).filter((each) => !isFence(each)).map(describe);
    },
  };
}

/** Opens a connection with the preface and the SETTINGS of the client. */
export async function openConnection(overrides: Partial<ConnectionOptions> = {}): Promise<OpenConnection> {
  const opened = await openSilent(overrides);
  await opened.exchange(PREFACE);
  return opened;
}
