import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import {
  type ClientHttp2Stream,
  connect,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type DescFile, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { beginCall, framed, readStream } from "connect-transcoding-testing/grpc-stream.js";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { onTestFinished } from "vitest";
import type { GatewayOptions } from "../../src/options.js";
import { startTestGateway, type TestGateway } from "./upstream.js";

/** Answers a call. `readBody` resolves with the whole body of the request. */
export type RawHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

type RawOptions = Partial<GatewayOptions> & { readonly settings?: { readonly maxConcurrentStreams: number } };

/** Starts a gateway in front of a server that knows HTTP/2 alone, until the test ends. Returns the URL of the gateway. */
export async function gatewayToRaw(handler: RawHandler, options: RawOptions = {}): Promise<string> {
  return (await startRawGateway(handler, options)).url;
}

/** As {@link gatewayToRaw}. Returns the gateway. */
export async function startRawGateway(handler: RawHandler, options: RawOptions = {}): Promise<TestGateway> {
  const { settings, ...gatewayOptions } = options;
  const server = createServer(settings === undefined ? {} : { settings });
  server.on("session", (session) => session.on("error", () => {}));
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    handler(stream, headers);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), "gateway-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const descriptor = join(folder, "set.binpb");
  const filesOf = (file: DescFile): DescFile[] => [...file.dependencies.flatMap(filesOf), file];
  // The other services of the test files are on the same paths.
  const file = [...new Set(filesOf(ShelfService.file))].map(({ proto }) =>
    proto === ShelfService.file.proto ? proto : { ...proto, service: [] },
  );
  writeFileSync(descriptor, toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file })));
  return await startTestGateway({
    upstreams: [{ prefix: "", url: `http://127.0.0.1:${port}` }],
    descriptors: [descriptor],
    ...gatewayOptions,
  });
}

export async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) {
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A message with its prefix. */
export function frameOf(content: string | Uint8Array, flags = 0): Buffer {
  return framed(Buffer.from(content), { flags });
}

export function respond(
  stream: ServerHttp2Stream,
  body: Uint8Array,
  trailers: OutgoingHttpHeaders,
  headers: OutgoingHttpHeaders = {},
): void {
  stream.respond(
    { ":status": 200, "content-type": "application/grpc", ...headers },
    { waitForTrailers: true },
  );
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.end(body);
}

/** A response in gRPC. */
export interface RawResponse {
  readonly head: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly trailers: IncomingHttpHeaders;
}

export function openCall(url: string, method: string, headers: OutgoingHttpHeaders = {}): ClientHttp2Stream {
  const session = connect(url);
  session.on("error", () => {});
  onTestFinished(() => session.destroy());
  return beginCall(session, `/${ShelfService.typeName}/${method}`, headers);
}

export async function responseOf(stream: ClientHttp2Stream): Promise<RawResponse> {
  const { headers, body, trailers = {} } = await readStream(stream);
  return { head: headers, body, trailers };
}

/** Calls a method of the shelf with a whole body. */
export async function call(
  url: string,
  method: string,
  body: Uint8Array,
  headers: OutgoingHttpHeaders = {},
): Promise<RawResponse> {
  const stream = openCall(url, method, headers);
  const response = responseOf(stream);
  stream.end(body);
  return await response;
}
