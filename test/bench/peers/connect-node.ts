import { createServer as createHttpServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { MessageShape } from "@bufbuild/protobuf";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { GeoIpService, type LookupIpResponseSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { ServiceImplementation } from "connect-transcoding";
import { testCall } from "../../../packages/connect-transcoding/test/node/call.js";
import { peerHandler } from "./handlers.js";
import { listenOnLoopback } from "./listen.js";

/** connect-node over HTTP/1.1, as in its documentation. */
export function startConnectHttp1(services: readonly ServiceImplementation[]): Promise<string> {
  return listenOnLoopback(createHttpServer(adapter(services)));
}

/** connect-node over HTTP/2, as in its documentation. */
export function startConnectHttp2(services: readonly ServiceImplementation[]): Promise<string> {
  return listenOnLoopback(createHttp2Server(adapter(services)));
}

function adapter(services: readonly ServiceImplementation[]) {
  const handler = peerHandler(services, GeoIpService.method.lookupIp);
  const call = testCall(GeoIpService.method.lookupIp);
  return connectNodeAdapter({
    // Our JSON includes fields with default values.
    jsonOptions: { alwaysEmitImplicit: true },
    routes: (router) =>
      router.service(GeoIpService, {
        lookupIp: (request) =>
          new Promise<MessageShape<typeof LookupIpResponseSchema>>((resolve) =>
            handler(request, call, resolve),
          ),
      }),
  });
}
