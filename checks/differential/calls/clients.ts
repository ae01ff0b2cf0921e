import { Agent } from "node:http";
import {
  create,
  type DescMethod,
  type DescMethodStreaming,
  type DescMethodUnary,
  type Message,
} from "@bufbuild/protobuf";
import { ConnectError, createContextValues, type Transport } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import {
  compressionBrotli,
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { createGrpcWebTextTransport } from "../../../test/grpc-web-text-transport.js";
import type { Random } from "../../lib/random.js";
import type { AnyCall } from "./any-call.js";
import { describeMessage, REGISTRY } from "./messages.js";
import { describeHeaders } from "./recorder.js";
import type { ComparedServer } from "./servers.js";

export type ClientProtocol = "grpc" | "grpc-web" | "grpc-web-text" | "connect";

/** How a client calls. */
export type ClientOptions = ReturnType<typeof anyClient>;

/** Any options, for a method of a kind. */
export function anyClient(random: Random, method: DescMethod, cancels: boolean) {
  const protocol = random.pick<ClientProtocol>(["grpc", "grpc-web", "grpc-web-text", "connect", "connect"]);
  // HTTP/1.1 has no bidirectional streams.
  const needsHttp2 = protocol === "grpc" || (method.methodKind === "bidi_streaming" && !random.oneIn(20));
  const isText = protocol === "grpc-web-text";
  const sends = isText ? undefined : random.pick([undefined, undefined, "gzip" as const, "br" as const]);
  const accepts = random.pick<readonly ("gzip" | "br")[]>([[], ["gzip"], ["br"], ["gzip", "br"]]);
  const usesGet = protocol === "connect" && random.oneIn(2);
  // A server responds in the encoding of the request to a client that does not say what it accepts, which is so with GET.
  const needsSame = sends !== undefined && (accepts.length === 0 || usesGet);
  return {
    protocol,
    http: needsHttp2 ? ("2" as const) : random.pick(["1.1", "2"] as const),
    isBinary: random.oneIn(2),
    sends,
    accepts: isText ? [] : needsSame ? [sends] : accepts,
    usesGet,
    cancels,
  };
}

const COMPRESSIONS: Readonly<Record<"gzip" | "br", Compression>> = {
  gzip: compressionGzip,
  br: compressionBrotli,
};

const agent = new Agent({ keepAlive: true });
/** Of calls that are cancelled: connect-node's client reuses their connections before the server has ended the response. */
const agentOnce = new Agent({ keepAlive: false });
const transports = new Map<string, Transport>();

/** The transport of a client for a server. connect-node has no text form of gRPC-Web: its binary form is compared with ours. */
export function transportOf(server: ComparedServer, options: ClientOptions): Transport {
  const key = `${server.name} ${JSON.stringify(options)}`;
  let transport = transports.get(key);
  if (transport === undefined) {
    transport = createTransport(server, options);
    transports.set(key, transport);
  }
  return transport;
}

function createTransport(server: ComparedServer, { protocol, http, ...options }: ClientOptions): Transport {
  const settings = {
    baseUrl: `http://127.0.0.1:${server.portOf(http === "2" ? 2 : 1)}`,
    useBinaryFormat: options.isBinary,
    jsonOptions: { registry: REGISTRY },
    ...(options.sends !== undefined && { sendCompression: COMPRESSIONS[options.sends] }),
    acceptCompression: options.accepts.map((name) => COMPRESSIONS[name]),
  };
  const version =
    http === "2"
      ? { httpVersion: "2" as const }
      : { httpVersion: "1.1" as const, nodeOptions: { agent: options.cancels ? agentOnce : agent } };
  switch (protocol) {
    case "grpc":
      return createGrpcTransport(settings);
    case "grpc-web":
      return createGrpcWebTransport({ ...settings, ...version });
    case "grpc-web-text":
      return server.name === "ours"
        ? createGrpcWebTextTransport({ ...settings, httpVersion: http })
        : createGrpcWebTransport({ ...settings, ...version });
    case "connect":
      return createConnectTransport({ ...settings, ...version, useHttpGet: options.usesGet });
  }
}

/** A call of a client. */
export type ClientCall = Pick<AnyCall, "method" | "timeoutMs" | "pauses" | "cancelsAfter"> & {
  readonly header: Headers;
  readonly messages: readonly Message[];
};

/** Calls a method. Resolves to all that the client sees, in a form that can be compared. */
export async function call(transport: Transport, request: ClientCall): Promise<Record<string, unknown>> {
  const { method, header, timeoutMs, messages, cancelsAfter } = request;
  const controller = new AbortController();
  const seen: Record<string, unknown> = {};
  const values = createContextValues();
  try {
    if (isUnary(method)) {
      const [message = create(method.input)] = messages;
      const response = await transport.unary(method, controller.signal, timeoutMs, header, message, values);
      seen.header = describeHeaders(response.header);
      seen.messages = [describeMessage(response.message)];
      seen.trailer = describeHeaders(response.trailer);
      return seen;
    }
    const input = sendAll(request);
    const streaming = method as DescMethodStreaming;
    const { signal } = controller;
    const response = await transport.stream(streaming, signal, timeoutMs, header, input, values);
    seen.header = describeHeaders(response.header);
    const received: string[] = [];
    seen.messages = received;
    for await (const message of response.message) {
      received.push(describeMessage(message));
      if (received.length === cancelsAfter) {
        controller.abort();
      }
    }
    seen.trailer = describeHeaders(response.trailer);
  } catch (thrown) {
    seen.error = describeError(ConnectError.from(thrown));
  }
  return seen;
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

async function* sendAll({ messages, pauses }: ClientCall): AsyncGenerator<Message> {
  for (const message of messages) {
    if (pauses) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    yield message;
  }
}

function describeError({ code, rawMessage, details, metadata }: ConnectError): unknown {
  return {
    code,
    message: rawMessage,
    details: details.map((detail) =>
      "desc" in detail
        ? { local: detail.desc.typeName }
        : { ...detail, value: Buffer.from(detail.value).toString("base64") },
    ),
    metadata: describeHeaders(metadata),
  };
}
