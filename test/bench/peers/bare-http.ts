import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import type { ServiceImplementation } from "connect-transcoding";
import { testCall } from "../../../packages/connect-transcoding/test/node/call.js";
import { geoIpBatchBody, geoIpBody, otpBody } from "./bodies.js";
import { peerHandler } from "./handlers.js";
import { listenOnLoopback } from "./listen.js";

const PARAMETER = "ip_address=";

/** A minimal server on `node:http` for two routes, without checks except those of the handlers. */
export function startBareHttp(services: readonly ServiceImplementation[]): Promise<string> {
  const lookupIp = peerHandler(services, GeoIpService.method.lookupIp);
  const lookupCall = testCall(GeoIpService.method.lookupIp);
  const batchLookupIps = peerHandler(services, GeoIpService.method.batchLookupIps);
  const batchCall = testCall(GeoIpService.method.batchLookupIps);
  const verifyOtp = peerHandler(services, OtpService.method.verifyOtp);
  const verifyCall = testCall(OtpService.method.verifyOtp);

  const server = createServer((request, response) => {
    const url = request.url ?? "";
    const mark = url.indexOf("?");
    const path = mark === -1 ? url : url.slice(0, mark);
    if (path === "/v1/geoIp" && request.method === "GET") {
      const ipAddress = parameterOf(url, mark + 1);
      lookupIp({ ipAddress }, lookupCall, (answer) => send(response, geoIpBody(answer)));
    } else if (path === "/v1/geoIp:batch" && request.method === "POST") {
      readJson<{ ip_addresses: string[] }>(request, ({ ip_addresses }) => {
        batchLookupIps({ ipAddresses: ip_addresses }, batchCall, (answer) =>
          send(response, geoIpBatchBody(answer)),
        );
      });
    } else if (path === "/v1/otp" && request.method === "POST") {
      readJson<{ secret: string; digits?: number }>(request, (body) => {
        verifyOtp(body, verifyCall, (answer) => {
          response.setHeader("cache-control", "no-store");
          send(response, otpBody(answer));
        });
      });
    } else {
      response.writeHead(404).end();
    }
  });
  return listenOnLoopback(server);
}

/** Returns the only parameter, which starts at `start` in the URL. Decodes it only if necessary. */
function parameterOf(url: string, start: number): string {
  if (!url.startsWith(PARAMETER, start)) {
    return "";
  }
  const value = url.slice(start + PARAMETER.length);
  return value.includes("%") ? decodeURIComponent(value) : value;
}

function readJson<T>(request: IncomingMessage, use: (body: T) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const [first = Buffer.alloc(0)] = chunks;
    use(JSON.parse((chunks.length === 1 ? first : Buffer.concat(chunks)).toString()));
  });
}

function send(response: ServerResponse, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}
