import { create, type JsonObject, type Message, type Registry, toBinary, toJson } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "one-port";
import { createBinaryWriters } from "../codec/binary/writer.js";
import { createJsonMessageReader } from "../codec/json-reader.js";
import { createJsonMessageWriter } from "../codec/json-writer.js";
import type { MessageInit } from "../codec/message-field.js";
import { connectCodeName, httpStatusOf } from "../errors/codes.js";
import type { Exchange } from "../node/exchange.js";
import type { BodyOutcome } from "../node/request-body.js";
import {
  headerList,
  type OutgoingResponse,
  outgoingResponse,
  representMessage,
  selectResponse,
} from "../response/representation.js";
import type { ResponseEncoder } from "../response/response-encoder.js";
import type { FastPath } from "./grpc.js";
import { CallContext, type ContextOptions } from "./handler-context.js";
import { createUnaryInvoker } from "./invoke.js";
import type { ServedMethod } from "./served-methods.js";
import { createRequestReader, messageTooLarge, serveUnary, type ToError } from "./unary.js";

/** What calls share, with how to read and write JSON. */
export interface ConnectOptions extends ContextOptions {
  /** What to do with fields of a JSON request that the message does not have. */
  readonly unknownParameters: "reject" | "ignore";
  /** Resolves the types in `google.protobuf.Any`. */
  readonly registry: Registry;
}

const ERROR_HEADERS = headerList({ "content-type": "application/json" });

/** JSON in UTF-8, with or without the `charset` parameter (RFC 9110, section 8.3.1). */
const JSON_TYPE = /^application\/json *(?:; *charset="?utf-8"?)?$/i;

/** Reads and writes the messages of a method in one format. */
interface Codec {
  read(body: Uint8Array): Message;
  readonly encode: ResponseEncoder;
}

/**
 * Creates the fast path of a unary method for Connect: POST without a compressed request, over HTTP/1.1 and HTTP/2.
 * Undefined if the options of the method need connect-node.
 * https://connectrpc.com/docs/protocol/#unary-rpcs
 */
export function createConnectFastPath(
  { spec, options, maxRequestBytes, needsConnectNode }: ServedMethod,
  shared: ConnectOptions,
  toError: ToError,
): FastPath | undefined {
  if (spec.kind !== "unary" || options.connect === false || needsConnectNode) {
    return undefined;
  }
  const { method } = spec;
  const invoke = createUnaryInvoker(spec, options.interceptors ?? []);
  const json = createCodec(
    "application/json",
    createJsonMessageReader(method.input, shared),
    createJsonMessageWriter(method.output, shared.registry),
  );
  const proto = createCodec(
    "application/proto",
    createRequestReader(method),
    createBinaryWriters().ofMessage(method.output),
  );
  const codecOf = (contentType = ""): Codec | undefined => {
    if (contentType === "application/json" || JSON_TYPE.test(contentType)) {
      return json;
    }
    return contentType === "application/proto" ? proto : undefined;
  };

  return (exchange, baseUrl) => {
    const codec = codecOf(exchange.header("content-type"));
    if (codec === undefined || exchange.httpMethod !== "POST" || isCompressed(exchange)) {
      return false;
    }
    const timeout = parseConnectTimeout(exchange.header("connect-timeout-ms"));
    const timeoutMs = typeof timeout === "number" ? timeout : undefined;
    const context = new CallContext(method, "connect", exchange, baseUrl, shared, timeoutMs);
    const send = (response: OutgoingResponse): void =>
      exchange.respond({ ...response, headers: withMetadata(response.headers, context) });
    const call = {
      exchange,
      invoke,
      context,
      maxBodyBytes: maxRequestBytes,
      read(body: BodyOutcome) {
        if (timeout instanceof ConnectError) {
          throw timeout;
        }
        if (body === "too large") {
          throw messageTooLarge(maxRequestBytes);
        }
        return codec.read(body);
      },
      succeed(message: MessageInit) {
        const response = selectResponse(representMessage(message, codec.encode), exchange);
        return response instanceof Promise ? response.then(send) : send(response);
      },
      fail: (error: ConnectError) => send(connectErrorResponse(error, shared.registry)),
    };
    serveUnary(call, toError);
    return true;
  };
}

function isCompressed(exchange: Exchange): boolean {
  const encoding = exchange.header("content-encoding");
  return encoding !== undefined && encoding !== "identity";
}

function createCodec(
  contentType: string,
  read: Codec["read"],
  write: (message: MessageInit) => string | Uint8Array,
): Codec {
  const headers = Object.freeze({ "content-type": contentType });
  return { read, encode: (message) => ({ status: 200, headers, body: write(message) }) };
}

/** Adds the headers and trailers that the handler has set; trailers are headers with a prefix. */
function withMetadata(headers: HeaderList, { addedHeaders, addedTrailers }: CallContext): HeaderList {
  if (addedHeaders.length === 0 && addedTrailers.length === 0) {
    return headers;
  }
  const trailers = addedTrailers.map((each, index) => (index % 2 === 0 ? `trailer-${each}` : each));
  return [...headers, ...addedHeaders, ...trailers];
}

/** The response of a unary call that fails. https://connectrpc.com/docs/protocol/#error-codes */
export function connectErrorResponse(error: ConnectError, registry?: Registry): OutgoingResponse {
  const body = Buffer.from(JSON.stringify(connectErrorJson(error, registry)));
  return outgoingResponse(httpStatusOf(error.code), [...ERROR_HEADERS, ...[...error.metadata].flat()], body);
}

/** An error as JSON. https://connectrpc.com/docs/protocol/#error-end-stream */
export function connectErrorJson(error: ConnectError, registry?: Registry): JsonObject {
  const json: JsonObject = { code: connectCodeName(error.code) };
  if (error.rawMessage !== "") {
    json.message = error.rawMessage;
  }
  if (error.details.length > 0) {
    json.details = error.details.map((detail) => detailJson(detail, registry));
  }
  return json;
}

function detailJson(detail: ConnectError["details"][number], registry: Registry | undefined): JsonObject {
  if (!("desc" in detail)) {
    const { type, value, debug } = detail;
    return { type, ...(debug === undefined ? {} : { debug }), value: base64Encode(value, "std_raw") };
  }
  const { desc } = detail;
  const message = create(desc, detail.value);
  const value = base64Encode(toBinary(desc, message), "std_raw");
  try {
    const options = registry === undefined ? {} : { registry };
    return {
      type: desc.typeName,
      debug: toJson(desc, message, { alwaysEmitImplicit: true, ...options }),
      value,
    };
  } catch {
    // `debug` is optional, and an Any of an unknown type has no JSON.
    return { type: desc.typeName, value };
  }
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
