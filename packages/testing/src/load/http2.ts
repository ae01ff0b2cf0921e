import {
  ClientConnection,
  type CloseReason,
  ErrorCode,
  encodePseudoHeaders,
  type ResponseHead,
} from "@utility-tools/http-server/client";
import { type Connection, type ConnectionOptions, type Listener, openSocket } from "./connection.js";
import type { EncodedHttp2, Workload } from "./workload.js";

/** Encodes requests for HTTP/2. */
export function encodeHttp2(
  { grpc, method, authority, headers, requests }: Workload,
  isTls: boolean,
): EncodedHttp2 {
  const scheme = isTls ? "https" : "http";
  return {
    http: 2,
    requests: requests.map(({ path, body }) => ({
      pseudoHeaders: encodePseudoHeaders({ method, scheme, authority, path }),
      headers: [...headers.flat(), ...(body.length > 0 && !grpc ? ["content-length", `${body.length}`] : [])],
      body,
    })),
  };
}

/** Opens a connection of HTTP/2 with at most `maxStreams` requests at a time. */
export function connectHttp2<T>(
  url: URL,
  { requests }: EncodedHttp2,
  listener: Listener<T>,
  options: ConnectionOptions,
  maxStreams: number,
): Connection<T> {
  const { socket, localPort } = openSocket(url, 2, options);
  const connection = new ClientConnection(socket, {
    onReady: () => listener.idle(),
    onRoom: () => {},
    onRetire: () => {},
    onClose: (problem) => {
      const { code, message } = (problem ?? { message: "closed" }) as NodeJS.ErrnoException;
      listener.closed(code ?? message);
    },
  });

  function send(index: number, ticket: T): void {
    const request = requests[index];
    if (request === undefined) {
      throw new Error(`there is no request ${index}`);
    }
    const parts: Buffer[] = [];
    let head: ResponseHead | undefined;
    const stream = connection.request(request.pseudoHeaders, request.headers, {
      onHead: (received) => {
        head = received;
      },
      // Its memory is used again.
      onData: (part) => void parts.push(Buffer.from(part)),
      onEnd: (trailers) => {
        const grpcStatus = trailers?.get("grpc-status") ?? head?.get("grpc-status");
        listener.answered(ticket, { status: head?.status ?? 0, grpcStatus, body: Buffer.concat(parts) });
        listener.idle();
      },
      onClose: (reason) => {
        listener.lost(ticket, problemOf(reason), isUnread(reason));
        listener.idle();
      },
      onDrain: () => {},
    });
    stream.end(request.body);
  }

  return {
    room: () => (connection.hasRoom ? maxStreams - connection.open : 0),
    isOpen: () => !connection.isRetired && !connection.isOver,
    send,
    destroy: () => connection.destroy(),
    localPort,
  };
}

function problemOf(reason: CloseReason): string {
  return reason.kind === "reset"
    ? `reset ${reason.code}`
    : reason.kind === "invalid"
      ? reason.problem
      : reason.kind;
}

function isUnread(reason: CloseReason): boolean {
  return reason.kind === "refused" || (reason.kind === "reset" && reason.code === ErrorCode.REFUSED_STREAM);
}
