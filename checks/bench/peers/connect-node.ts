import { connectNodeAdapter } from "@connectrpc/connect-node";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { Tool } from "../../../src/tools/tool.js";
import { peerHandler } from "./handlers.js";
import { http1Server, http2Server, listenOnLoopback } from "./listen.js";

/** connect-node over HTTP/1.1, as in its documentation. */
export function startConnectHttp1(tools: readonly Tool[]): Promise<string> {
  return listenOnLoopback(http1Server(adapter(tools)));
}

/** connect-node over HTTP/2, as in its documentation. */
export function startConnectHttp2(tools: readonly Tool[]): Promise<string> {
  return listenOnLoopback(http2Server(adapter(tools)));
}

function adapter(tools: readonly Tool[]) {
  const handler = peerHandler(tools, GeoIpService.method.lookupIp);
  return connectNodeAdapter({
    // Our JSON includes fields with default values.
    jsonOptions: { alwaysEmitImplicit: true },
    routes: (router) => router.service(GeoIpService, { lookupIp: handler }),
  });
}
