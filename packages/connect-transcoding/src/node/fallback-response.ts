import { Code, ConnectError } from "@connectrpc/connect";
import { type Compression, encodeEnvelope, type UniversalServerResponse } from "@connectrpc/connect/protocol";
import { codeFromString, endStreamFlag, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Exchange } from "./exchange.js";
import { endStreamEnvelope, PREFIX_BYTES, TRAILER_FLAG } from "./grpc.js";
import { connectErrorOf } from "./reject.js";
import { laneError } from "./unary.js";

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

// connect-node answers a message that it cannot read with INTERNAL. That is a code somebody is woken for, and here it is the
// caller who is at fault: the answers are made those that the fast lanes give.

/** How connect begins the text of the error for a message that is not in the binary format. */
const TEXT = "parse binary: ";
/** The same as gRPC writes it: percent-encoded. */
const ENCODED = encodeURIComponent(TEXT);

const unreadable = (): ConnectError => connectErrorOf(laneError("MALFORMED_MESSAGE"));

/** An error of connect's own for a message that is none becomes the caller's; any other stays what it is. */
export function blameCaller(error: ConnectError): ConnectError {
  return error.code === Code.Internal && error.rawMessage.startsWith(TEXT) ? unreadable() : error;
}

/** A compression whose complaints about what it is given name the caller as the one at fault, and quote no library. */
export function blamingCompression(compression: Compression): Compression {
  return {
    ...compression,
    decompress: async (octets, limit) => {
      try {
        return await compression.decompress(octets, limit);
      } catch (thrown) {
        const error = ConnectError.from(thrown);
        throw error.code === Code.ResourceExhausted ? error : unreadable();
      }
    },
  };
}

/** The answer to a call of which no handler has heard. */
export function blameCallerIn(response: UniversalServerResponse, door: string): UniversalServerResponse {
  const { header, trailer, body } = response;
  if (door === "connect") {
    if (response.status === 500) {
      return connectAnswer();
    }
    const isStream = header?.get("content-type")?.startsWith("application/connect+") === true;
    return isStream && body !== undefined ? { ...response, body: correctedEnd(body) } : response;
  }
  correct(header);
  return body === undefined ? response : { ...response, body: corrected(body, trailer) };
}

function connectAnswer(): UniversalServerResponse {
  const body = errorToJsonBytes(unreadable(), {});
  const header = new Headers({ "content-type": "application/json", "content-length": String(body.length) });
  return { status: 400, header, body: only(body) };
}

async function* only(piece: Uint8Array): AsyncIterable<Uint8Array> {
  yield piece;
}

/** The end of a stream over Connect is the last piece of its body, and as JSON holds the error's text as it is. */
async function* correctedEnd(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const piece of body) {
    const isUnreadable =
      piece[0] === endStreamFlag &&
      Buffer.from(piece.subarray(PREFIX_BYTES)).includes(`"code":"internal","message":"${TEXT}`);
    yield isUnreadable ? endStreamEnvelope(unreadable()) : piece;
  }
}

async function* corrected(
  body: AsyncIterable<Uint8Array>,
  trailer: Headers | undefined,
): AsyncIterable<Uint8Array> {
  for await (const piece of body) {
    yield piece[0] === TRAILER_FLAG ? correctedTrailers(piece) : piece;
  }
  correct(trailer);
}

function correct(trailers: Headers | undefined): void {
  if (trailers?.get("grpc-message")?.startsWith(ENCODED) === true) {
    setTrailerStatus(trailers, unreadable());
  }
}

function correctedTrailers(piece: Uint8Array): Uint8Array {
  const text = Buffer.from(piece.subarray(PREFIX_BYTES)).toString();
  if (!text.includes(`grpc-message: ${ENCODED}`)) {
    return piece;
  }
  const lines = [...setTrailerStatus(new Headers(), unreadable())].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return encodeEnvelope(TRAILER_FLAG, new TextEncoder().encode(lines.join("")));
}
