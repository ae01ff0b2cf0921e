import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "@utility-tools/http-server";
import { withAdded } from "../../errors/metadata.js";
import type { MessageReader } from "../../routes/binding/message-stream.js";
import { utf8TypeOf } from "../../routes/binding/request-parameters.js";
import { NO_SNIFFING } from "../../routes/encoding/representation.js";
import { envelopeOf, PREFIX_BYTES, writePrefix } from "../envelope.js";
import type { CallHead, End, RpcMethod } from "../format.js";
import { grpcStatus } from "../grpc/error.js";
import { readGrpcHeaders } from "../grpc/format.js";
import { type Accepted, PrefixedFormat } from "../prefixed-format.js";

/** Whether the bodies are in base64. */
interface Form {
  readonly takesText: boolean;
  readonly givesText: boolean;
}

/** The flag of the trailers at the end of a body. */
const TRAILER_FLAG = 0x80;

const headersOf = (type: string): HeaderList => ["content-type", `application/${type}`, ...NO_SNIFFING];

/** The headers of responses in bytes and in base64, by codec. */
const HEADERS = {
  bytes: { proto: headersOf("grpc-web+proto"), json: headersOf("grpc-web+json") },
  text: { proto: headersOf("grpc-web-text+proto"), json: headersOf("grpc-web-text+json") },
} as const;

/** The end of a success without further trailers. */
const OK: End = { body: writePrefix(Buffer.from("\0\0\0\0\0grpc-status: 0\r\n"), TRAILER_FLAG) };

/** gRPC-Web: gRPC with the trailers in the body, and optionally the bodies in base64. */
export class GrpcWebFormat extends PrefixedFormat {
  readonly protocolName = "grpc-web";
  protected override readonly endFlag = TRAILER_FLAG;
  readonly #form: Form;

  constructor(form: Form, accepted: Accepted) {
    super(accepted);
    this.#form = form;
  }

  get headers(): HeaderList {
    const { codec, codings } = this.accepted;
    const { response } = codings;
    const headers = HEADERS[this.#form.givesText ? "text" : "bytes"][codec.name];
    return response === undefined ? headers : [...headers, "grpc-encoding", response.name];
  }

  override get maxBodyBytes(): number {
    // Base64 with the padding of several parts.
    return this.#form.takesText
      ? Math.ceil((super.maxBodyBytes * 4) / 3) + 8 * PREFIX_BYTES
      : super.maxBodyBytes;
  }

  override readOne(body: Uint8Array): Message | Promise<Message> {
    return this.#form.takesText ? this.readWith(this.openRequest(), body) : super.readOne(body);
  }

  override openRequest(): MessageReader {
    const reader = super.openRequest();
    if (!this.#form.takesText) {
      return reader;
    }
    const decoder = new Base64Decoder();
    return {
      get length() {
        return reader.length;
      },
      push: (part) => reader.push(decoder.decode(part)),
      end: () => {
        decoder.end();
        reader.end();
      },
      next: () => reader.next(),
    };
  }

  /** Encodes each part with its padding, so that clients can decode it when it arrives. */
  protected override encodePart(part: Uint8Array): Uint8Array {
    return this.#form.givesText
      ? Buffer.from(Buffer.from(part.buffer, part.byteOffset, part.length).toString("base64"), "latin1")
      : part;
  }

  end(error: ConnectError | undefined, trailer: HeaderList): End {
    if (error === undefined && trailer.length === 0 && !this.#form.givesText) {
      return OK;
    }
    const list = withAdded(error === undefined ? ["grpc-status", "0"] : grpcStatus(error), trailer);
    return { body: this.encodePart(grpcWebTrailers(list)) };
  }
}

/** The last frame of a body: trailers, as a list of name, value and so on. */
export function grpcWebTrailers(list: HeaderList): Uint8Array {
  const text = list.map((each, index) => (index % 2 === 0 ? `${each}: ` : `${each}\r\n`)).join("");
  return envelopeOf(trailerBytes(text), TRAILER_FLAG);
}

/** The bytes of trailers. Clients read them as UTF-8, so that values in another encoding become UTF-8. */
function trailerBytes(text: string): Uint8Array {
  const bytes = Buffer.from(text, "latin1");
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return bytes;
  } catch {
    return Buffer.from(text);
  }
}

const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
const PADDING = 64;
const INVALID = 0xff;
/** The values of all bytes as characters. */
const VALUES = Uint8Array.from({ length: 256 }, (_, byte) => CHARACTERS.indexOf(String.fromCharCode(byte)));
const EMPTY: Uint8Array = new Uint8Array();

/**
 * Decodes base64 in parts of any length. Padding may be at the end of any group of four characters, because the text may be
 * several encoded texts in sequence.
 */
export class Base64Decoder {
  #rest: Uint8Array = EMPTY;
  /** The offset of the rest in the body. */
  #offset = 0;

  /** Decodes the next part. Throws a ConnectError for anything but the alphabet of RFC 4648. */
  decode(part: Uint8Array): Uint8Array {
    const text = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
    const end = text.length - (text.length % 4);
    this.#rest = end === text.length ? EMPTY : new Uint8Array(text.subarray(end));
    const bytes = decodeGroups(text, end, this.#offset);
    this.#offset += end;
    return bytes;
  }

  /** Throws a ConnectError if the text is incomplete. */
  end(): void {
    if (this.#rest.length > 0) {
      throw malformed("it ends within a group of 4 characters");
    }
  }
}

function decodeGroups(text: Uint8Array, end: number, offset: number): Uint8Array {
  const bytes = new Uint8Array((end / 4) * 3);
  let length = 0;
  for (let at = 0; at < end; at += 4) {
    const first = valueAt(text, at);
    const second = valueAt(text, at + 1);
    const third = valueAt(text, at + 2);
    const fourth = valueAt(text, at + 3);
    const isPadded = fourth === PADDING && third <= PADDING;
    if (first >= PADDING || second >= PADDING || !(isPadded || (third < PADDING && fourth < PADDING))) {
      throw malformed(`the group of 4 characters at offset ${offset + at} is invalid`);
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

function malformed(problem: string): ConnectError {
  return new ConnectError(
    `the body must be base64 with padding (RFC 4648, section 4), but ${problem}`,
    Code.InvalidArgument,
  );
}

const TYPE = /^application\/grpc-web(-text)?(?:\+(?:proto|(json)))?$/;
const ACCEPTED = /^application\/grpc-web(-text)?/i;

/** How a call in gRPC-Web is read and written; undefined for another content type. https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-WEB.md */
export function acceptGrpcWeb(head: CallHead, method: RpcMethod): GrpcWebFormat | undefined {
  const type = head.header("content-type") ?? "";
  // Comparing the usual type is faster than a regular expression.
  const match = type === "application/grpc-web+proto" ? [type] : TYPE.exec(utf8TypeOf(type) ?? "");
  if (match === null) {
    return undefined;
  }
  // The response has the form that `Accept` begins with, or else that of the request.
  const accept = head.header("accept");
  const accepted = (accept === undefined ? null : ACCEPTED.exec(accept)) ?? match;
  const form = { takesText: match[1] !== undefined, givesText: accepted[1] !== undefined };
  return new GrpcWebFormat(form, readGrpcHeaders(head, method, match[2] !== undefined));
}
