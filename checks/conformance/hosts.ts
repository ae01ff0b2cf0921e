import { once } from "node:events";
import { createServer as createHttp1Server } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { createTranscodingAdapter, type SharedOptions } from "connect-transcoding";
import { createTranscodingHandler } from "connect-transcoding/fetch";
import { startServer } from "../../src/service/server.js";
import { conformanceRoutes } from "./conformance-service.js";
import type { Protos } from "./load-protos.js";

/** The value of the suite's enum `HTTPVersion`. */
export const HTTP_VERSION_2 = 2;

const HOSTNAME = "127.0.0.1";

interface Settings {
  readonly protos: Protos;
  readonly maxRequestBytes: number;
  readonly isHttp2: boolean;
}

const reportBug = (bug: unknown): void => console.error("bug:", bug);

/** Serves the suite's methods with a host. Resolves to the port. */
export async function listen(host: string, settings: Settings): Promise<number> {
  switch (host) {
    case "server":
      return serveService(settings);
    case "node":
      return serveNode(settings);
    case "fetch":
      return serveFetch(settings);
    default:
      throw new Error(`the host ${host} is not one of server, node and fetch`);
  }
}

function optionsOf({ protos, maxRequestBytes }: Settings): SharedOptions {
  return {
    routes: conformanceRoutes(protos),
    readMaxBytes: maxRequestBytes,
    transcoding: { registry: protos.registry, onError: reportBug },
  };
}

/** The service itself, with all that it adds to the engine. */
async function serveService({ protos, maxRequestBytes }: Settings): Promise<number> {
  const server = await startServer({
    host: HOSTNAME,
    port: 0,
    publicBaseUrl: undefined,
    unknownParameters: "reject",
    maxRequestBytes,
    tools: [{ service: protos.service, routes: conformanceRoutes(protos) }],
    documentation: { info: { title: "Conformance", version: "1", description: "" }, comments: {} },
    reportBug,
  });
  if (!server.ok) {
    throw new Error(server.failure.description);
  }
  return Number(new URL(server.value.url).port);
}

async function serveNode(settings: Settings): Promise<number> {
  const handler = createTranscodingAdapter(optionsOf(settings));
  const server = settings.isHttp2 ? createHttp2Server(handler) : createHttp1Server(handler);
  server.listen(0, HOSTNAME);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** The servers of Bun and Deno, as far as they are used here. */
interface FetchRuntimes {
  readonly Bun?: {
    serve(options: object): { readonly port: number };
  };
  readonly Deno?: {
    serve(options: object, handle: (request: Request) => Promise<Response>): { readonly addr: AddressInfo };
  };
}

function serveFetch(settings: Settings): number {
  const handle = createTranscodingHandler(optionsOf(settings));
  const { Bun, Deno } = globalThis as FetchRuntimes;
  if (Bun !== undefined) {
    return Bun.serve({ port: 0, hostname: HOSTNAME, idleTimeout: 0, fetch: handle }).port;
  }
  if (Deno !== undefined) {
    return Deno.serve({ port: 0, hostname: HOSTNAME, onListen: () => {} }, handle).addr.port;
  }
  throw new Error("Node has no server with the interface of fetch; run this with Bun or Deno");
}
