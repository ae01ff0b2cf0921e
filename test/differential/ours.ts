import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { ByteBudget, type ServerRequest, serveHttp1 } from "one-port";
import { createRecorder, type ReadingServer, type ReadRequest, statusFor } from "./reading.js";

const TIMES = { headersTimeout: 60_000, requestTimeout: 60_000, idleTimeout: 60_000 };
const REJECTION = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/** Starts the HTTP server of this project. What it does not serve itself is rejected. */
export async function startOurs(): Promise<ReadingServer> {
  const recorder = createRecorder();
  const budget = new ByteBudget(2 ** 30);
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const clientPort = socket.remotePort ?? 0;
    serveHttp1(socket, {
      ...TIMES,
      maxHeaderBytes: 65_536,
      budget,
      onRequest: (request) => record(request, (read) => recorder.add(clientPort, read)),
      handOver: (rejected) => rejected.on("error", () => {}).end(REJECTION),
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    name: "ours",
    port: (server.address() as AddressInfo).port,
    recorder,
    close: async () => void server.close(),
  };
}

function record(request: ServerRequest, add: (read: ReadRequest) => void): void {
  const { method, target, headers, authority = "" } = request;
  const read: ReadRequest = {
    method,
    target,
    headers: headers.list,
    host: authority,
    body: [],
    isComplete: false,
  };
  add(read);
  request.readBody(Number.MAX_SAFE_INTEGER, (body) => {
    if (body === "too large") {
      request.respond(413, [], undefined);
      return;
    }
    // The bytes are valid only during this call.
    read.body.push(Buffer.from(body));
    read.isComplete = true;
    request.respond(statusFor(target), [], undefined);
  });
}
