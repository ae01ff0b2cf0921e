import { once } from "node:events";
import { createServer as createHttp1Server } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { type ConnectRouterOptions, createContextValues } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createServer } from "connect-transcoding";
import { VALUE } from "./interceptors.js";
import { REGISTRY } from "./messages.js";
import { createRecorder, type Recorder } from "./recorder.js";
import { scriptedRoutes } from "./service.js";

/** A server with the scripted routes. */
export interface ComparedServer {
  readonly name: "ours" | "connect-node";
  readonly recorder: Recorder;
  portOf(http: 1 | 2): number;
}

/** The maximum length of a request message in bytes. */
export const MAX_REQUEST_BYTES = 300_000;

/** The header that becomes a context value. */
const VALUE_HEADER = "x-value";

const OPTIONS: ConnectRouterOptions = { readMaxBytes: MAX_REQUEST_BYTES };

/** Starts the server of this project. */
export async function startOurs(): Promise<ComparedServer> {
  const recorder = createRecorder(30_000);
  const server = createServer({
    ...OPTIONS,
    routes: scriptedRoutes(recorder),
    contextValues: (request) => createContextValues().set(VALUE, request.header(VALUE_HEADER) ?? "none"),
    transcoding: {
      // As connect-es.
      unknownParameters: "ignore",
      registry: REGISTRY,
      maxRequestBytes: () => MAX_REQUEST_BYTES,
      onError: () => {},
    },
    transport: { maxConnections: 1000, idleTimeout: 600_000 },
  });
  const { port } = await server.listen("127.0.0.1", 0);
  return { name: "ours", recorder, portOf: () => port };
}

/** Starts the servers of Node with connect-node, some of whose handlers never end. */
export async function startConnectNode(): Promise<ComparedServer> {
  const recorder = createRecorder(5_000);
  const handler = connectNodeAdapter({
    ...OPTIONS,
    jsonOptions: { registry: REGISTRY },
    routes: scriptedRoutes(recorder),
    contextValues: (request) =>
      createContextValues().set(VALUE, String(request.headers[VALUE_HEADER] ?? "none")),
  });
  const http1 = createHttp1Server(handler);
  // Clients must not use a connection while the server closes it.
  http1.keepAliveTimeout = 600_000;
  const http2 = createHttp2Server(handler);
  const ports = new Map<1 | 2, number>();
  for (const [version, server] of [
    [1, http1],
    [2, http2],
  ] as const) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ports.set(version, (server.address() as AddressInfo).port);
  }
  return { name: "connect-node", recorder, portOf: (http) => ports.get(http) ?? 0 };
}
