import { type AddressInfo, connect, type Socket } from "node:net";
import {
  createHttpServer,
  type HttpServer,
  type ServerOptions,
  type ServerRequest,
} from "@utility-tools/http-server";
import { afterAll } from "vitest";

export interface OpenServer extends HttpServer {
  readonly port: number;
}

const opened: HttpServer[] = [];

/** Closes the servers that the tests of a file have opened, after all of them: tests can run at the same time. */
export function closeServersAfterAll(): void {
  afterAll(async () => {
    await Promise.all(opened.splice(0).map((server) => server.close(0)));
  });
}

/** More bytes than a connection buffers while the client does not read. */
const MUCH = Buffer.alloc(20_000_000);

/** Responds once the request has been read: to `/much` with a long body, to `/never` not at all, to others with `done`. */
function respondDone(request: ServerRequest): void {
  request.readBody(1024, () => {
    if (request.target !== "/never") {
      request.respond(200, [], request.target === "/much" ? MUCH : "done");
    }
  });
}

/** Listens on a free port. */
export async function openServer(options: Partial<ServerOptions> = {}): Promise<OpenServer> {
  const server = createHttpServer({ onRequest: respondDone, ...options });
  const { port }: AddressInfo = await server.listen("127.0.0.1", 0);
  opened.push(server);
  return Object.assign(Object.create(server) as HttpServer, { port });
}

/** Connects in cleartext, from another address if one is given. */
export function connectTo({ port }: OpenServer, localAddress?: string): Socket {
  return connect({ port, host: "127.0.0.1", noDelay: true, localAddress }).on("error", () => {});
}

/** Resolves with everything received until the connection closes. */
export function readUntilClose(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) => socket.once("close", () => resolve(text)));
}
