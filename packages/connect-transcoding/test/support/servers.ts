import { createServer as createHttp1Server } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { useListening } from "connect-transcoding-testing/use-listening.js";
import { afterAll, beforeAll } from "vitest";
import {
  createTranscodingAdapter,
  type NodeHandler,
  type TranscodingAdapterOptions,
} from "../../src/hosts/node.js";
import { createServer, type TranscodingServerOptions } from "../../src/hosts/server.js";

/** A server for the tests of one file. Its properties are available while tests run. */
export interface TestServer {
  readonly port: number;
  readonly url: string;
}

/** Serves a handler, or an adapter with these options, with `node:http`. */
export function useHttp1(handler: NodeHandler | TranscodingAdapterOptions): TestServer {
  return useListening(createHttp1Server(toHandler(handler)));
}

/** The same with `node:http2`. */
export function useHttp2(handler: NodeHandler | TranscodingAdapterOptions): TestServer {
  return useListening(createHttp2Server(toHandler(handler)));
}

function toHandler(handler: NodeHandler | TranscodingAdapterOptions): NodeHandler {
  return typeof handler === "function" ? handler : createTranscodingAdapter(handler);
}

/** Serves HTTP/1.1 and HTTP/2 on one port. */
export function useOnePort(options: TranscodingServerOptions): TestServer {
  const server = createServer(options);
  let port = 0;
  beforeAll(async () => {
    ({ port } = await server.listen("127.0.0.1", 0));
  });
  afterAll(() => server.close(0));
  return {
    get port() {
      return port;
    },
    get url() {
      return `http://127.0.0.1:${port}`;
    },
  };
}
