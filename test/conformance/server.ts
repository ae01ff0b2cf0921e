import { buffer } from "node:stream/consumers";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { startServer } from "../../src/service/server.js";
import { conformanceRoutes } from "./conformance-service.js";
import { loadProtos } from "./load-protos.js";

// The server that the suite's runner starts for each configuration. It reads the configuration from standard input and
// writes its address to standard output; each message is prefixed with its length (4 bytes, big-endian). The argument
// is the file with the suite's protos. A signal ends it.
// https://github.com/connectrpc/conformance/blob/main/docs/testing_servers.md#starting-your-server

const HOST = "127.0.0.1";

async function main(protosPath: string): Promise<void> {
  const protos = await loadProtos(protosPath);
  const input = await buffer(process.stdin);
  const { messageReceiveLimit } = fromBinary(
    protos.serverRequest,
    input.subarray(4, 4 + input.readUInt32BE(0)),
  );
  const server = await startServer({
    host: HOST,
    port: 0,
    publicBaseUrl: undefined,
    unknownParameters: "reject",
    maxRequestBytes: messageReceiveLimit,
    tools: [{ service: protos.service, routes: conformanceRoutes(protos) }],
    documentation: { info: { title: "Conformance", version: "1", description: "" }, comments: {} },
    reportBug: (bug, method = "the server") => console.error(`bug in ${method}:`, bug),
  });
  if (!server.ok) {
    throw new Error(server.failure.description);
  }
  const { port } = new URL(server.value.url);
  const response = toBinary(
    protos.serverResponse,
    create(protos.serverResponse, { host: HOST, port: Number(port) }),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32BE(response.length);
  process.stdout.write(Buffer.concat([length, response]));
}

const [, , protosPath] = process.argv;
if (protosPath === undefined) {
  throw new Error("usage: server.js FILE, a google.protobuf.FileDescriptorSet with the suite's protos");
}
await main(protosPath);
