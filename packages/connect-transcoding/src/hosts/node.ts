import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { ContextValues } from "@connectrpc/connect";
import { knownOptions, type OptionNames } from "@utility-tools/http-server/portable";
import { createAdapter } from "../call/adapter.js";
import type { Exchange } from "../call/http/exchange.js";
import { HOST_OPTIONS, type HostOptions } from "../features/options.js";
import { withFeatures } from "../features/with-features.js";
import { Http1HostRequest } from "./node-http1.js";
import { Http2HostRequest } from "./node-http2.js";
import type { NodeHostRequest, NodeRequest, NodeResponse } from "./node-request.js";

/** A handler for requests of Node's servers. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => void;

/** Options of the adapter: those of `connectNodeAdapter`, and `transcoding`. */
export interface TranscodingAdapterOptions extends HostOptions {
  /** Handles requests for which there is no method, route or page. Default: an error in the protocol of the request. */
  readonly fallback?: NodeHandler | undefined;
  /** Context values to extract from the request. */
  readonly contextValues?: ((request: NodeRequest) => ContextValues) | undefined;
}

/**
 * Creates a request handler for `node:http` and `node:http2`, as `connectNodeAdapter` does, which also serves the methods by their
 * `google.api.http` rules.
 *
 * Throws an UnknownOptionError, and an Error if a rule contradicts its messages or another rule.
 */
export function createTranscodingAdapter(given: TranscodingAdapterOptions): NodeHandler {
  return createNodeHandler(knownOptions("createTranscodingAdapter", given, ADAPTER_OPTIONS));
}

const ADAPTER_OPTIONS: OptionNames<TranscodingAdapterOptions> = {
  ...HOST_OPTIONS,
  fallback: true,
  contextValues: true,
};

/** The names of the options of frameworks, which handle other requests themselves. */
export const FRAMEWORK_OPTIONS: OptionNames<Omit<TranscodingAdapterOptions, "fallback">> = {
  ...HOST_OPTIONS,
  contextValues: true,
};

/** Does what {@link createTranscodingAdapter} does with options that have been checked. */
export function createNodeHandler(options: TranscodingAdapterOptions): NodeHandler {
  const { fallback, contextValues } = options;
  const adapter = createAdapter(
    withFeatures({
      ...options,
      fallback: fallback && ((exchange) => callFallback(exchange, fallback)),
      contextValues: contextValues && ((exchange) => contextValues(nodeRequestOf(exchange).nodeRequest)),
    }),
  );
  return (request, response) =>
    adapter.serve(
      "stream" in request
        ? new Http2HostRequest(request, response as Http2ServerResponse)
        : new Http1HostRequest(request as IncomingMessage, response as ServerResponse),
    );
}

/** Every request of this adapter is one of Node's. */
function nodeRequestOf(exchange: Exchange): NodeHostRequest {
  return exchange.request as NodeHostRequest;
}

/** Passes a request to another handler, which responds to it. */
function callFallback(exchange: Exchange, fallback: NodeHandler): void {
  const host = nodeRequestOf(exchange);
  const { nodeRequest, nodeResponse } = host;
  host.sendContinue();
  const { extraHeaders } = exchange;
  for (let index = 0; index < extraHeaders.length; index += 2) {
    nodeResponse.appendHeader(extraHeaders[index] ?? "", extraHeaders[index + 1] ?? "");
  }
  nodeResponse.once("finish", () => exchange.respondedElsewhere(nodeResponse.statusCode));
  fallback(nodeRequest, nodeResponse);
}
