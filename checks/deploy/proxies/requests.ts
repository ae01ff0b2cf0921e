import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import {
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { grpcFrame } from "connect-transcoding-testing/load/workload.js";
import type { ReverseProxy } from "../shipped.js";

/** A look-up of an address of Google, over REST and gRPC. */
export const REST_PATH = "/v1/geoIp?ip_address=8.8.8.8";
export const GRPC_PATH = "/utilitytools.v1.GeoIpService/LookupIp";
const MESSAGE = Buffer.from(
  toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, { ipAddress: "8.8.8.8" })),
);
export const FRAME = grpcFrame(MESSAGE);

export type ProxyResponse = Awaited<ReturnType<typeof ask>>;

interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly localAddress?: string;
}

/** Sends a request over HTTP/1.1 on a new connection, with the path as it is. */
export async function ask(
  { url, ca }: ReverseProxy,
  path: string,
  { method = "GET", headers = {}, body = "", localAddress = "127.0.0.1" }: Question = {},
) {
  const options = { path, method, headers, ca, agent: false, localAddress, servername: "tools.example" };
  const outgoing = request(url, options).end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  const { statusCode: status, headers: received } = response;
  return { status, type: received["content-type"], headers: received, body: await text(response) };
}

/** Makes a unary call with grpc-js. Resolves to the name of the autonomous system, or to the status. */
export function callGrpc({ url, ca }: ReverseProxy, message: Buffer = MESSAGE): Promise<string> {
  // Node 26 rejects an IP address as the name that the client sends in the TLS handshake.
  const options = { "grpc.ssl_target_name_override": "tools.example" };
  const client = new Client(new URL(url).host, credentials.createSsl(Buffer.from(ca)), options);
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      GRPC_PATH,
      (bytes: Buffer) => bytes,
      (bytes) => fromBinary(LookupIpResponseSchema, bytes).metadata?.asnName ?? "",
      message,
      new Metadata(),
      { deadline: Date.now() + 5_000 },
      (error: ServiceError | null, name) => {
        client.close();
        resolve(error === null ? (name ?? "") : `status ${error.code}: ${error.details}`);
      },
    );
  });
}

/** Opens a connection of HTTP/2. */
export function connectHttp2({ url, ca }: ReverseProxy): ClientHttp2Session {
  return connect(url, { ca, servername: "tools.example" });
}

/** Sends a request without a body over HTTP/2. */
export async function askHttp2(session: ClientHttp2Session, headers: OutgoingHttpHeaders) {
  const stream = session.request(headers);
  const [response] = await once(stream, "response");
  return { status: Number(response[":status"]), body: await text(stream) };
}
