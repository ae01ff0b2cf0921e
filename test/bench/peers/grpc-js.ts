import { Server, ServerCredentials, type ServiceDefinition, type sendUnaryData } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { ServiceImplementation } from "connect-transcoding";
import { testCall } from "../../../packages/connect-transcoding/test/node/call.js";
import { geoIpBody } from "./bodies.js";
import { peerHandler } from "./handlers.js";

/** Our .proto files, and those that they import, in the folder that benchmarks run in. */
const PROTOS = ["proto", "node_modules/google-gax/build/protos"];

/** The grpc-js server with the definitions that proto-loader makes of our .proto files, that is with protobufjs. */
export async function startGrpcJs(services: readonly ServiceImplementation[]): Promise<string> {
  const lookupIp = peerHandler(services, GeoIpService.method.lookupIp);
  const call = testCall(GeoIpService.method.lookupIp);
  const server = new Server();
  server.addService(serviceDefinition(), {
    // Fields have their proto names here, as those of the JSON answers do.
    lookupIp: ({ request }: { request: { ip_address: string } }, answer: sendUnaryData<object>) =>
      lookupIp({ ipAddress: request.ip_address }, call, (message) => answer(null, geoIpBody(message))),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return `http://127.0.0.1:${port}`;
}

function serviceDefinition(): ServiceDefinition {
  const definitions = loadSync("utilitytools/v1/geoip.proto", { includeDirs: PROTOS, keepCase: true });
  // proto-loader tells services from messages by their shape alone; this name is a service's.
  return definitions[GeoIpService.typeName] as ServiceDefinition;
}
