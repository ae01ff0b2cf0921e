import { Code, ConnectError } from "@connectrpc/connect";
import { type Compression, encodeEnvelope, type UniversalServerResponse } from "@connectrpc/connect/protocol";
import { endStreamFlag, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { connectErrorOf } from "./connect-error.js";
import { endStreamEnvelope, PREFIX_BYTES, TRAILER_FLAG } from "./envelope.js";
import { laneError } from "./lane-error.js";

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
