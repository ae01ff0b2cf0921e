import { once } from "node:events";
import { createServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { reflectionRoutes } from "connect-transcoding";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { onTestFinished } from "vitest";
import { DEFAULTS, type GatewayOptions } from "../../src/options.js";
import { type Gateway, startGateway } from "../../src/server/gateway.js";

export interface Upstream {
  readonly url: string;
  readonly port: number;
  /** Closes the port and breaks all connections. */
  kill(): Promise<void>;
}

/** Serves routes with connect-node, until the test ends. */
export async function startUpstream(
  implementation: Partial<ServiceImpl<typeof ShelfService>>,
  {
    port = 0,
    services = [ShelfService],
    routes = () => {},
  }: { port?: number; services?: readonly DescService[]; routes?: (router: ConnectRouter) => void } = {},
): Promise<Upstream> {
  const server = createServer(
    connectNodeAdapter({
      routes: (router) => {
        router.service(ShelfService, implementation);
        if (services.length > 0) {
          reflectionRoutes(services)(router);
        }
        routes(router);
      },
    }),
  );
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("session", (session) => session.on("error", () => {}));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  let closed: Promise<unknown> | undefined;
  const kill = async (): Promise<void> => {
    if (closed === undefined) {
      closed = once(server, "close");
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
    }
    await closed;
  };
  onTestFinished(kill);
  const address = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${address.port}`, port: address.port, kill };
}

export type TestGateway = Gateway & { readonly lines: string[] };

/** Starts a gateway on a free port, until the test ends. */
export async function startTestGateway(
  options: Partial<GatewayOptions> & Pick<GatewayOptions, "upstreams">,
): Promise<TestGateway> {
  const lines: string[] = [];
  const gateway = await startGateway(
    { ...DEFAULTS, port: 0, fileInterval: 20, gracePeriod: 0, ...options },
    (line) => lines.push(line),
  );
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= gateway.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { url: gateway.url, reload: gateway.reload, stop, lines };
}

/** Creates a book over REST. */
export function createBook(url: string, body = "{}"): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${url}/v1/shelves/1/books`, { method: "POST", headers, body });
}

export async function gatewayTo(
  { url }: Upstream,
  options: Partial<GatewayOptions> = {},
): Promise<TestGateway> {
  return startTestGateway({ upstreams: [{ prefix: "", url }], ...options });
}
