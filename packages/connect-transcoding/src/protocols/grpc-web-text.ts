import { Code, ConnectError } from "@connectrpc/connect";
import type { UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { EMPTY_BODY, type Exchange } from "../node/exchange.js";

// The text form of gRPC-Web is the binary form in base64. Values of trailers with `-bin` names are the same in both forms:
// neither Envoy nor Google's client implements the exception that the specification makes for them.
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md

/** The beginning of a content type of gRPC-Web, in either form. */
const FORM = /^application\/grpc-web(-text)?/i;

/**
 * Returns whether a gRPC-Web client expects a response in text form. `Accept` decides if it begins with a type of gRPC-Web;
 * otherwise the response has the form of the request.
 */
export function acceptsText(exchange: Exchange): boolean {
  if (exchange.protocol !== "grpc-web") {
    return false;
  }
  const accepted = FORM.exec(exchange.header("accept") ?? "");
  const form = accepted ?? FORM.exec(exchange.header("content-type") ?? "");
  return form?.[1] !== undefined;
}

/** Returns a content type of gRPC-Web in text form or in binary form. Returns other types as they are. */
export function contentTypeInForm(type: string, isText: boolean): string {
  return type.replace(FORM, isText ? "application/grpc-web-text" : "application/grpc-web");
}

/** A request whose body is not parsed yet. */
interface StreamRequest extends UniversalServerRequest {
  readonly body: AsyncIterable<Uint8Array>;
}

/** Converts a gRPC-Web request in text form to binary form. Returns other requests as they are. */
export function toBinaryRequest(request: StreamRequest): StreamRequest {
  const type = request.header.get("content-type") ?? "";
  if (FORM.exec(type)?.[1] === undefined) {
    return request;
  }
  const header = new Headers(request.header);
  header.set("content-type", contentTypeInForm(type, false));
  return { ...request, header, body: decodeBase64(request.body) };
}

/** Converts a gRPC-Web response in binary form to text form. Returns responses without a body as they are. */
export function toTextResponse(response: UniversalServerResponse): UniversalServerResponse {
  const { header, body } = response;
  if (body === undefined) {
    return response;
  }
  header?.set("content-type", contentTypeInForm(header.get("content-type") ?? "", true));
  return { ...response, body: encodeBase64(body) };
}

/** Encodes each chunk separately, with padding, so that clients can decode it when it arrives. */
async function* encodeBase64(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const { buffer, byteOffset, length } of chunks) {
    yield Buffer.from(Buffer.from(buffer, byteOffset, length).toString("base64"));
  }
}

/** The characters of base64 by their values; the last one is the padding. */
const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
const PADDING = 64;
const INVALID = 0xff;
/** The values of all bytes as characters. */
const VALUES = Uint8Array.from({ length: 256 }, (_, byte) => CHARACTERS.indexOf(String.fromCharCode(byte)));

/**
 * Decodes base64 in chunks of any length as they arrive. Padding may be at the end of any group of four characters, because the
 * text may be several encoded texts in sequence. Throws a ConnectError for anything but the alphabet and padding of RFC 4648,
 * section 4.
 */
export async function* decodeBase64(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let rest: Uint8Array = EMPTY_BODY;
  let offset = 0;
  for await (const chunk of chunks) {
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = text.length - (text.length % 4);
    rest = text.subarray(end);
    if (end > 0) {
      yield decodeGroups(text.subarray(0, end), offset);
      offset += end;
    }
  }
  if (rest.length > 0) {
    throw malformedText("it ends within a group of 4 characters");
  }
}

/** Decodes whole groups, which begin at this offset of the body. */
function decodeGroups(text: Uint8Array, offset: number): Uint8Array {
  const bytes = new Uint8Array((text.length / 4) * 3);
  let length = 0;
  for (let at = 0; at < text.length; at += 4) {
    const first = valueAt(text, at);
    const second = valueAt(text, at + 1);
    const third = valueAt(text, at + 2);
    const fourth = valueAt(text, at + 3);
    const isPadded = fourth === PADDING && third <= PADDING;
    if (first >= PADDING || second >= PADDING || !(isPadded || (third < PADDING && fourth < PADDING))) {
      throw malformedText(`the group of 4 characters at offset ${offset + at} is invalid`);
    }
    bytes[length] = (first << 2) | (second >>> 4);
    bytes[length + 1] = (second << 4) | (third >>> 2);
    bytes[length + 2] = (third << 6) | fourth;
    length += third === PADDING ? 1 : isPadded ? 2 : 3;
  }
  return bytes.subarray(0, length);
}

function valueAt(text: Uint8Array, index: number): number {
  return VALUES[text[index] ?? INVALID] ?? INVALID;
}

function malformedText(problem: string): ConnectError {
  return new ConnectError(
    `the body must be base64 with padding (RFC 4648, section 4), but ${problem}`,
    Code.InvalidArgument,
  );
}
