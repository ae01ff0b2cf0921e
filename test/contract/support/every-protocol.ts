import { connect } from "node:http2";
import { text } from "node:stream/consumers";
import { create, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { ErrorInfoSchema, RetryInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { GeoIpService, LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { Protocol } from "connect-transcoding";
import { codeName } from "connect-transcoding";
import {
  ServerReflection,
  ServerReflectionRequestSchema,
} from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { createGrpcWebTextTransport } from "connect-transcoding-testing/grpc-web-text-transport.js";
import { detailsOf } from "./clients.js";

/** The outcome of a request, in the same form for every protocol. */
export interface ProtocolOutcome {
  /** `OK` or the name of the error code. */
  readonly code: string;
  /** The reason in the error's `google.rpc.ErrorInfo`. Empty without one. */
  readonly reason: string;
  /** Whether the error has a `google.rpc.RetryInfo`. */
  readonly hasRetryInfo: boolean;
  readonly header: (name: string) => string | null;
}

/** One way to send a request. */
export interface ProtocolCase {
  readonly name: string;
  readonly protocol: Protocol;
  /** The full name of the called method. Undefined for a page. */
  readonly method: string | undefined;
  readonly ask: (url: string, headers: Readonly<Record<string, string>>) => Promise<ProtocolOutcome>;
}

const LOOK_UP = "utilitytools.v1.GeoIpService.LookupIp";
const SANITIZE = "utilitytools.v1.EmailService.SanitizeEmail";
const REFLECT = "grpc.reflection.v1.ServerReflection.ServerReflectionInfo";
const GZIP = { sendCompression: compressionGzip, compressMinBytes: 0 };

/** All protocols and HTTP versions, with streams and pages. */
export const PROTOCOL_CASES: readonly ProtocolCase[] = [
  { name: "REST, GET", protocol: "rest", method: LOOK_UP, ask: rest("/v1/geoIp?ip_address=8.8.8.8") },
  {
    name: "REST, POST",
    protocol: "rest",
    method: SANITIZE,
    ask: rest("/v1/sanitizeEmail", { method: "POST", body: new URLSearchParams({ email: "a@b.example" }) }),
  },
  {
    name: "REST, batch",
    protocol: "rest",
    method: "utilitytools.v1.GeoIpService.BatchLookupIps",
    ask: rest("/v1/geoIp:batch", {
      method: "POST",
      body: JSON.stringify({ ip_addresses: ["8.8.8.8"] }),
      headers: { "content-type": "application/json" },
    }),
  },
  { name: "REST, HTTP/2", protocol: "rest", method: LOOK_UP, ask: rest2("/v1/geoIp?ip_address=8.8.8.8") },
  { name: "gRPC, grpc-js", protocol: "grpc", method: LOOK_UP, ask: grpcJs },
  { name: "gRPC, gzip", ...unary("grpc", (baseUrl) => createGrpcTransport({ baseUrl, ...GZIP })) },
  {
    name: "gRPC, JSON",
    ...unary("grpc", (baseUrl) => createGrpcTransport({ baseUrl, useBinaryFormat: false })),
  },
  { name: "gRPC, stream", ...stream("grpc", (baseUrl) => createGrpcTransport({ baseUrl })) },
  {
    name: "gRPC-Web, HTTP/1.1",
    ...unary("grpc-web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })),
  },
  {
    name: "gRPC-Web, HTTP/2",
    ...unary("grpc-web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" })),
  },
  {
    name: "gRPC-Web text, HTTP/1.1",
    ...unary("grpc-web", (baseUrl) => createGrpcWebTextTransport({ baseUrl, httpVersion: "1.1" })),
  },
  {
    name: "gRPC-Web text, stream",
    ...stream("grpc-web", (baseUrl) => createGrpcWebTextTransport({ baseUrl, httpVersion: "2" })),
  },
  {
    name: "Connect, JSON",
    ...unary("connect", (baseUrl) =>
      createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
    ),
  },
  {
    name: "Connect, HTTP/2",
    ...unary("connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })),
  },
  {
    name: "Connect, gzip",
    ...unary("connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1", ...GZIP })),
  },
  {
    name: "Connect, GET",
    ...unary("connect", (baseUrl) =>
      createConnectTransport({ baseUrl, httpVersion: "1.1", useHttpGet: true }),
    ),
  },
  {
    name: "Connect, stream",
    ...stream("connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })),
  },
  { name: "MCP", protocol: "mcp", method: LOOK_UP, ask: mcp },
  { name: "a page", protocol: "page", method: undefined, ask: rest("/openapi.json") },
];

function rest(path: string, init: RequestInit = {}): ProtocolCase["ask"] {
  return async (url, headers) => {
    const response = await fetch(`${url}${path}`, { ...init, headers: { ...init.headers, ...headers } });
    return outcomeOverHttp(response.status, await response.text(), (name) => response.headers.get(name));
  };
}

function rest2(path: string): ProtocolCase["ask"] {
  return async (url, headers) => {
    const session = connect(url);
    const stream = session.request({ ...headers, ":path": path });
    const head = await new Promise<Record<string, unknown>>((resolve, reject) => {
      stream.once("response", resolve);
      stream.once("error", reject);
    });
    const body = await text(stream);
    session.close();
    return outcomeOverHttp(Number(head[":status"]), body, (name) =>
      head[name] === undefined ? null : String(head[name]),
    );
  };
}

async function mcp(url: string, headers: Readonly<Record<string, string>>): Promise<ProtocolOutcome> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "geo_ip_lookup_ip", arguments: { ip_address: "8.8.8.8" } },
    }),
  });
  const { error } = (await response.json()) as { error?: { data: RestError["error"] } };
  return outcomeOf(error?.data, (name) => response.headers.get(name));
}

