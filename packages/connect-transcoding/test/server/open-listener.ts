import { connect, type Socket } from "node:net";
import { afterEach } from "vitest";
import { type ConnectionHandlers, type Listener, listen } from "../../src/server/listener.js";
import type { TransportOptions } from "../../src/server/transport-options.js";

const opened: Listener[] = [];

/** Closes the listeners that a test has opened, after each test of a file. */
export function closeListenersAfterEach(): void {
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((listener) => listener.close(0)));
  });
}

/** Respond once the request has been read: `/much` with a long body, `/never` not at all, everything else with `done`. */
export const HANDLERS: ConnectionHandlers = {
  http1: (request, response) => {
    request.resume().once("end", () => {
      if (request.url !== "/never") {
        response.end(request.url === "/much" ? MUCH : "done");
      }
    });
  },
  serve: (request) => {
    request.readBody(1024, () => {
      if (request.target !== "/never") {
        request.respond(200, [], request.target === "/much" ? MUCH : "done");
      }
    });
  },
};

/** More bytes than a connection buffers while the client does not read. */
const MUCH = Buffer.alloc(20_000_000);

/** Listens on a free port. */
export async function openListener(
  transport: Partial<TransportOptions> = {},
  handlers: ConnectionHandlers = HANDLERS,
  host = "127.0.0.1",
): Promise<Listener> {
  const listener = await listen({ host, port: 0, handlers, transport });
  opened.push(listener);
  return listener;
}

/** Connects in cleartext. */
export function connectTo({ address }: Listener): Socket {
  return connect({ port: address.port, host: "127.0.0.1", noDelay: true }).on("error", () => {});
}

/** Resolves with everything received until the connection closes. */
export function readUntilClose(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) => socket.once("close", () => resolve(text)));
}
