// The server that the suite's runner starts for each configuration. It reads the configuration from standard input and
// writes its address to standard output; each message is prefixed with its length (4 bytes, big-endian). The arguments
// are the file with the suite's protos, and the host that receives the requests. A signal ends it.
// https://github.com/connectrpc/conformance/blob/main/docs/testing_servers.md#starting-your-server
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttp1Server } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { buffer } from "node:stream/consumers";
import { create, createFileRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createServer, createTranscodingAdapter } from "connect-transcoding";
import { createTranscodingHandler } from "connect-transcoding/fetch";
import { conformanceRoutes } from "./conformance-service.mjs";

const PACKAGE = "connectrpc.conformance.v1";
/** The value of the suite's enum `HTTPVersion`. */
const HTTP_VERSION_2 = 2;
const hostname = "127.0.0.1";
const reportBug = (bug) => console.error("bug:", bug);

const [, , protosPath, host = "server"] = process.argv;
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(protosPath)));
const service = registry.getService(`${PACKAGE}.ConformanceService`);
const routes = conformanceRoutes(service, registry);

/** Each host listens on a free port, and resolves to it. */
const HOSTS = {
  server: async (maxRequestBytes) => {
    const { port } = await createServer(optionsOf(maxRequestBytes)).listen(hostname, 0);
    return port;
  },
  node: async (maxRequestBytes, isHttp2) => {
    const handler = createTranscodingAdapter(optionsOf(maxRequestBytes));
    const server = (isHttp2 ? createHttp2Server : createHttp1Server)(handler).listen(0, hostname);
    await once(server, "listening");
    return server.address().port;
  },
  /** The servers of Bun and Deno. Node has none with the interface of fetch. */
  fetch: (maxRequestBytes) => {
    const handle = createTranscodingHandler(optionsOf(maxRequestBytes));
    const { Bun, Deno } = globalThis;
    return Bun === undefined
      ? Deno.serve({ port: 0, hostname, onListen: () => {} }, handle).addr.port
      : Bun.serve({ port: 0, hostname, idleTimeout: 0, fetch: handle }).port;
  },
};

function optionsOf(readMaxBytes) {
  return { routes, readMaxBytes, transcoding: { registry, onError: reportBug } };
}

const [requestType, responseType] = ["ServerCompatRequest", "ServerCompatResponse"].map((name) =>
  registry.getMessage(`${PACKAGE}.${name}`),
);
const input = await buffer(process.stdin);
const request = fromBinary(requestType, input.subarray(4, 4 + input.readUInt32BE(0)));
const port = await HOSTS[host](request.messageReceiveLimit, request.httpVersion === HTTP_VERSION_2);
const response = toBinary(responseType, create(responseType, { host: hostname, port: Number(port) }));
const length = Buffer.alloc(4);
length.writeUInt32BE(response.length);
process.stdout.write(Buffer.concat([length, response]));
