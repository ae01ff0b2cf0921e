import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Caller, Outcome } from "./load.js";

/** Milliseconds that an answer may take. */
const DEADLINE = 5_000;

const REQUESTS: readonly { readonly options: RequestOptions; readonly body: string; readonly has: string }[] =
  [
    { options: { path: "/v1/geoIp?ip_address=8.8.8.8" }, body: "", has: '"asn":15169' },
    {
      options: { path: "/v1/sanitizeEmail", method: "POST", headers: { "content-type": "application/json" } },
      body: '{"email":"Jane.Doe+news@GoogleMail.com"}',
      has: "janedoe@gmail.com",
    },
  ];

/** Sends REST requests, GET and POST in turn, over so many connections that stay open. Nothing is sent twice. */
export function restCaller(url: string, connections: number, ca?: string): Caller {
  const { hostname, port, protocol } = new URL(url);
  const pool = { keepAlive: true, maxSockets: connections };
  const isTls = protocol === "https:";
  const agent = isTls ? new HttpsAgent({ ...pool, ca }) : new HttpAgent(pool);
  const request = isTls ? httpsRequest : httpRequest;
  let sent = 0;

  function send(): Promise<Outcome> {
    const { options, body, has } = REQUESTS[sent++ % REQUESTS.length] ?? REQUESTS[0] ?? never();
    return new Promise((resolve) => {
      const outgoing = request({ ...options, hostname, port, agent });
      const end = (failure: string | undefined): void =>
        resolve({ failure, localPort: outgoing.socket?.localPort ?? localPort });
      let localPort: number | undefined;
      outgoing.on("socket", (socket) => {
        localPort = socket.localPort;
      });
      outgoing.setTimeout(DEADLINE, () => outgoing.destroy(new Error("deadline")));
      outgoing.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
      outgoing.on("response", (response: IncomingMessage) => {
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
      outgoing.end(body);
    });
  }

  return { send, close: () => agent.destroy() };
}

function never(): never {
  throw new Error("there is a first request");
}
