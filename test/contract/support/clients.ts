import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { BadRequestSchema, ErrorInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { StatusSchema } from "@utility-tools/protos/google/rpc/status_pb.js";
import { codeName } from "connect-transcoding";
import { createGrpcWebTextTransport } from "connect-transcoding-testing/grpc-web-text-transport.js";

/** The outcome of a call: the response as JSON, or the error with its reason and fields. */
export type Outcome =
  | { readonly answer: JsonValue }
  | { readonly code: string; readonly reason: string; readonly fields: string[] };

/** Calls a unary method with a JSON request. */
export type UnaryClient = (method: DescMethodUnary, request: JsonObject) => Promise<Outcome>;

/** Converts a message to JSON, including default values. */
function seen<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): Outcome {
  return { answer: toJson(desc, message, { alwaysEmitImplicit: true }) };
}

/** Calls with grpc-js, which shares no code with the server. */
export function grpcJsClient(url: string): UnaryClient & { close(): void } {
  const client = new Client(new URL(url).host, credentials.createInsecure());
  const call: UnaryClient = (method, request) =>
    new Promise((resolve) => {
      client.makeUnaryRequest(
        `/${method.parent.typeName}/${method.name}`,
        (message: JsonObject) => Buffer.from(toBinary(method.input, fromJson(method.input, message))),
        (bytes: Buffer) => fromBinary(method.output, bytes),
        request,
        (error: ServiceError | null, response) => {
          resolve(
            error === null ? seen(method.output, response ?? create(method.output)) : grpcOutcome(error),
          );
        },
      );
    });
  return Object.assign(call, { close: () => client.close() });
}

/** Returns the details of one type in a grpc-js error. */
export function detailsOf<Desc extends DescMessage>(error: ServiceError, desc: Desc): MessageShape<Desc>[] {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  const status = fromBinary(StatusSchema, typeof bytes === "object" ? bytes : new Uint8Array());
  return status.details
    .filter(({ typeUrl }) => typeUrl.endsWith(`/${desc.typeName}`))
    .map(({ value }) => fromBinary(desc, value));
}

function grpcOutcome(error: ServiceError): Outcome {
  return {
    code: codeName(Number(error.code)),
    reason: detailsOf(error, ErrorInfoSchema)[0]?.reason ?? "",
    fields: detailsOf(error, BadRequestSchema).flatMap(({ fieldViolations }) =>
      fieldViolations.map(({ field }) => field),
    ),
  };
}

/** Calls with a transport of connect-node. */
function connectClient(transport: Transport): UnaryClient {
  return async (method, request) => {
    try {
      const response = await transport.unary(
        method,
        undefined,
        5000,
        undefined,
        fromJson(method.input, request),
      );
      return seen(method.output, response.message);
    } catch (thrown) {
      const error = ConnectError.from(thrown);
      return {
        code: codeName(error.code),
        reason: error.findDetails(ErrorInfoSchema)[0]?.reason ?? "",
        fields: error
          .findDetails(BadRequestSchema)
          .flatMap(({ fieldViolations }) => fieldViolations.map(({ field }) => field)),
      };
    }
  };
}

/** All transports of connect-node, by name. */
export function connectClients(baseUrl: string): [string, UnaryClient][] {
  const options = { baseUrl, acceptCompression: [] };
  return [
    ["gRPC", connectClient(createGrpcTransport({ baseUrl }))],
    ["gRPC, JSON", connectClient(createGrpcTransport({ baseUrl, useBinaryFormat: false }))],
    ["gRPC-Web, HTTP/1.1", connectClient(createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }))],
    ["gRPC-Web, HTTP/2", connectClient(createGrpcWebTransport({ baseUrl, httpVersion: "2" }))],
    ["gRPC-Web text, HTTP/1.1", connectClient(createGrpcWebTextTransport({ baseUrl, httpVersion: "1.1" }))],
    ["gRPC-Web text, HTTP/2", connectClient(createGrpcWebTextTransport({ baseUrl, httpVersion: "2" }))],
    ["Connect, HTTP/1.1", connectClient(createConnectTransport({ baseUrl, httpVersion: "1.1" }))],
    ["Connect, HTTP/2", connectClient(createConnectTransport({ baseUrl, httpVersion: "2" }))],
    [
      "Connect, JSON",
      connectClient(createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false })),
    ],
    [
      "Connect, GET",
      connectClient(createConnectTransport({ baseUrl, httpVersion: "1.1", useHttpGet: true })),
    ],
    ["Connect, uncompressed", connectClient(createConnectTransport({ ...options, httpVersion: "1.1" }))],
  ];
}

/** A plain HTTP response. */
export interface HttpExchange {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. Undefined if it is not JSON. */
  readonly json: unknown;
}

export async function send(url: string, init: RequestInit = {}): Promise<HttpExchange> {
  const response = await fetch(url, init);
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** Converts a REST response to the form of the other protocols. */
export function restOutcome({ status, json }: HttpExchange): Outcome {
  if (status === 200) {
    return { answer: json as JsonValue };
  }
  const { error } = json as {
    error: { status: string; details: { reason?: string; fieldViolations?: { field: string }[] }[] };
  };
  return {
    code: error.status,
    reason: error.details.map(({ reason }) => reason ?? "").join(""),
    fields: error.details.flatMap(({ fieldViolations }) => fieldViolations?.map(({ field }) => field) ?? []),
  };
}
