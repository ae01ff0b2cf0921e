import { connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";

/** A response on a raw connection. */
export interface RawExchange {
  /** 0 if the connection was closed without a response. */
  readonly status: number;
  readonly body: string;
}

/** Writes bytes, one for each character, to a port and reads the response until the peer closes the connection. */
export function sendRaw(port: number, text: string): Promise<RawExchange> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.once("error", reject);
    socket.once("close", () => {
      const [head = "", ...rest] = Buffer.concat(chunks).toString("utf8").split("\r\n\r\n");
      resolve({ status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0), body: rest.join("\r\n\r\n") });
    });
    socket.setTimeout(5000, () => socket.destroy(new Error("no response, and the connection stays open")));
    socket.write(text, "latin1");
  });
}

/**
 * Sends a request over HTTP/2 with the given headers. Rejects if the server resets the stream. Binary bodies can be decoded
 * as Latin-1.
 */
export function sendHttp2(
  url: string,
  headers: Record<string, string>,
  body = "",
  encoding: "utf8" | "latin1" = "utf8",
): Promise<RawExchange> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(url);
    session.once("error", reject);
    const stream = session.request(headers);
    const chunks: Buffer[] = [];
    let status = 0;
    stream.on("response", (head) => {
      status = Number(head[constants.HTTP2_HEADER_STATUS]);
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.once("error", reject);
    stream.once("close", () => {
      session.close();
      resolve({ status, body: Buffer.concat(chunks).toString(encoding) });
    });
    if (!stream.writableEnded) {
      stream.end(body);
    }
  });
}
