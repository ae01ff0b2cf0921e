import { connect, type Socket } from "node:net";
import { afterEach } from "vitest";
import type { FrontDoor } from "../../src/node/adapter.js";
import { type Listener, listen } from "../../src/server/server.js";
import type { TransportOptions } from "../../src/server/transport-options.js";

const opened: Listener[] = [];

/** Ends what a file's tests opened after each of them. */
export function closeListenersAfterEach(): void {
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((listener) => listener.close(0)));
  });
}

/** Answers a request that has been read to its end: `/much` with much, `/never` not at all, else `done`. */
export const answering: FrontDoor = {
  http1: (request, response) => {
    request.resume().once("end", () => {
      if (request.url !== "/never") {
        response.end(request.url === "/much" ? MUCH : "done");
      }
    });
  },
  http2: (stream, headers) => {
    stream.on("error", () => {});
    stream.resume().once("end", () => {
      if (!stream.destroyed && !stream.aborted && headers[":path"] !== "/never") {
        stream.respond();
        stream.end(headers[":path"] === "/much" ? MUCH : "done");
      }
    });
  },
};

/** More than connections take before they are read. */
const MUCH = Buffer.alloc(20_000_000);

/** Listens on a free port with a handler that answers when its request has been read to the end. */
export async function openListener(
  transport: Partial<TransportOptions> = {},
  frontDoor: FrontDoor = answering,
  host = "127.0.0.1",
): Promise<Listener> {
  const listener = await listen({ host, port: 0, frontDoor, transport });
  if (!listener.ok) {
    throw new Error(listener.failure.description);
  }
  opened.push(listener.value);
  return listener.value;
}

/** Connects in cleartext. */
export function connectTo({ address }: Listener): Socket {
  return connect({ port: address.port, host: "127.0.0.1", noDelay: true }).on("error", () => {});
}

/** All that comes until the connection is gone. */
export function readUntilClose(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) => socket.once("close", () => resolve(text)));
}
