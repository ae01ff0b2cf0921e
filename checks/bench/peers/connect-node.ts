import { connectNodeAdapter } from "@connectrpc/connect-node";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { Tool } from "../../../src/tools/tool.js";
import { peerHandler } from "./handlers.js";

/** The listener of connect-node, as in its documentation. */
export function connectListener(tools: readonly Tool[]) {
  const handler = peerHandler(tools, GeoIpService.method.lookupIp);
  return connectNodeAdapter({
    // Our JSON includes fields with default values.
    jsonOptions: { alwaysEmitImplicit: true },
    routes: (router) => router.service(GeoIpService, { lookupIp: handler }),
  });
}
