import { type Agent, request as sendRequest } from "node:http";
import { gunzipSync } from "node:zlib";

/** The host of all measured requests. Responses contain URLs with it. */
export const HOST = "utility-tools.test";

/** An HTTP/1.1 request. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response with its decompressed body. */
export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
}

/** Sends a request. Rejects if the connection fails or the body cannot be decompressed. */
export function askHttp(url: string, request: HttpRequest, agent: Agent): Promise<HttpResponse> {
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
    sent.setTimeout(10_000, () =>
      sent.destroy(new Error(`no response to ${method} ${path}: ${headers.host}`)),
    );
    sent.end(body);
  });
}

function decoded(body: Buffer, headers: { "content-encoding"?: string | undefined }): Buffer {
  return headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
}

/** Returns the headers of a request, with the content length if it has a body. */
function withLength({ headers, body }: HttpRequest): Record<string, string> {
  return body === "" ? { ...headers } : { ...headers, "content-length": String(Buffer.byteLength(body)) };
}

/** Adds the five-byte prefix of gRPC: not compressed, and the length. */
export function grpcFrame(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}
