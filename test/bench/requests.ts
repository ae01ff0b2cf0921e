import { type Agent, request as sendRequest } from "node:http";
import { gunzipSync } from "node:zlib";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";

/** A request over HTTP/1.1. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came back: the body without its gzip coding. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** Sends a request. Rejects when the connection breaks or the body cannot be read. */
export function askHttp(url: string, request: HttpRequest, agent: Agent): Promise<HttpAnswer> {
  const { method, path, headers, body } = request;
  return new Promise((resolve, reject) => {
    const sent = sendRequest(`${url}${path}`, { method, headers: withLength(request), agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        try {
          resolve({
            status: response.statusCode ?? 0,
            body: decoded(Buffer.concat(chunks), response.headers),
          });
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.on("error", reject);
    sent.setTimeout(10_000, () => sent.destroy(new Error(`no answer to ${method} ${path}: ${headers.host}`)));
    sent.end(body);
  });
}

function decoded(body: Buffer, headers: { "content-encoding"?: string | undefined }): Buffer {
  return headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
}

/** The headers of a request, with the length of its body where it has one. */
export function withLength({ headers, body }: HttpRequest): Record<string, string> {
  return body === "" ? { ...headers } : { ...headers, "content-length": String(Buffer.byteLength(body)) };
}

/** A message with the five octets that gRPC puts before it: not compressed, and its length. */
export function grpcFrame(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

/** Calls a unary method; resolves to the octets of the answer's message. Rejects for every status but OK. */
export async function askGrpc(url: string, path: string, message: Uint8Array): Promise<Buffer> {
  const client = new Client(new URL(url).host, credentials.createInsecure());
  const asIs = (octets: Buffer) => octets;
  try {
    return await new Promise((resolve, reject) => {
      const deadline = Date.now() + 10_000;
      client.makeUnaryRequest(
        path,
        asIs,
        asIs,
        Buffer.from(message),
        { deadline },
        (error: ServiceError | null, answer) =>
          error === null && answer !== undefined ? resolve(answer) : reject(error),
      );
    });
  } finally {
    client.close();
  }
}
