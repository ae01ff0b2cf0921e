import type { IncomingMessage, ServerResponse } from "node:http";
import type { Tool } from "../../../src/tools/tool.js";
import { bodiesOf, type Requests } from "./bodies.js";
import { http1Server, listenOnLoopback } from "./listen.js";
import { parameterOf } from "./parameter.js";

/** A minimal server on `node:http` for two routes, without checks except those of the handlers. */
export function startBareHttp(tools: readonly Tool[]): Promise<string> {
  const { geoIp, geoIpBatch, otp } = bodiesOf(tools);
  const server = http1Server((request, response) => {
    const url = request.url ?? "";
    const mark = url.indexOf("?");
    const path = mark === -1 ? url : url.slice(0, mark);
    if (path === "/v1/geoIp" && request.method === "GET") {
      send(response, geoIp(parameterOf(url, mark + 1)));
    } else if (path === "/v1/geoIp:batch" && request.method === "POST") {
      readJson<Requests["batch"]>(request, async (body) => send(response, await geoIpBatch(body)));
    } else if (path === "/v1/otp" && request.method === "POST") {
      readJson<Requests["otp"]>(request, (body) => {
        response.setHeader("cache-control", "no-store");
        send(response, otp(body));
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
