import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ClientOptions, LoadClient, Outcome } from "./load.js";

/** The timeout of a response, in milliseconds. */
const DEADLINE = 5_000;

/** A request and a part of the correct response. */
interface RestRequest {
  readonly bytes: string;
  readonly has: string;
}

const EMAIL = '{"email":"Jane.Doe+news@GoogleMail.com"}';
const REQUESTS: readonly RestRequest[] = [
  { bytes: "GET /v1/geoIp?ip_address=8.8.8.8 HTTP/1.1\r\nhost: tools.example\r\n\r\n", has: '"asn":15169' },
  {
    bytes: `POST /v1/sanitizeEmail HTTP/1.1\r\nhost: tools.example\r\ncontent-type: application/json\r\ncontent-length: ${EMAIL.length}\r\n\r\n${EMAIL}`,
    has: "janedoe@gmail.com",
  },
  {
    bytes: `POST /v1/sanitizeEmail HTTP/1.1\r\nhost: tools.example\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${EMAIL.length.toString(16)}\r\n${EMAIL}\r\n0\r\n\r\n`,
    has: "janedoe@gmail.com",
  },
];
const HTTP10_REQUESTS: readonly RestRequest[] = ["", "connection: keep-alive\r\n"].map((header) => ({
  bytes: `GET /v1/geoIp?ip_address=8.8.8.8 HTTP/1.0\r\nhost: tools.example\r\n${header}\r\n`,
  has: '"asn":15169',
}));

/** A pending request. */
interface Job {
  readonly request: RestRequest;
  readonly end: (failure: string | undefined, localPort?: number) => void;
  isRetried: boolean;
  isOver: boolean;
}

interface Connection {
  readonly socket: Socket;
  /** The local port. */
  localPort: number | undefined;
  received: string;
  job: Job | undefined;
  /** Whether it has had a response, and may therefore have been closed as idle. */
  isUsed: boolean;
}

/**
 * Sends REST requests, GET and POST with and without chunks in turn, on persistent connections. A request on a connection that the server
 * closed as idle is retried once (RFC 9110, section 9.2.2), since repeating it changes nothing. It implements HTTP/1.1
 * itself, because at thousands of requests per second `node:http` would take processor time from the server.
 */
export function restClient(url: string, connections: number, options: ClientOptions = {}): LoadClient {
  const { ca, retries = true, http10 = false } = options;
  // A new connection for each request of HTTP/1.0 would take most of the processor time over TLS.
  const requests = http10 ? [...REQUESTS, ...REQUESTS, ...REQUESTS, ...HTTP10_REQUESTS] : REQUESTS;
  const { hostname: host, port: portText, protocol } = new URL(url);
  const port = Number(portText);
  const idle: Connection[] = [];
  const waiting: Job[] = [];
  const open = new Set<Connection>();
  let sent = 0;

  function dispatch(job: Job): void {
    const connection = idle.pop() ?? (open.size < connections ? openConnection() : undefined);
    if (connection === undefined) {
      waiting.push(job);
    } else {
      start(connection, job);
    }
  }

  /** Returns the next waiting request that has not timed out. */
  function nextWaiting(): Job | undefined {
    for (;;) {
      const job = waiting.shift();
      if (job === undefined || !job.isOver) {
        return job;
      }
    }
  }

  function start(connection: Connection, job: Job): void {
    connection.job = job;
    connection.received = "";
    connection.socket.write(job.request.bytes);
  }

  function openConnection(): Connection {
    const socket =
      protocol === "https:"
        ? connectTls({ host, port, servername: "tools.example", ...(ca === undefined ? {} : { ca }) })
        : connect({ host, port, noDelay: true });
    const connection: Connection = {
      socket,
      localPort: undefined,
      received: "",
      job: undefined,
      isUsed: false,
    };
    let problem = "closed without a response";
    open.add(connection);
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => take(connection, chunk));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      problem = error.code ?? error.message;
    });
    socket.on("connect", () => {
      connection.localPort = socket.localPort;
    });
    socket.on("end", () => retire(connection));
    socket.on("close", () => {
      retire(connection);
      const { job } = connection;
      connection.job = undefined;
      if (job === undefined || job.isOver) {
        return;
      }
      if (retries && !job.isRetried && connection.isUsed && connection.received === "") {
        job.isRetried = true;
        dispatch(job);
      } else {
        job.end(problem, connection.localPort);
      }
    });
    return connection;
  }

  /** Removes a connection, and replaces it if requests are waiting. */
  function retire(connection: Connection): void {
    const place = idle.indexOf(connection);
    if (place >= 0) {
      idle.splice(place, 1);
    }
    if (open.delete(connection)) {
      const next = nextWaiting();
      if (next !== undefined) {
        dispatch(next);
      }
    }
  }

  function take(connection: Connection, chunk: string): void {
    connection.received += chunk;
    const [, head = ""] = /^([\s\S]*?\r\n)\r\n/.exec(connection.received) ?? [];
    const length = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? Number.NaN);
    const { job } = connection;
    if (job === undefined || head === "" || connection.received.length < head.length + 2 + length) {
      return;
    }
    const [, status = ""] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? [];
    const isRight = status === "200" && connection.received.includes(job.request.has);
    job.end(isRight ? undefined : `HTTP ${status}`, connection.localPort);
    connection.job = undefined;
    connection.isUsed = true;
    if (/^connection: close\r$/im.test(head) || Number.isNaN(length)) {
      connection.socket.end();
      retire(connection);
      return;
    }
    const next = nextWaiting();
    if (next === undefined) {
      idle.push(connection);
    } else {
      start(connection, next);
    }
  }

  return {
    send: () =>
      new Promise<Outcome>((resolve) => {
        const connectionOf = (): Connection | undefined =>
          [...open].find((connection) => connection.job === job);
        const timer = setTimeout(() => job.end("deadline", connectionOf()?.localPort), DEADLINE);
        const job: Job = {
          request: requests[sent++ % requests.length] ?? never(),
          isRetried: false,
          isOver: false,
          end: (failure, localPort) => {
            if (!job.isOver) {
              job.isOver = true;
              clearTimeout(timer);
              resolve({ failure, isRetried: job.isRetried, localPort });
            }
          },
        };
        dispatch(job);
      }),
    close: () => {
      for (const { socket } of open) {
        socket.destroy();
      }
    },
  };
}

function never(): never {
  throw new Error("there are no requests");
}
