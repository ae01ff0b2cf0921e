import type { JsonReadOptions, JsonWriteOptions } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import type { UniversalClientFn } from "@connectrpc/connect/protocol";
import { createTransport } from "@connectrpc/connect/protocol-grpc-web";
import { createNodeHttpClient, Http2SessionManager } from "@connectrpc/connect-node";

const BINARY = "application/grpc-web";
const TEXT = "application/grpc-web-text";
const MAX_BYTES = 0xffff_ffff;

/** Options of {@link createGrpcWebTextTransport}, as for the transports of connect-node. */
export interface GrpcWebTextTransportOptions {
  readonly baseUrl: string;
  readonly httpVersion: "1.1" | "2";
  readonly useBinaryFormat?: boolean;
  readonly jsonOptions?: Partial<JsonReadOptions & JsonWriteOptions>;
}

/** The gRPC-Web transport of connect-es with bodies in base64, as `application/grpc-web-text`. */
export function createGrpcWebTextTransport({
  baseUrl,
  httpVersion,
  useBinaryFormat = true,
  jsonOptions,
}: GrpcWebTextTransportOptions): Transport {
  return createTransport({
    baseUrl,
    httpClient: inText(createNodeHttpClient(clientOptions(baseUrl, httpVersion))),
    useBinaryFormat,
    ...(jsonOptions !== undefined && { jsonOptions }),
    interceptors: [],
    acceptCompression: [],
    sendCompression: null,
    compressMinBytes: 0,
    readMaxBytes: MAX_BYTES,
    writeMaxBytes: MAX_BYTES,
  });
}

/** All calls share a session of HTTP/2: without a provider, each call opens its own. */
function clientOptions(
  baseUrl: string,
  httpVersion: "1.1" | "2",
): Parameters<typeof createNodeHttpClient>[0] {
  if (httpVersion === "1.1") {
    return { httpVersion };
  }
  const sessions = new Http2SessionManager(baseUrl);
  return { httpVersion, sessionProvider: () => sessions };
}

/** Encodes requests and decodes responses. Throws an Error if a response is not in text form. */
function inText(send: UniversalClientFn): UniversalClientFn {
  return async ({ body, ...request }) => {
    const header = new Headers(request.header);
    const type = (header.get("content-type") ?? "").replace(BINARY, TEXT);
    header.set("content-type", type);
    header.set("accept", type);
    const response = await send({
      ...request,
      header,
      ...(body === undefined ? {} : { body: encoded(body) }),
    });
    const responseType = response.header.get("content-type") ?? "";
    if (response.status === 200 && !responseType.startsWith(TEXT)) {
      throw new Error(`the response is ${responseType}`);
    }
    return { ...response, body: decoded(response.body) };
  };
}

async function* encoded(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    yield Buffer.from(Buffer.from(chunk).toString("base64"));
  }
}

async function* decoded(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let text = "";
  for await (const chunk of chunks) {
    text += Buffer.from(chunk).toString("latin1");
    const groups = text.match(/.{4}/gs) ?? [];
    text = text.slice(4 * groups.length);
    yield Buffer.concat(groups.map((group) => Buffer.from(group, "base64")));
  }
  if (text !== "") {
    throw new Error(`the response ends with ${text}`);
  }
}
