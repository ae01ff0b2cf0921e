import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "@utility-tools/http-server";
import type { MessageInit } from "../../codec/message-field.js";
import { malformedMessage } from "../../errors/errors.js";
import { malformedQuery } from "../../errors/http-error.js";
import { withAdded } from "../../errors/metadata.js";
import { utf8TypeOf } from "../../routes/binding/request-parameters.js";
import { parseFormUrlEncoded } from "../../routes/binding/request-path.js";
import {
  NO_SNIFFING,
  type OutgoingResponse,
  representMessage,
  selectResponse,
} from "../../routes/encoding/representation.js";
import type { ResponseEncoder } from "../../routes/encoding/response-encoder.js";
import type { Codec } from "../codecs.js";
import { negotiate } from "../compression.js";
import { type CallHead, checkedTimeout, type End, type RpcMethod } from "../format.js";
import { type Accepted, PrefixedFormat, RpcFormat } from "../prefixed-format.js";
import { connectErrorResponse, END_STREAM_FLAG, endOfStream } from "./error.js";

/** Connect streams: messages with a prefix, and JSON at the end. https://connectrpc.com/docs/protocol#streaming-rpcs */
export class ConnectStreamFormat extends PrefixedFormat {
  readonly protocolName = "connect";
  protected override readonly endFlag = END_STREAM_FLAG;

  get headers(): HeaderList {
    const { response } = this.accepted.codings;
    const headers = ["content-type", `application/connect+${this.accepted.codec.name}`, ...NO_SNIFFING];
    return response === undefined ? headers : [...headers, "connect-content-encoding", response.name];
  }

  end(error: ConnectError | undefined, trailer: HeaderList): End {
    return { body: endOfStream(error, trailer, this.accepted.method.registry) };
  }
}

/** Connect unary: the message is the body, or in the query; errors have a status. https://connectrpc.com/docs/protocol#unary-rpcs */
export class ConnectUnaryFormat extends RpcFormat {
  readonly protocolName = "connect";
  readonly streams = undefined;
  /** The message of a GET request, or what is wrong with it. */
  readonly #message: Uint8Array | ConnectError | undefined;

  constructor(message: Uint8Array | ConnectError | undefined, accepted: Accepted) {
    super(accepted);
    this.#message = message;
  }

  get maxBodyBytes(): number | undefined {
    return this.#message === undefined ? this.limit : undefined;
  }

  readOne(body: Uint8Array): Message | Promise<Message> {
    const bytes = this.#message ?? body;
    if (bytes instanceof ConnectError) {
      throw bytes;
    }
    if (bytes.length > this.limit) {
      throw this.tooLarge();
    }
    const { request } = this.accepted.codings;
    return request === undefined ? this.accepted.codec.read(bytes) : this.readCompressed(bytes, request);
  }

  respond(
    message: MessageInit,
    header: HeaderList,
    trailer: HeaderList,
  ): OutgoingResponse | Promise<OutgoingResponse> {
    const { head, codec, codings, method } = this.accepted;
    const response = selectResponse(representMessage(message, encoderOf(codec)), head, {
      codings: method.codings,
      // A client that does not say what it accepts gets the compression of its request.
      otherwise: codings.request?.name,
    });
    const complete = (each: OutgoingResponse) => this.#complete(each, header, trailer);
    return response instanceof Promise ? response.then(complete) : complete(response);
  }

  fail(error: ConnectError, header: HeaderList, trailer: HeaderList): OutgoingResponse {
    return this.#complete(connectErrorResponse(error, this.accepted.method.registry), header, trailer);
  }

  /** Adds the headers of the handler, and its trailers, which are headers with another name. */
  #complete(response: OutgoingResponse, header: HeaderList, trailer: HeaderList): OutgoingResponse {
    if (header.length === 0 && trailer.length === 0 && this.#message === undefined) {
      return response;
    }
    const trailers = trailer.map((each, index) => (index % 2 === 0 ? `trailer-${each}` : each));
    const headers = [...withAdded(response.headers, header), ...trailers];
    if (this.#message !== undefined) {
      this.#addCaching(headers, response.status);
    }
    return { ...response, headers };
  }

  #addCaching(headers: string[], status: number): void {
    const { cacheControl } = this.served;
    const has = (name: string) => headers.some((each, index) => index % 2 === 0 && each === name);
    if (cacheControl !== "" && !has("cache-control")) {
      headers.push("cache-control", status === 200 ? cacheControl : "no-store");
    }
    if (!has("vary")) {
      headers.push("vary", "accept-encoding");
    }
  }
}

