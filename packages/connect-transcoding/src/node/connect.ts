import type { DescMessage, DescMethodUnary, Message, MessageInitShape, Registry } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus, errorToJsonBytes, parseTimeout } from "@connectrpc/connect/protocol-connect";
import { createBinaryWriters } from "../codec/binary-writer.js";
import { createJsonMessageWriter } from "../codec/json-writer.js";
import { createJsonMessageReader } from "../request/message-binder.js";
import {
  createReply,
  headerList,
  type Representation,
  represent,
  representationOfGiven,
} from "../response/representation.js";
import type { HttpAnswer } from "../response/response-encoder.js";
import type { Exchange, HeaderList, Reply } from "./exchange.js";
import { ExchangeCall } from "./handler-context.js";
import type { Answer } from "./methods.js";
import {
  answerUnary,
  type LaneOptions,
  messageTooLarge,
  readBinary,
  type UnaryImplementation,
  unaryByPath,
} from "./unary.js";

/** What the lane stands on. */
export interface ConnectLaneOptions extends LaneOptions {
  /** What to do with fields of a JSON request that the message does not have. */
  readonly unknownParameters: "reject" | "ignore";
  /** Resolves the types in `google.protobuf.Any`. */
  readonly registry: Registry;
}

/** Answers a request for a method's path; false, and nothing is done, when it is not one for this lane. */
export type ConnectLane = (exchange: Exchange, path: string, baseUrl: string) => boolean;

const ERROR_HEADERS = headerList({ "content-type": "application/json" });

/** How the messages of a method are read and written in one of the two formats. */
interface Codec {
  read(body: Uint8Array): Message;
  represent(answer: Answer<DescMethodUnary>): Representation;
}

/** A method with its codecs, by content type. */
interface LaneMethod {
  readonly implementation: UnaryImplementation;
  readonly codecs: ReadonlyMap<string | undefined, Codec>;
  readonly maxMessageBytes: number;
}

/**
 * Makes the fast lane for unary Connect: POST without a compressed request, over either version of HTTP.
 * https://connectrpc.com/docs/protocol/#unary-rpcs
 */
export function createConnectLane(options: ConnectLaneOptions): ConnectLane {
  const { methods, requestLimit, reportBug, registry } = options;
  const jsonOptions = { alwaysEmitImplicit: true, registry };
  const byPath = new Map(
    [...unaryByPath(methods)].map(([path, implementation]): [string, LaneMethod] => [
      path,
      {
        implementation,
        codecs: codecsOf(implementation.method, options),
        maxMessageBytes: requestLimit(implementation.method),
      },
    ]),
  );

  function serve(
    exchange: Exchange,
    { implementation, maxMessageBytes }: LaneMethod,
    codec: Codec,
    baseUrl: string,
  ): void {
    const timeout = parseTimeout(exchange.header("connect-timeout-ms") ?? null, Number.POSITIVE_INFINITY);
    const { method } = implementation;
    const call = new ExchangeCall(method, exchange, baseUrl, timeout.timeoutMs);
    const send = (reply: Reply): void =>
      exchange.respond({ ...reply, headers: withMetadata(reply.headers, call) });
    const lane = {
      exchange,
      implementation,
      call,
      maxBodyBytes: maxMessageBytes,
      read(body: Uint8Array | "too large") {
        if (timeout.error !== undefined) {
          throw timeout.error;
        }
        if (body === "too large") {
          throw messageTooLarge(maxMessageBytes);
        }
        return codec.read(body);
      },
      succeed(answer: Answer<DescMethodUnary>) {
        const reply = represent(codec.represent(answer), exchange);
        return reply instanceof Promise ? reply.then(send) : send(reply);
      },
      fail: (error: ConnectError) =>
        send(
          createReply(
            codeToHttpStatus(error.code),
            [...ERROR_HEADERS, ...[...error.metadata].flat()],
            errorToJsonBytes(error, jsonOptions),
          ),
        ),
    };
    answerUnary(lane, reportBug);
  }

  return (exchange, path, baseUrl) => {
    const method = byPath.get(path);
    const codec = method?.codecs.get(exchange.header("content-type"));
    if (method === undefined || codec === undefined || exchange.verb !== "POST" || isCompressed(exchange)) {
      return false;
    }
    serve(exchange, method, codec, baseUrl);
    return true;
  };
}

function isCompressed(exchange: Exchange): boolean {
  const encoding = exchange.header("content-encoding");
  return encoding !== undefined && encoding !== "identity";
}

function codecsOf(method: DescMethodUnary, options: ConnectLaneOptions): LaneMethod["codecs"] {
  const { input, output } = method;
  const json = createCodec(
    createJsonMessageReader(input, options),
    "application/json",
    createJsonMessageWriter(output, options.registry),
  );
  const proto = createCodec(
    (octets) => readBinary(method, octets),
    "application/proto",
    createBinaryWriters().ofMessage(output),
  );
  return new Map([
    ["application/json", json],
    ["application/json; charset=utf-8", json],
    ["application/proto", proto],
  ]);
}

function createCodec(
  read: Codec["read"],
  contentType: string,
  write: (message: MessageInitShape<DescMessage>) => string | Uint8Array,
): Codec {
  const headers = Object.freeze({ "content-type": contentType });
  const answerOf = (message: MessageInitShape<DescMessage>): HttpAnswer => ({
    status: 200,
    headers,
    body: write(message),
  });
  return { read, represent: (answer) => representationOfGiven(answer, answerOf) };
}

/** Headers with those that a handler added; its trailers are headers too, by other names. */
function withMetadata(headers: HeaderList, { addedHeaders, addedTrailers }: ExchangeCall): HeaderList {
  if (addedHeaders.length === 0 && addedTrailers.length === 0) {
    return headers;
  }
  const trailers = addedTrailers.map((each, index) => (index % 2 === 0 ? `trailer-${each}` : each));
  return [...headers, ...addedHeaders, ...trailers];
}
