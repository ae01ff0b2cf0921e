import { createHttpServer, type ServerRequest } from "one-port";
import { type ReadingServer, type ReadRequest, type Recorder, statusFor } from "./readings.js";

/** Starts the HTTP server of this project. */
export async function startOurs(): Promise<ReadingServer> {
  const recorder: Recorder = new Map();
  const server = createHttpServer({
    // As much as the peers accept.
    maxHeaderBytes: 65_536,
    onRequest: (request) =>
      record(request, (read) => recorder.get(request.connection.socket.remotePort ?? 0)?.push(read)),
  });
  const { port } = await server.listen("127.0.0.1", 0);
  return { name: "ours", port, recorder, close: () => server.close(0) };
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
