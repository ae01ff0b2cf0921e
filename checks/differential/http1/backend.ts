import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type ReadRequest, type Recorder, statusFor } from "./readings.js";

/** The header with the port of the client, which the proxies set. */
export const CLIENT_PORT = "x-client-port";
/** The header with the host as the proxy has read it. */
export const READ_HOST = "x-read-host";

const HEAD_END = "\r\n\r\n";

/** A server behind a proxy. */
export interface Backend {
  readonly port: number;
  close(): void;
}

/**
 * Starts a server that records what a proxy sends. Proxies delimit messages in the plain forms that it knows; it checks nothing
 * else, so that every difference comes from the proxy.
 */
export async function startBackend(recorder: Recorder): Promise<Backend> {
  const server = createServer({ noDelay: true }, (socket) => receive(socket, recorder));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

/** A request whose body is being received. */
interface Open {
  readonly request: ReadRequest;
  /** The number of bytes that are left of the body, or of the chunk with its CRLF. */
  left: number;
  readonly isChunked: boolean;
}

function receive(socket: Socket, recorder: Recorder): void {
  let input = "";
  let open: Open | undefined;
  socket.on("error", () => {});
  socket.on("data", (data: Buffer) => {
    input += data.toString("latin1");
    while (step()) {}
  });

  /** Returns whether input may be left to parse. */
  function step(): boolean {
    if (open === undefined) {
      const end = input.indexOf(HEAD_END);
      if (end < 0) {
        return false;
      }
      const head = parseHead(input.slice(0, end));
      input = input.slice(end + HEAD_END.length);
      recorder.get(head.clientPort)?.push(head.request);
      open = head;
    }
    return open.isChunked ? readChunk(open) : readRest(open);
  }

  function readRest(body: Open): boolean {
    body.left -= take(body, body.left);
    return body.left === 0 && complete(body);
  }

  function readChunk(body: Open): boolean {
    if (body.left > 0) {
      // The last two bytes are the CRLF.
      body.left -= take(body, body.left - 2);
      if (body.left > 2 || input.length < 2) {
        return false;
      }
      input = input.slice(2);
      body.left = 0;
    }
    const lineEnd = input.indexOf("\r\n");
    const size = Number.parseInt(input.slice(0, Math.max(lineEnd, 0)), 16);
    if (lineEnd < 0) {
      return false;
    }
    if (size > 0) {
      input = input.slice(lineEnd + 2);
      body.left = size + 2;
      return true;
    }
    // Trailers may follow.
    const end = input.indexOf(HEAD_END);
    if (end < 0) {
      return false;
    }
    input = input.slice(end + HEAD_END.length);
    return complete(body);
  }

  function take({ request }: Open, length: number): number {
    const taken = input.slice(0, length);
    input = input.slice(taken.length);
    request.body.push(Buffer.from(taken, "latin1"));
    return taken.length;
  }

  function complete({ request }: Open): boolean {
    open = undefined;
    request.isComplete = true;
    socket.write(`HTTP/1.1 ${statusFor(request.target)} OK\r\ncontent-length: 0\r\n\r\n`);
    return true;
  }
}

function parseHead(head: string): Open & { clientPort: number } {
  const [start = "", ...lines] = head.split("\r\n");
  const methodEnd = start.indexOf(" ");
  const headers = lines.flatMap((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).replaceAll(/^[ \t]+|[ \t]+$/g, "")];
  });
  const get = (name: string): string | undefined => {
    const index = headers.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === name);
    return index < 0 ? undefined : headers[index + 1];
  };
  const request: ReadRequest = {
    method: start.slice(0, methodEnd),
    target: start.slice(methodEnd + 1, start.lastIndexOf(" ")),
    headers,
    host: get(READ_HOST) ?? get("host") ?? "",
    body: [],
    isComplete: false,
  };
  return {
    request,
    clientPort: Number(get(CLIENT_PORT)),
    isChunked: get("transfer-encoding") !== undefined,
    left: Number(get("content-length") ?? 0),
  };
}
