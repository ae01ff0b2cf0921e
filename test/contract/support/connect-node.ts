import { createServer as createHttp1Server } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { createServer as createTcpServer, type Server } from "node:net";
import { type ConnectRouter, createContextValues } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import {
  baseUrlKey,
  clientAddressKey,
  createTranscodingAdapter,
  type NodeHandler,
  reflectionRoutes,
} from "connect-transcoding";
import { useListening } from "connect-transcoding-testing/use-listening.js";
import { beforeAll } from "vitest";
import { ERROR_DOMAIN } from "../../../src/service/access-names.js";
import type { Tool } from "../../../src/tools/tool.js";
import { realTools, type TestServer } from "./serve.js";

// The tools of this service on connect-node: the implementations are the same.

/** The names of clients whose protocol connect-node does not have. */
export const GRPC_WEB_TEXT = /^gRPC-Web text/;

/** As our service, so that the limit of both is the same. */
const MAX_REQUEST_BYTES = 64 * 1024;

/** Serves gRPC, gRPC-Web and Connect by connect-node, and REST by the engine. */
function connectNodeHandler(tools: readonly Tool[], publicBaseUrl: string): NodeHandler {
  const routes = (router: ConnectRouter): void => {
    for (const tool of tools) {
      tool.routes(router);
    }
    reflectionRoutes(tools.map(({ service }) => service))(router);
  };
  return connectNodeAdapter({
    routes,
    fallback: createTranscodingAdapter({
      routes,
      readMaxBytes: MAX_REQUEST_BYTES,
      transcoding: {
        errorDomain: ERROR_DOMAIN,
        publicBaseUrl,
        // In place of the web page.
        pages: new Map([["/", { status: 200, headers: {}, body: "" }]]),
      },
    }),
    jsonOptions: { alwaysEmitImplicit: true },
    readMaxBytes: MAX_REQUEST_BYTES,
    contextValues: ({ socket }) =>
      createContextValues()
        .set(baseUrlKey, publicBaseUrl)
        .set(clientAddressKey, socket.remoteAddress ?? ""),
  });
}

/** Serves the tools with connect-node, for the tests of a file or describe block. */
export function useConnectNode(publicBaseUrl: string): TestServer {
  let handler: NodeHandler | undefined;
  beforeAll(async () => {
    handler = connectNodeHandler(await realTools(), publicBaseUrl);
  });
  const listening = useListening(onePort((request, response) => handler?.(request, response)));
  return Object.assign(listening, { bugs: [] });
}

/** Node has no server for HTTP/1.1 and HTTP/2 in cleartext. This one passes each connection to one of two, by its first bytes. */
function onePort(handler: NodeHandler): Server {
  const http1 = createHttp1Server(handler);
  const http2 = createHttp2Server(handler);
  return createTcpServer((socket) => {
    socket.once("data", (first) => {
      socket.pause();
      socket.unshift(first);
      if (first.toString("latin1").startsWith("PRI")) {
        http2.emit("connection", socket);
      } else {
        http1.emit("connection", socket);
        socket.resume();
      }
    });
  });
}
