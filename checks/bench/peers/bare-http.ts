import type { IncomingMessage, ServerResponse } from "node:http";
import { GeoIpService, LookupView } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import type { Tool } from "../../../src/tools/tool.js";
import { geoIpBatchBody, geoIpBody, otpBody } from "./bodies.js";
import { peerHandler } from "./handlers.js";
import { http1Server, listenOnLoopback } from "./listen.js";
import { parameterOf } from "./parameter.js";

/** A minimal server on `node:http` for two routes, without checks except those of the handlers. */
export function startBareHttp(tools: readonly Tool[]): Promise<string> {
  const lookupIp = peerHandler(tools, GeoIpService.method.lookupIp);
  const batchLookupIps = peerHandler(tools, GeoIpService.method.batchLookupIps);
  const verifyOtp = peerHandler(tools, OtpService.method.verifyOtp);

  const server = http1Server((request, response) => {
    const url = request.url ?? "";
    const mark = url.indexOf("?");
    const path = mark === -1 ? url : url.slice(0, mark);
    if (path === "/v1/geoIp" && request.method === "GET") {
      const ipAddress = parameterOf(url, mark + 1);
      send(response, geoIpBody(lookupIp({ ipAddress, view: LookupView.BASIC })));
    } else if (path === "/v1/geoIp:batch" && request.method === "POST") {
      readJson<{ ip_addresses: string[] }>(request, async ({ ip_addresses }) => {
        // A promise for a batch that takes longer than one turn.
        const found = await batchLookupIps({ ipAddresses: ip_addresses, view: LookupView.BASIC });
        send(response, geoIpBatchBody(found));
      });
    } else if (path === "/v1/otp" && request.method === "POST") {
      readJson<{ secret: string; digits?: number }>(request, (body) => {
        response.setHeader("cache-control", "no-store");
        send(response, otpBody(verifyOtp({ keyUri: "", ...body })));
      });
    } else {
      response.writeHead(404).end();
    }
  });
  return listenOnLoopback(server);
}

function readJson<T>(request: IncomingMessage, use: (body: T) => void | Promise<void>): void {
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
