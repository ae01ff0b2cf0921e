import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import type { TransportOptions } from "./client-options.js";
import { createClientOver, type UtilityToolsClient } from "./client-over.js";
import { isBrokenConnection } from "./is-broken-connection.js";
import { serviceUrl } from "./service-url.js";
import { namingUnreachable } from "./unreachable.js";

export * from "./shared.js";

/** What a client in Node goes by. */
export interface NodeClientOptions extends TransportOptions {
  /**
   * Default: `connect`. Connect and gRPC-Web go over HTTP/1.1, which every proxy takes; gRPC over HTTP/2, in cleartext with prior
   * knowledge.
   */
  readonly protocol?: "connect" | "grpc" | "grpc-web" | undefined;
  /** How many connections there are at the most, over HTTP/1.1; further calls wait for one. Default: 32. Over HTTP/2 there is one. */
  readonly maxConnections?: number | undefined;
}

/** The longest answer that is taken, in octets. The longest that the service has are some hundred thousand. */
const MAX_ANSWER = 16 * 1024 * 1024;

/**
 * Makes a client of all services for Node.
 *
 * @param url Where the service is: `http://127.0.0.1:8080`. Redirects are not followed, so that no key goes anywhere else.
 * @throws where the URL or an option cannot be right.
 */
export function createUtilityToolsClient(
  url: string | URL,
  options: NodeClientOptions = {},
): UtilityToolsClient {
  const { protocol = "connect", binary = true, httpGet = false, interceptors = [] } = options;
  const common = {
    baseUrl: serviceUrl(url),
    useBinaryFormat: binary,
    interceptors: [...interceptors],
    readMaxBytes: MAX_ANSWER,
  };
  switch (protocol) {
    case "connect": {
      const { agent, ...http } = overHttp1(common.baseUrl, options);
      return over(createConnectTransport({ ...common, ...http, useHttpGet: httpGet }), options, () =>
        agent.destroy(),
      );
    }
    case "grpc-web": {
      const { agent, ...http } = overHttp1(common.baseUrl, options);
      return over(createGrpcWebTransport({ ...common, ...http }), options, () => agent.destroy());
    }
    case "grpc": {
      const sessionManager = new Http2SessionManager(common.baseUrl);
      return over(createGrpcTransport({ ...common, sessionManager }), options, () => sessionManager.abort());
    }
    default:
      throw new TypeError('protocol must be "connect", "grpc" or "grpc-web"');
  }
}

function overHttp1(baseUrl: string, { maxConnections = 32 }: NodeClientOptions) {
  const Agent = baseUrl.startsWith("https:") ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, maxSockets: maxConnections });
  return { agent, httpVersion: "1.1" as const, nodeOptions: { agent } };
}

function over(transport: Transport, options: NodeClientOptions, release: () => void): UtilityToolsClient {
  return createClientOver(namingUnreachable(transport, isBrokenConnection), options, release);
}
