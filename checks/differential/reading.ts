/** A request as a server has read it. One character of its texts is one byte. */
export interface ReadRequest {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn, as received. */
  readonly headers: readonly string[];
  /** The host of the request, if the server reports it separately. */
  readonly host?: string;
  /** The parts of the body so far. */
  readonly body: Buffer[];
  /** Whether the whole body has been received. */
  isComplete: boolean;
}

/** How a connection ended. */
export type End =
  /** It is still open: the server waits for more bytes, or for the next request. */
  | "open"
  /** The server closed it after its last response. */
  | "closed"
  /** The server rejected what follows the requests that it has read. */
  | "rejected";

/** What a server has read on one connection. */
export interface Reading {
  /** In order; "rejected" for one that got an error, after which the server has read on. */
  readonly requests: readonly (ReadRequest | "rejected")[];
  readonly end: End;
  /** The status of the last response; 0 without one. */
  readonly status: number;
}

/** What servers have read, by the port of the client. */
export interface Recorder {
  /** Starts to record the requests of a client. */
  begin(clientPort: number): void;
  /** Records a request. Requests of unknown clients are ignored. */
  add(clientPort: number, request: ReadRequest): void;
  /** Returns the requests of a client, and forgets them. */
  take(clientPort: number): readonly ReadRequest[];
}

/** Creates an empty recorder. */
export function createRecorder(): Recorder {
  const clients = new Map<number, ReadRequest[]>();
  return {
    begin: (clientPort) => void clients.set(clientPort, []),
    add: (clientPort, request) => void clients.get(clientPort)?.push(request),
    take: (clientPort) => {
      const requests = clients.get(clientPort) ?? [];
      clients.delete(clientPort);
      return requests;
    },
  };
}

/** A server whose readings are recorded. */
export interface ReadingServer {
  readonly name: string;
  readonly port: number;
  readonly recorder: Recorder;
  close(): Promise<void>;
}

/** The host of an HTTP/1.0 request without one, for a proxy that needs a host. */
export const NO_HOST = "no-host.invalid";

/** The request after each case. A server that has read a case as a whole responds to it with `END_STATUS`. */
const END_TARGET = "/end-of-case";
export const END_STATUS = 299;
export const END_REQUEST = `GET ${END_TARGET} HTTP/1.1\r\nHost: end\r\n\r\n`;

/** Returns the status of the response to a request. */
export function statusFor(target: string): number {
  return target === END_TARGET ? END_STATUS : 200;
}
