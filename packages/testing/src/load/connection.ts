import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

export interface Answer {
  readonly status: number;
  /** The header or trailer `grpc-status`. */
  readonly grpcStatus: string | undefined;
  readonly body: Buffer;
}

/** What a connection tells its user. A ticket is what the user has sent a request with. */
export interface Listener<T> {
  answered(ticket: T, answer: Answer): void;
  /** Called for a request without a response. The server has not read it for sure if `isUnread`. */
  lost(ticket: T, problem: string, isUnread: boolean): void;
  /** Called when there may be room for another request. */
  idle(): void;
  /** Called once, after all requests have been answered or lost. */
  closed(problem: string): void;
}

/** A connection that sends encoded requests. */
export interface Connection<T> {
  /** How many more requests can be sent now. */
  room(): number;
  /** Whether it takes requests, now or later. */
  isOpen(): boolean;
  send(index: number, ticket: T): void;
  destroy(): void;
  /** The local port, once it is connected. */
  localPort(): number | undefined;
}

export interface ConnectionOptions {
  /** The certificate to trust. Default: any. */
  readonly ca?: string | undefined;
  /** The name in the certificate. Default: the host of the URL. */
  readonly servername?: string;
  readonly localAddress?: string;
}

export function openSocket(
  { protocol, hostname: host, port }: URL,
  http: 1 | 2,
  { ca, servername, localAddress }: ConnectionOptions,
): { readonly socket: Socket; localPort(): number | undefined } {
  const address = { host, port: Number(port), noDelay: true, ...(localAddress && { localAddress }) };
  const socket =
    protocol === "https:"
      ? connectTls({
          ...address,
          ALPNProtocols: [http === 2 ? "h2" : "http/1.1"],
          ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
          ...(servername && { servername }),
        })
      : connectTcp(address);
  // A closed socket no longer has it.
  let localPort: number | undefined;
  socket.once("connect", () => {
    localPort = socket.localPort;
  });
  return { socket, localPort: () => localPort };
}
