import type { Message, Registry } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "@utility-tools/http-server";
import type { MessageInit } from "../codec/message-field.js";
import type { MessageReader } from "../routes/binding/message-stream.js";
import { NO_SNIFFING, type OutgoingResponse, outgoingResponse } from "../routes/encoding/representation.js";
import type { ServedMethod } from "../routes/served-methods.js";
import type { Codecs } from "./codecs.js";
import type { Coding } from "./compression.js";

/** The protocol of a call. */
export type CallProtocol = "rest" | "grpc" | "grpc-web" | "connect";

/** What protocols read of a request before its body. */
export interface CallHead {
  readonly httpVersion: "1.0" | "1.1" | "2.0";
  readonly httpMethod: string;
  /** The query of the request target, without the `?`; empty without one. */
  readonly query: string;
  /** The path of the request target; empty before it has been read. */
  readonly path: string;
  /** The value of a header by its lower-case name; several values are joined by a comma. */
  header(name: string): string | undefined;
  /** Resolves when the event loop has time for this client, after work elsewhere: much of that can end in one iteration. */
  turn(): Promise<void>;
}

/** A method with all that its calls in gRPC, gRPC-Web and Connect share. */
export interface RpcMethod {
  readonly served: ServedMethod;
  readonly codecs: Codecs;
  readonly codings: readonly Coding[];
  /** Shorter messages are not compressed, in bytes. */
  readonly minCompressedBytes: number;
  /** Resolves the types in `google.protobuf.Any`. */
  readonly registry: Registry;
}

/** The end of a response with several messages: the last bytes of the body, and HTTP trailers. */
export interface End {
  readonly body?: Uint8Array | undefined;
  readonly trailers?: HeaderList | undefined;
}

/** How one call is read and written in its protocol: the only thing in which protocols differ. */
export abstract class Format {
  abstract readonly protocolName: CallProtocol;
  /** The method of the call. REST selects it by the message, so it is known once that has been read. */
  abstract readonly served: ServedMethod;

  /** The method if it is known before the request has been read. */
  abstract readonly knownMethod: ServedMethod | undefined;

  /** How streams of messages are read and written; undefined if the protocol has one request message and one response message. */
  abstract readonly streams: StreamFormat | undefined;
  /** The timeout of the request in milliseconds; undefined without one. */
  readonly timeoutMs: number | undefined = undefined;
  /** What is wrong with the headers of the request: the call fails with it. */
  readonly problem: ConnectError | undefined = undefined;
  /** The maximum length in bytes of the body of a request with one message; undefined if the message is not in the body. */
  abstract readonly maxBodyBytes: number | undefined;

  /** The error for a body that is too long. */
  abstract tooLarge(): ConnectError;
  /** Reads the message of a request with one message. The bytes are valid during the call only. Throws a ConnectError. */
  abstract readOne(body: Uint8Array): Message | Promise<Message>;

  /** The response that the protocol sends without calling the handler; undefined to call it. */
  get early(): OutgoingResponse | undefined {
    return undefined;
  }

  /** The response with one message. `status` is the HTTP status that the handler has set, 0 without one. Only REST reads it. */
  abstract respond(
    message: MessageInit,
    header: HeaderList,
    trailer: HeaderList,
    status: number,
  ): OutgoingResponse | Promise<OutgoingResponse>;

  /** The error in terms of the request: REST names fields as the client has. */
  toClientError(error: ConnectError): ConnectError {
    return error;
  }

  /** The response with an error and no message. */
  abstract fail(error: ConnectError, header: HeaderList, trailer: HeaderList): OutgoingResponse;
}

/** How a call is read and written whose request or response can be a stream of messages. */
export interface StreamFormat extends Pick<Format, "fail"> {
  /** Whether the request is a stream of messages. */
  readonly takesStream: boolean;
  /** Creates the reader of a stream of messages. Throws a ConnectError. */
  openRequest(): MessageReader;
  /** The HTTP status of a response with several messages. `given` is the one that the handler has set, 0 without one. */
  streamStatus(given: number): number;
  /** The headers of a response with several messages. Read after the first message has been written, or at the end. */
  readonly headers: HeaderList;
  /** Writes one of several messages. */
  writeMessage(message: MessageInit): Uint8Array | Promise<Uint8Array>;
  /** The end of a response, after its messages; undefined if the connection must break, because nothing can express the error. */
  end(error: ConnectError | undefined, trailer: HeaderList): End | undefined;
}

/** A request that its protocol rejects by an HTTP status. */
export class Refusal {
  readonly response: OutgoingResponse;
  readonly code: Code;

  constructor(status: number, code: Code, headers: readonly string[]) {
    this.response = outgoingResponse(status, [...headers, ...NO_SNIFFING], "");
    this.code = code;
  }
}

const NOTHING: Uint8Array = new Uint8Array();

/** A response in one piece of the messages in `parts` and the end. */
export function wholeResponse(
  status: number,
  headers: HeaderList,
  parts: Uint8Array[],
  end: End,
): OutgoingResponse {
  if (end.body !== undefined) {
    parts.push(end.body);
  }
  const body = joinParts(parts);
  const response = { status, headers, body, length: body.length };
  return end.trailers === undefined ? response : { ...response, trailers: end.trailers };
}

export function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const [only = NOTHING] = parts;
  return parts.length <= 1 ? only : Buffer.concat(parts);
}

/** A timeout within the maximum of the method, or an error. */
export function checkedTimeout(
  timeout: number | ConnectError | undefined,
  served: ServedMethod,
): number | ConnectError | undefined {
  const { maxTimeoutMs } = served.options;
  return typeof timeout === "number" && maxTimeoutMs !== undefined && timeout > maxTimeoutMs
    ? new ConnectError(`timeout ${timeout}ms must be <= ${maxTimeoutMs}`, Code.InvalidArgument)
    : timeout;
}
