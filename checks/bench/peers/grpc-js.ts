import { Server, ServerCredentials, type ServiceDefinition, type sendUnaryData } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { GeoIpService, LookupView } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { Tool } from "../../../src/tools/tool.js";
import { geoIpBody } from "./bodies.js";
import { peerHandler } from "./handlers.js";
import { TLS } from "./listen.js";

/** The folders of our .proto files and their imports, relative to the folder in which benchmarks run. */
const PROTOS = ["proto", "packages/connect-transcoding/proto"];

/** The grpc-js server with definitions that proto-loader creates from our .proto files (protobufjs). */
export async function startGrpcJs(tools: readonly Tool[]): Promise<string> {
  const lookupIp = peerHandler(tools, GeoIpService.method.lookupIp);
  const server = new Server();
  server.addService(serviceDefinition(), {
    // Fields have their proto names, as in JSON responses.
    lookupIp: ({ request }: { request: { ip_address: string } }, respond: sendUnaryData<object>) =>
      respond(null, geoIpBody(lookupIp({ ipAddress: request.ip_address, view: LookupView.BASIC }))),
  });
  const serverCredentials =
    TLS === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ private_key: TLS.key, cert_chain: TLS.cert }]);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", serverCredentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return `${TLS === undefined ? "http" : "https"}://127.0.0.1:${port}`;
}

function serviceDefinition(): ServiceDefinition {
  const definitions = loadSync("utilitytools/v1/geoip.proto", { includeDirs: PROTOS, keepCase: true });
  // proto-loader distinguishes services from messages only by shape. This name is a service's.
  return definitions[GeoIpService.typeName] as ServiceDefinition;
}
