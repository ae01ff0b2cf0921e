import { promisify } from "node:util";
import { Server, ServerCredentials, type ServiceDefinition, type sendUnaryData } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { Tool } from "../../../src/tools/tool.js";
import { bodiesOf } from "./bodies.js";
import { TLS, urlOf } from "./listen.js";

/** The folders of our .proto files and their imports, relative to the folder in which benchmarks run. */
const PROTOS = ["proto", "packages/connect-transcoding/proto"];

/** The grpc-js server with definitions that proto-loader creates from our .proto files (protobufjs). */
export function startGrpcJs(tools: readonly Tool[]): Promise<string> {
  const { geoIp } = bodiesOf(tools);
  const server = new Server();
  server.addService(serviceDefinition(), {
    // Fields have their proto names, as in JSON responses.
    lookupIp: ({ request }: { request: { ip_address: string } }, respond: sendUnaryData<object>) =>
      respond(null, geoIp(request.ip_address)),
  });
  return listenGrpc(server);
}

/** Starts a server of grpc-js on a free port, with TLS if the environment has a certificate. Resolves to its URL. */
export async function listenGrpc(server: Server): Promise<string> {
  const serverCredentials =
    TLS === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ private_key: TLS.key, cert_chain: TLS.cert }]);
  return urlOf(await promisify(server.bindAsync.bind(server))("127.0.0.1:0", serverCredentials));
}

function serviceDefinition(): ServiceDefinition {
  const definitions = loadSync("utilitytools/v1/geoip.proto", { includeDirs: PROTOS, keepCase: true });
  // proto-loader distinguishes services from messages only by shape. This name is a service's.
  return definitions[GeoIpService.typeName] as ServiceDefinition;
}
