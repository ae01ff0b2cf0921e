import { Code } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { codeFromString, endStreamFlag } from "@connectrpc/connect/protocol-connect";
import { PREFIX_BYTES, TRAILER_FLAG } from "./envelope.js";
import type { Exchange } from "./exchange.js";

/**
 * Has an exchange know how an answer of connect-node's ends: its errors are in the headers, the trailers, or the last piece
 * of the body, by protocol. What a handler failed with is known already.
 */
export function noteOutcome(response: UniversalServerResponse, exchange: Exchange): UniversalServerResponse {
  const { status, header, trailer, body } = response;
  const note = (last?: Uint8Array): void => {
    exchange.code ??=
      grpcCode(header) ?? grpcCode(trailer) ?? codeInBody(last, status) ?? codeOfStatus(status);
    exchange.complete();
  };
  exchange.begun(status);
  if (body === undefined) {
    note();
    return response;
  }
  return { ...response, body: withEnd(body, note) };
}

async function* withEnd(
  body: AsyncIterable<Uint8Array>,
  onEnd: (last?: Uint8Array) => void,
): AsyncIterable<Uint8Array> {
  let last: Uint8Array | undefined;
  for await (const piece of body) {
    last = piece;
    yield piece;
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
  if (last[0] === endStreamFlag) {
    return connectCode(last.subarray(PREFIX_BYTES), (value) => property(value, "error"));
  }
  return last[0] === TRAILER_FLAG
    ? knownCode(/^grpc-status: ?(\d+)/im.exec(Buffer.from(last.subarray(PREFIX_BYTES)).toString())?.[1])
    : undefined;
}

/** The code of an error in Connect's JSON. */
function connectCode(json: Uint8Array, errorOf: (value: unknown) => unknown): Code | undefined {
  try {
    const code = property(errorOf(JSON.parse(Buffer.from(json).toString())), "code");
    return typeof code === "string" ? codeFromString(code) : undefined;
  } catch {
    return undefined;
  }
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** What an answer without any protocol's error says: a verb or a content type that the method does not take. */
function codeOfStatus(status: number): Code | undefined {
  if (status < 400) {
    return undefined;
  }
  return status === 405 ? Code.Unimplemented : Code.InvalidArgument;
}