interface RestError {
  readonly error: { readonly status: string; readonly details: readonly JsonObject[] };
}

function outcomeOverHttp(status: number, body: string, header: ProtocolOutcome["header"]): ProtocolOutcome {
  return outcomeOf(status < 400 ? undefined : (JSON.parse(body) as RestError).error, header);
}

function outcomeOf(
  error: RestError["error"] | undefined,
  header: ProtocolOutcome["header"],
): ProtocolOutcome {
  if (error === undefined) {
    return { code: "OK", reason: "", hasRetryInfo: false, header };
  }
  return {
    code: error.status,
    reason: error.details.map(({ reason }) => reason ?? "").join(""),
    hasRetryInfo: error.details.some(
      (detail) => detail["@type"] === `type.googleapis.com/${RetryInfoSchema.typeName}`,
    ),
    header,
  };
}

/** Calls with grpc-js, which shares no code with the server. The message is sent as raw bytes. */
function grpcJs(url: string, headers: Readonly<Record<string, string>>): Promise<ProtocolOutcome> {
  const client = new Client(new URL(url).host, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) {
    metadata.set(name, value);
  }
  const message = create(LookupIpRequestSchema, { ipAddress: "8.8.8.8" });
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    let head = new Metadata();
    const finish = (error: ServiceError | null): void => {
      client.close();
      const all = error === null ? head : error.metadata;
      resolve({
        code: error === null ? "OK" : codeName(Number(error.code)),
        reason: error === null ? "" : (detailsOf(error, ErrorInfoSchema)[0]?.reason ?? ""),
        hasRetryInfo: error !== null && detailsOf(error, RetryInfoSchema).length > 0,
        header: (name) => all.get(name)[0]?.toString() ?? null,
      });
    };
    const request = Buffer.from(toBinary(LookupIpRequestSchema, message));
    client
      .makeUnaryRequest("/utilitytools.v1.GeoIpService/LookupIp", same, same, request, metadata, finish)
      .on("metadata", (received) => {
        head = received;
      });
  });
}

function unary(protocol: Protocol, transportTo: (baseUrl: string) => Transport): Omit<ProtocolCase, "name"> {
  return {
    protocol,
    method: LOOK_UP,
    ask: (url, headers) =>
      outcomeOverConnect(async () => {
        const transport = transportTo(url);
        const { method } = GeoIpService;
        const message = { ipAddress: "8.8.8.8" };
        return (await transport.unary(method.lookupIp, undefined, 5000, headers, message)).header;
      }),
  };
}

function stream(protocol: Protocol, transportTo: (baseUrl: string) => Transport): Omit<ProtocolCase, "name"> {
  return {
    protocol,
    method: REFLECT,
    ask: (url, headers) =>
      outcomeOverConnect(async () => {
        const transport = transportTo(url);
        const { method } = ServerReflection;
        const listing = create(ServerReflectionRequestSchema, {
          messageRequest: { case: "listServices", value: "" },
        });
        const requests = createAsyncIterable([listing]);
        const response = await transport.stream(
          method.serverReflectionInfo,
          undefined,
          5000,
          headers,
          requests,
        );
        for await (const { messageResponse } of response.message) {
          if (messageResponse.case !== "listServicesResponse") {
            throw new Error(`reflection has sent ${messageResponse.case}`);
          }
        }
        return response.header;
      }),
  };
}

async function outcomeOverConnect(call: () => Promise<Headers>): Promise<ProtocolOutcome> {
  try {
    const headers = await call();
    return { code: "OK", reason: "", hasRetryInfo: false, header: (name) => headers.get(name) };
  } catch (thrown) {
    const error = ConnectError.from(thrown);
    return {
      code: codeName(error.code),
      reason: error.findDetails(ErrorInfoSchema)[0]?.reason ?? "",
      hasRetryInfo: error.findDetails(RetryInfoSchema).length > 0,
      header: (name) => error.metadata.get(name),
    };
  }
}
