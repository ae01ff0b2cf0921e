import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Caller, CallerOptions, Outcome } from "./load.js";

/** Milliseconds that an answer may take. */
const DEADLINE = 5_000;

interface RestRequest {
  readonly options: RequestOptions;
  readonly body: string;
  /** What is in the right answer. */
  readonly has: string;
}

const REQUESTS: readonly RestRequest[] = [
  { options: { path: "/v1/geoIp?ip_address=8.8.8.8" }, body: "", has: '"asn":15169' },
  {
    options: { path: "/v1/sanitizeEmail", method: "POST", headers: { "content-type": "application/json" } },
    body: '{"email":"Jane.Doe+news@GoogleMail.com"}',
    has: "janedoe@gmail.com",
  },
];

/**
 * Sends REST requests, GET and POST in turn, over so many connections that stay open. One that finds its connection
 * closed, by a server that thought it idle, is sent once more (RFC 9110, section 9.2.2): repeating these changes nothing.
 */
export function restCaller(
  url: string,
  connections: number,
  { ca, resends = true }: CallerOptions = {},
): Caller {
  const { hostname, port, protocol } = new URL(url);
  const pool = { keepAlive: true, maxSockets: connections };
  const isTls = protocol === "https:";
  const agent = isTls ? new HttpsAgent({ ...pool, ca }) : new HttpAgent(pool);
  const request = isTls ? httpsRequest : httpRequest;
  let sent = 0;

  function sendOnce({ options, body, has }: RestRequest, isResent: boolean): Promise<Outcome> {
    return new Promise((resolve) => {
      const outgoing = request({ ...options, hostname, port, agent });
      let localPort: number | undefined;
      let isAnswered = false;
      const timer = setTimeout(() => outgoing.destroy(new Error("deadline")), DEADLINE);
      const end = (failure: string | undefined): void => {
        clearTimeout(timer);
        resolve({ failure, isResent, localPort });
      };
      outgoing.on("socket", (socket) => {
        localPort = socket.localPort;
        if (socket.connecting) {
          socket.once("connect", () => {
            localPort = socket.localPort;
          });
        }
      });
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        const wasIdle = outgoing.reusedSocket && !isAnswered && /^(ECONNRESET|EPIPE)$/.test(error.code ?? "");
        if (wasIdle && resends && !isResent) {
          clearTimeout(timer);
          resolve(sendOnce({ options, body, has }, true));
        } else {
          end(error.code ?? error.message);
        }
      });
      outgoing.on("response", (response: IncomingMessage) => {
        isAnswered = true;
        let text = "";
        response.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        response.on("error", (error: NodeJS.ErrnoException) => end(`in the answer: ${error.code}`));
        response.on("end", () => {
          const isRight = response.statusCode === 200 && text.includes(has);
          end(isRight ? undefined : `HTTP ${response.statusCode}`);
        });
      });
      outgoing.on("close", () => end("closed without an answer"));
      outgoing.end(body);
    });
  }

  return {
    send: () => sendOnce(REQUESTS[sent++ % REQUESTS.length] ?? never(), false),
    close: () => agent.destroy(),
  };
}

function never(): never {
  throw new Error("there is a first request");
}
