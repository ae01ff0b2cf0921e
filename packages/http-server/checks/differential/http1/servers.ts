import { createHttpServer, type ServerRequest } from "@utility-tools/http-server";
import { startNginx } from "connect-transcoding-testing/processes/programs.js";
import { NO_HOST, type ReadingServer, type ReadRequest, type Recorder, statusFor } from "./readings.js";

/** The header with the port of the client, which the proxy sets. */
const CLIENT_PORT = "x-client-port";
/** The header with the host as the proxy has read it. */
const READ_HOST = "x-read-host";

/** Starts the HTTP server of this project. */
export function startOurs(): Promise<ReadingServer> {
  return startRecording((request) => request.connection.socket.remotePort);
}

async function startRecording(
  clientPort: (request: ServerRequest) => number | undefined,
): Promise<ReadingServer> {
  const recorder: Recorder = new Map();
  const server = createHttpServer({
    // As much as nginx accepts.
    maxHeaderBytes: 65_536,
    // The proxy keeps its connections.
    idleTimeout: 600_000,
    onRequest: (request) => recorder.get(clientPort(request) ?? 0)?.push(record(request)),
  });
  const { port } = await server.listen("127.0.0.1", 0);
  return { port, recorder, close: () => server.close(0) };
}

function record(request: ServerRequest): ReadRequest {
  const { method, target, headers, authority = "" } = request;
  const host = headers.get(READ_HOST) ?? authority;
  const read: ReadRequest = { method, target, headers: headers.list, host, body: [], isComplete: false };
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
  return read;
}

/**
 * Starts nginx in front of a server of ours that records what nginx sends: it delimits messages in plain forms, so a difference comes
 * from what it has read.
 */
export async function startProxy(): Promise<ReadingServer> {
  const backend = await startRecording(({ headers }) => Number(headers.get(CLIENT_PORT)));
  const proxy = await startNginx((_, port) => nginxConfig(port, backend.port));
  return {
    port: proxy.port,
    recorder: backend.recorder,
    close: async () => {
      await proxy.stop();
      await backend.close();
    },
  };
}

/**
 * nginx changes as little as it can, and sends each head at once. Hosts are compared as `$host`, because that is what it routes by. It
 * sends no header with an empty value.
 */
function nginxConfig(port: number, backendPort: number): string {
  return `
  access_log off;
  upstream backend { server 127.0.0.1:${backendPort}; keepalive 256; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port};
    merge_slashes off; underscores_in_headers on; ignore_invalid_headers off;
    client_header_buffer_size 64k; large_client_header_buffers 8 64k; client_max_body_size 0;
    keepalive_requests 1000000;
    location / {
      proxy_pass http://backend;
      proxy_http_version 1.1; proxy_request_buffering off; proxy_buffering off;
      proxy_set_header Connection ""; proxy_set_header Host ${NO_HOST};
      proxy_set_header ${CLIENT_PORT} $remote_port; proxy_set_header ${READ_HOST} $host;
    }
  }`;
}
