import { buffer } from "node:stream/consumers";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { HTTP_VERSION_2, listen } from "./hosts.js";
import { loadProtos } from "./load-protos.js";

// The server that the suite's runner starts for each configuration. It reads the configuration from standard input and
// writes its address to standard output; each message is prefixed with its length (4 bytes, big-endian). The arguments
// are the file with the suite's protos, and the host that receives the requests. A signal ends it.
// https://github.com/connectrpc/conformance/blob/main/docs/testing_servers.md#starting-your-server

const HOST = "127.0.0.1";

async function main(protosPath: string, host: string): Promise<void> {
  const protos = await loadProtos(protosPath);
  const input = await buffer(process.stdin);
  const { messageReceiveLimit, httpVersion } = fromBinary(
    protos.serverRequest,
    input.subarray(4, 4 + input.readUInt32BE(0)),
  );
  const port = await listen(host, {
    protos,
    maxRequestBytes: messageReceiveLimit,
    isHttp2: httpVersion === HTTP_VERSION_2,
  });
  const response = toBinary(protos.serverResponse, create(protos.serverResponse, { host: HOST, port }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(response.length);
  process.stdout.write(Buffer.concat([length, response]));
}

const [, , protosPath, host = "server"] = process.argv;
if (protosPath === undefined) {
  throw new Error(
    "usage: server.ts FILE [server|node|fetch]; FILE is a FileDescriptorSet with the suite's protos",
  );
}
await main(protosPath, host);