const encoders = new WeakMap<Codec, ResponseEncoder>();

function encoderOf(codec: Codec): ResponseEncoder {
  let encoder = encoders.get(codec);
  if (encoder === undefined) {
    const headers = Object.freeze({ "content-type": `application/${codec.name}` });
    encoder = (message) => ({ status: 200, headers, body: codec.writeBody(message) });
    encoders.set(codec, encoder);
  }
  return encoder;
}

const UNARY = /^application\/(?:(json)|proto)$/;
const STREAM = /^application\/connect\+(?:(json)|proto)$/;

const VERSION = "connect-protocol-version";

/** How a call in Connect is read and written; undefined for another content type. https://connectrpc.com/docs/protocol */
export function acceptConnect(
  head: CallHead,
  method: RpcMethod,
): ConnectUnaryFormat | ConnectStreamFormat | undefined {
  if (method.served.spec.kind === "unary") {
    return head.httpMethod === "GET" ? acceptGet(head, method) : acceptUnary(head, method);
  }
  const match = STREAM.exec(utf8TypeOf(head.header("content-type") ?? "") ?? "");
  if (match === null) {
    return undefined;
  }
  const codings = negotiate(
    method.codings,
    head.header("connect-content-encoding"),
    head.header("connect-accept-encoding"),
    "connect-accept-encoding",
  );
  const codec = match[1] === undefined ? method.codecs.proto : method.codecs.json;
  return new ConnectStreamFormat({
    head,
    method,
    codec,
    codings,
    timeout: timeoutOf(head, method, head.header(VERSION)),
  });
}

function acceptUnary(head: CallHead, method: RpcMethod): ConnectUnaryFormat | undefined {
  const type = head.header("content-type") ?? "";
  // Comparing the usual types is faster than a regular expression.
  const isJson = type === "application/json";
  const match = isJson || type === "application/proto" ? undefined : UNARY.exec(utf8TypeOf(type) ?? "");
  if (match === null) {
    return undefined;
  }
  const codings = negotiate(method.codings, head.header("content-encoding"), undefined, "accept-encoding");
  const codec = isJson || match?.[1] !== undefined ? method.codecs.json : method.codecs.proto;
  const timeout = timeoutOf(head, method, head.header(VERSION));
  return new ConnectUnaryFormat(undefined, { head, method, codec, codings, timeout });
}

/** https://connectrpc.com/docs/protocol#unary-get-request */
function acceptGet(head: CallHead, method: RpcMethod): ConnectUnaryFormat | undefined {
  const pairs = parseFormUrlEncoded(head.query);
  const query = new Map(pairs?.reverse() ?? [["encoding", "json"]]);
  const encoding = query.get("encoding");
  if (encoding !== "json" && encoding !== "proto") {
    return undefined;
  }
  const codings = negotiate(method.codings, query.get("compression"), undefined, "accept-encoding");
  const timeout = timeoutOf(head, method, query.get("connect")?.replace(/^v/, ""));
  return new ConnectUnaryFormat(pairs === undefined ? malformedQuery() : messageIn(query), {
    head,
    method,
    codec: method.codecs[encoding],
    codings,
    timeout,
  });
}

function timeoutOf(head: CallHead, method: RpcMethod, version: string | undefined) {
  const isRequired = method.served.options.requireConnectProtocolHeader === true;
  if (version !== "1" && (isRequired || (version ?? "") !== "")) {
    return new ConnectError(
      "the request must have the version of the Connect protocol, 1",
      Code.InvalidArgument,
    );
  }
  return checkedTimeout(parseConnectTimeout(head.header("connect-timeout-ms")), method.served);
}

/** The message of a GET request in bytes, or what is wrong with it. */
function messageIn(query: ReadonlyMap<string, string>): Uint8Array | ConnectError {
  const text = query.get("message") ?? "";
  if (query.get("base64") !== "1") {
    return Buffer.from(text);
  }
  // A Buffer ignores what is not base64, and a single character at the end.
  const [, characters] = /^([A-Za-z0-9+/_-]*)={0,2}$/.exec(text) ?? [];
  return characters === undefined || characters.length % 4 === 1
    ? malformedMessage()
    : Buffer.from(characters, "base64url");
}

/** Parses `connect-timeout-ms`; a ConnectError if it is malformed, undefined without it. */
export function parseConnectTimeout(value: string | undefined): number | ConnectError | undefined {
  if (value === undefined) {
    return undefined;
  }
  return /^\d{1,10}$/.test(value)
    ? Number(value)
    : new ConnectError(`protocol error: invalid connect timeout value: ${value}`, Code.InvalidArgument);
}
