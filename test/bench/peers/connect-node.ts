import { createServer as createHttpServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { MessageShape } from "@bufbuild/protobuf";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { GeoIpService, type LookupIpResponseSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { ServiceImplementation } from "connect-transcoding";
import { testCall } from "../../../packages/connect-transcoding/test/node/call.js";
import { peerHandler } from "./handlers.js";
import { listenOnLoopback } from "./listen.js";

/** connect-node as its documentation has it, over HTTP/1.1. */
export function startConnectHttp1(services: readonly ServiceImplementation[]): Promise<string> {
  return listenOnLoopback(createHttpServer(adapter(services)));
}

/** connect-node as its documentation has it, over HTTP/2. */
export function startConnectHttp2(services: readonly ServiceImplementation[]): Promise<string> {
  return listenOnLoopback(createHttp2Server(adapter(services)));
}

function adapter(services: readonly ServiceImplementation[]) {
  const handler = peerHandler(services, GeoIpService.method.lookupIp);
  const call = testCall(GeoIpService.method.lookupIp);
  return connectNodeAdapter({
    // As our own JSON has it: fields with their default value are there.
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
