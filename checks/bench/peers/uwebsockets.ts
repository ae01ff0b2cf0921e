import { createRequire } from "node:module";
import type { Tool } from "../../../src/tools/tool.js";
import { bodiesOf } from "./bodies.js";
import { urlOf } from "./listen.js";

/** The part of uWebSockets.js that this peer uses. */
interface UWebSockets {
  App(): UApp;
  SSLApp(options: { readonly cert_file_name: string; readonly key_file_name: string }): UApp;
  us_socket_local_port(socket: unknown): number;
}
interface UApp {
  get(
    path: string,
    handler: (response: UResponse, request: { getQuery(key: string): string | undefined }) => void,
  ): UApp;
  listen(host: string, port: number, listening: (socket: unknown) => void): UApp;
}
interface UResponse {
  writeHeader(name: string, value: string): UResponse;
  end(body: string): void;
}

/** A minimal server on uWebSockets.js for one route. Its native module exists for Node 16 to 20. */
export function startUWebSockets(tools: readonly Tool[]): Promise<string> {
  const uws: UWebSockets = createRequire(import.meta.url)("@trufflesuite/uws-js-unofficial");
  const { geoIp } = bodiesOf(tools);
  const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } = process.env;
  const server = cert && key ? uws.SSLApp({ cert_file_name: cert, key_file_name: key }) : uws.App();
  const app = server.get("/v1/geoIp", (response, request) => {
    const body = JSON.stringify(geoIp(request.getQuery("ip_address") ?? ""));
    response.writeHeader("content-type", "application/json; charset=utf-8").end(body);
  });
  return new Promise((resolve) => {
    app.listen("127.0.0.1", 0, (socket) => resolve(urlOf(uws.us_socket_local_port(socket))));
  });
}
