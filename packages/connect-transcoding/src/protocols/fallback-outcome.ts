import { Code } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { codeFromConnectName } from "../errors/codes.js";
import type { Exchange } from "../node/exchange.js";
import { END_STREAM_FLAG, PREFIX_BYTES, TRAILER_FLAG } from "./envelope.js";

/**
 * Records how a response of connect-node ends. Depending on the protocol, an error is in the headers, in the trailers, or
 * in the last chunk of the body. An error of the implementation is known already.
 */
export function observeOutcome(
  response: UniversalServerResponse,
  exchange: Exchange,
): UniversalServerResponse {
  const { status, header, trailer, body } = response;
  const record = (last?: Uint8Array): void => {
    const code = grpcCode(header) ?? grpcCode(trailer) ?? codeInBody(last, status) ?? codeOfStatus(status);
    // connect-node sends INTERNAL for a message that it cannot parse, which is not a fault of the server.
    const isRejected = code === Code.Internal && !exchange.isCalled;
    exchange.code ??= isRejected ? Code.InvalidArgument : code;
    exchange.complete();
  };
  exchange.begun(status);
  if (body === undefined) {
    record();
    return response;
  }
  return { ...response, body: withEnd(body, record) };
}

async function* withEnd(
  body: AsyncIterable<Uint8Array>,
  onEnd: (last?: Uint8Array) => void,
): AsyncIterable<Uint8Array> {
  let last: Uint8Array | undefined;
  for await (const chunk of body) {
    last = chunk;
    yield chunk;
  }
  onEnd(last);
}

function grpcCode(headers: Headers | undefined): Code | undefined {
  return knownCode(headers?.get("grpc-status") ?? undefined);
}

function knownCode(text: string | undefined): Code | undefined {
  const code = Number(text);
  return code > 0 && code in Code ? code : undefined;
}

function codeInBody(last: Uint8Array | undefined, status: number): Code | undefined {
  if (last === undefined) {
    return undefined;
  }
  if (status !== 200) {
    return connectCode(last, (value) => value);
  }
  if (last[0] === END_STREAM_FLAG) {
    return connectCode(last.subarray(PREFIX_BYTES), (value) => property(value, "error"));
  }
  return last[0] === TRAILER_FLAG
    ? knownCode(/^grpc-status: ?(\d+)/im.exec(Buffer.from(last.subarray(PREFIX_BYTES)).toString())?.[1])
    : undefined;
}

function connectCode(json: Uint8Array, errorOf: (value: unknown) => unknown): Code | undefined {
  try {
    const code = property(errorOf(JSON.parse(Buffer.from(json).toString())), "code");
    return typeof code === "string" ? codeFromConnectName(code) : undefined;
  } catch {
    return undefined;
  }
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** The code of a response without an error of its protocol: an HTTP method or content type that is not supported. */
function codeOfStatus(status: number): Code | undefined {
  if (status < 400) {
    return undefined;
  }
  return status === 405 ? Code.Unimplemented : Code.InvalidArgument;
}
