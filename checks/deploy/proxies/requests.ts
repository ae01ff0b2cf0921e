import { once } from "node:events";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { request } from "node:https";
import { connect as connectTcp } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import {
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { grpcFrame } from "../../lib/load/workload.js";
import type { ReverseProxy } from "../shipped.js";

/** A look-up of an address of Google, over REST and gRPC. */
export const REST_PATH = "/v1/geoIp?ip_address=8.8.8.8";
export const GRPC_PATH = "/utilitytools.v1.GeoIpService/LookupIp";
const MESSAGE = Buffer.from(
  toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, { ipAddress: "8.8.8.8" })),
);
export const FRAME = grpcFrame(MESSAGE);
export const GRPC_HEADERS = { ":method": "POST", "content-type": "application/grpc", te: "trailers" };

/** A response of a proxy. */
export interface ProxyResponse {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The address of the client. */
  readonly localAddress?: string;
}

/** Sends a request over HTTP/1.1 on a new connection, with the path as it is. */
export async function ask(
  { url, ca }: ReverseProxy,
  path: string,
  { method = "GET", headers = {}, body = "", localAddress = "127.0.0.1" }: Question = {},
): Promise<ProxyResponse> {
  const options = { path, method, headers, ca, agent: false, localAddress, servername: "tools.example" };
  const outgoing = request(url, options).end(body);
  const [response] = await once(outgoing, "response");
  const type = response.headers["content-type"];
  return { status: response.statusCode, type, headers: response.headers, body: await text(response) };
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

/** Opens a connection of HTTP/2 from a local address. */
export function connectHttp2({ url, ca }: ReverseProxy, localAddress = "127.0.0.1"): ClientHttp2Session {
  const { hostname: host, port } = new URL(url);
  const socket = connectTcp({ host, port: Number(port), localAddress });
  return connect(url, {
    createConnection: () => connectTls({ socket, ca, servername: "tools.example", ALPNProtocols: ["h2"] }),
  });
}

/** Sends a request over HTTP/2. Resolves to its gRPC status, or to its HTTP status without one, and to the body. */
export async function askHttp2(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  content?: Uint8Array,
): Promise<{ readonly status: string; readonly body: string }> {
  const stream = session.request(headers, { endStream: content === undefined });
  let status = "";
  stream.on("response", (received) => {
    status = String(received["grpc-status"] ?? received[":status"]);
  });
  stream.on("trailers", (trailers) => {
    status = String(trailers["grpc-status"]);
  });
  if (content !== undefined) {
    stream.end(content);
  }
  const body = await text(stream);
  return { status, body };
}

/** Resolves to the sum of the values of a service's metrics: of the first group of a global pattern. */
export async function sumOfMetrics(url: string, pattern: RegExp): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return [...metrics.matchAll(pattern)].reduce((sum, [, count]) => sum + Number(count), 0);
}
