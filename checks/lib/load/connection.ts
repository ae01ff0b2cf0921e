import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** A response. */
export interface Answer {
  readonly status: number;
  /** The header or trailer `grpc-status`. */
  readonly grpcStatus: string | undefined;
  /** The length of the body. */
  readonly length: number;
  /** The body, if bodies are kept. */
  readonly body: Buffer | undefined;
}

/** What a connection tells its user. A ticket is what the user has sent a request with. */
export interface Listener<T> {
  answered(ticket: T, answer: Answer, now: number): void;
  /** Called for a request without a response. The server has not read it for sure if `isUnread`. */
  lost(ticket: T, problem: string, isUnread: boolean): void;
  /** Called after all of a chunk has been read. What is sent in it goes to the server in one write. */
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
  /** Sends the request at an index. Needs {@link flush} except in calls of the listener. */
  send(index: number, ticket: T): void;
  flush(): void;
  destroy(): void;
  /** The local port, once it is connected. */
  localPort(): number | undefined;
  /** Resolves when it is connected, or has failed to. */
  readonly connected: Promise<void>;
}

/** How to connect. */
export interface ConnectionOptions {
  /** The certificate to trust, of `tools.example`. Default: any. */
  readonly ca?: string | undefined;
  readonly keepsBodies?: boolean;
}

/** The side of a connection that depends on the version of HTTP. */
export interface Protocol {
  /** Reads what has arrived, and returns how much of it is complete. The rest comes again. Throws an Error if it is invalid. */
  read(chunk: Buffer, now: number): number;
  closed(problem: string): void;
}

/** The output of a connection: bytes are collected and sent in one write. */
export interface Output {
  /** Returns a buffer with room for more bytes at `at`, which the caller moves. */
  reserve(bytes: number): Buffer;
  at: number;
  append(bytes: Buffer): void;
  flush(): void;
  end(): void;
  destroy(problem?: string): void;
  localPort(): number | undefined;
  readonly connected: Promise<void>;
}

/** The size of what is read at once. */
const CHUNK = 64 * 1024;
/** The initial size of what is sent at once. */
const OUTPUT = 4096;

/** Connects. The protocol is called from then on. */
export function openOutput(url: URL, http: 1 | 2, ca: string | undefined, protocol: () => Protocol): Output {
  const { hostname: host, port } = url;
  let problem = "closed without a response";
  /** The start of something that continues in the next chunk. */
  let rest: Buffer | undefined;
  let localPort: number | undefined;
  const receive = (chunk: Buffer): void => {
    const all = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    try {
      const read = protocol().read(all, performance.now());
      rest = read < all.length ? Buffer.from(all.subarray(read)) : undefined;
    } catch (error) {
      output.destroy(String(error));
      return;
    }
    output.flush();
  };
  const socket = open();
  function open(): Socket {
    if (url.protocol === "https:") {
      const trust = ca === undefined ? { rejectUnauthorized: false } : { ca, servername: "tools.example" };
      const secure = connectTls({
        host,
        port: Number(port),
        ALPNProtocols: [http === 2 ? "h2" : "http/1.1"],
        ...trust,
      });
      return secure.on("data", receive);
    }
    const buffer = Buffer.allocUnsafeSlow(CHUNK);
    const callback = (length: number): boolean => {
      receive(buffer.subarray(0, length));
      return true;
    };
    return connectTcp({ host, port: Number(port), noDelay: true, onread: { buffer, callback } });
  }
  socket.on("connect", () => {
    localPort = socket.localPort;
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    problem = error.code ?? error.message;
  });
  socket.on("close", () => protocol().closed(problem));
  const connected = new Promise<void>((resolve) => {
    socket
      .once(url.protocol === "https:" ? "secureConnect" : "connect", resolve)
      .once("close", () => resolve());
  });
  let collected = Buffer.allocUnsafeSlow(OUTPUT);
  const output: Output = {
    at: 0,
    reserve: (length) => {
      if (output.at + length > collected.length) {
        const larger = Buffer.allocUnsafeSlow(2 * (output.at + length));
        collected.copy(larger, 0, 0, output.at);
        collected = larger;
      }
      return collected;
    },
    append: (more) => {
      output.at += more.copy(output.reserve(more.length), output.at);
    },
    flush: () => {
      if (output.at > 0) {
        socket.write(collected.subarray(0, output.at));
        output.at = 0;
        // What the socket has not sent yet must not change.
        if (socket.writableLength > 0) {
          collected = Buffer.allocUnsafeSlow(OUTPUT);
        }
      }
    },
    end: () => void socket.end(),
    destroy: (why = problem) => {
      problem = why;
      socket.destroy();
    },
    localPort: () => localPort,
    connected,
  };
  return output;
}
