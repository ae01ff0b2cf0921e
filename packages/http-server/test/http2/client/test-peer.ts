import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import {
  describeFrame,
  FRAME,
  type Frame,
  frame,
  headerBlock,
  rawHttp2,
} from "connect-transcoding-testing/raw-http2.js";
import { onTestFinished } from "vitest";
import { ClientConnection } from "../../../src/http2/client/connection.js";
import type { ClientStream, ResponseListener } from "../../../src/http2/client/stream.js";
import { HpackDecoder } from "../../../src/http2/hpack/decoder.js";
import { encodePseudoHeaders } from "../../../src/http2/hpack/encoder.js";
import type { HeaderList } from "../../../src/request.js";

const PSEUDO_HEADERS: Uint8Array = encodePseudoHeaders({
  method: "POST",
  scheme: "http",
  authority: "a",
  path: "/s/m",
});

/** The first frame of a server. */
export const SETTINGS: Buffer = frame(FRAME.SETTINGS, 0, 0);

/** The head of a response, as a HEADERS frame. */
export function head(stream: number, flags: number, fields: Readonly<Record<string, string>> = {}): Buffer {
  return frame(FRAME.HEADERS, flags, stream, headerBlock({ ":status": "200", ...fields }));
}

/** A client in front of a server that sends what the test says. */
export interface TestPeer {
  readonly client: ClientConnection;
  /** The server's end of the connection. */
  readonly socket: Socket;
  /** What the connection has reported. */
  readonly events: string[];
  /** Makes the client receive bytes, at once. */
  receive(...bytes: readonly Uint8Array[]): void;
  /** Begins a request. Its events are those of the response. */
  request(headers?: HeaderList): { readonly stream: ClientStream; readonly events: string[] };
  /** Resolves with what the frames say that the client has sent since the last call, up to one that contains a text. */
  sent(last: string): Promise<string[]>;
}

/** Connects a client. */
export async function startPeer(): Promise<TestPeer> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const clientSocket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [socket] = (await once(server, "connection")) as [Socket];
  onTestFinished(() => void socket.destroy());
  const events: string[] = [];
  const client = new ClientConnection(clientSocket, {
    onReady: () => events.push("ready"),
    onRoom: () => events.push("room"),
    onRetire: () => events.push("retire"),
    onClose: (problem) => events.push(`close ${problem?.message}`),
  });
  onTestFinished(() => client.destroy());
  await once(socket, "readable");
  const preface: Buffer = socket.read(24);
  if (preface.toString() !== "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") {
    throw new Error("no preface");
  }
  const raw = rawHttp2(socket);
  const decoder = new HpackDecoder({ maxHeaderBytes: 65_536, maxHeaderFields: 100 });
  const describe = (each: Frame): string =>
    describeFrame(each, (block) => (decoder.decode(block, 0, block.length)?.list ?? ["invalid"]).join(" "));
  return {
    client,
    socket,
    events,
    receive: (...bytes) => {
      clientSocket.emit("data", Buffer.concat(bytes));
    },
    request: (headers = []) => {
      const { listener, events: received } = recorder();
      return { stream: client.request(PSEUDO_HEADERS, headers, listener), events: received };
    },
    sent: async (last) => {
      const texts: string[] = [];
      do {
        texts.push(describe(await raw.next(() => true)));
      } while (texts.at(-1)?.includes(last) !== true);
      return texts;
    },
  };
}

/** As {@link startPeer}, after the SETTINGS of both sides. */
export async function openPeer(): Promise<TestPeer> {
  const peer = await startPeer();
  peer.receive(SETTINGS);
  await peer.sent("SETTINGS ACK");
  return peer;
}

/** A listener that keeps what it is called with, as texts. */
function recorder(): { readonly listener: ResponseListener; readonly events: string[] } {
  const events: string[] = [];
  return {
    events,
    listener: {
      onHead: ({ status, list }) => events.push(["head", status, ...list].join(" ")),
      onData: (bytes) => {
        const last = events.at(-1);
        // How the bytes are split is not part of the content.
        if (last?.startsWith("data ")) {
          events[events.length - 1] = last + bytes.toString("latin1");
        } else {
          events.push(`data ${bytes.toString("latin1")}`);
        }
      },
      onEnd: (trailers) => events.push(["end", ...(trailers?.list ?? [])].join(" ")),
      onClose: (reason) => {
        const details = "problem" in reason ? reason.problem : "code" in reason ? reason.code : "";
        events.push(`close ${reason.kind} ${details}`.trim());
      },
      onDrain: () => events.push("drain"),
    },
  };
}
