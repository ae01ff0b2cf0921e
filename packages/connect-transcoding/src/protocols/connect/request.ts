import { Code, ConnectError } from "@connectrpc/connect";
import { malformedMessage } from "../../errors/errors.js";
import { malformedQuery } from "../../errors/http-error.js";
import { utf8TypeOf } from "../../routes/binding/request-parameters.js";
import { parseFormUrlEncoded } from "../../routes/binding/request-path.js";
import { negotiate } from "../compression.js";
import { type CallHead, checkedTimeout, type RpcMethod } from "../format.js";
import { ConnectStreamFormat, ConnectUnaryFormat } from "./response.js";

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
  return new ConnectUnaryFormat(head, undefined, { method, codec, codings, timeout });
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
  return new ConnectUnaryFormat(head, pairs === undefined ? malformedQuery() : messageIn(query), {
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
