import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "@utility-tools/http-server";
import type { MessageInit } from "../codec/message-field.js";
import { messageTooLarge } from "../errors/errors.js";
import { withAdded } from "../errors/metadata.js";
import type { MessageReader } from "../routes/binding/message-stream.js";
import type { OutgoingResponse } from "../routes/encoding/representation.js";
import type { ServedMethod } from "../routes/served-methods.js";
import type { Codec } from "./codecs.js";
import type { Coding, Codings } from "./compression.js";
import {
  COMPRESSED_FLAG,
  EnvelopeReader,
  envelopeOf,
  PREFIX_BYTES,
  prefixLength,
  writePrefix,
} from "./envelope.js";
import {
  type CallHead,
  type End,
  Format,
  type RpcMethod,
  type StreamFormat,
  wholeResponse,
} from "./format.js";

/** What the headers of a request in gRPC, gRPC-Web or Connect say. */
export interface Accepted {
  readonly head: CallHead;
  readonly method: RpcMethod;
  readonly codec: Codec;
  readonly codings: Codings;
  /** In milliseconds, or what is wrong with it. */
  readonly timeout: number | ConnectError | undefined;
}

/** What gRPC, gRPC-Web and Connect have in common: the method and its messages are known before the body. */
export abstract class RpcFormat extends Format {
  readonly served: ServedMethod;
  override readonly timeoutMs: number | undefined;
  override readonly problem: ConnectError | undefined;
  protected readonly accepted: Accepted;

  constructor(accepted: Accepted) {
    super();
    const { method, timeout, codings } = accepted;
    this.accepted = accepted;
    this.served = method.served;
    this.timeoutMs = typeof timeout === "number" ? timeout : undefined;
    this.problem = timeout instanceof ConnectError ? timeout : codings.problem;
  }

  get knownMethod(): ServedMethod {
    return this.served;
  }

  tooLarge(): ConnectError {
    return messageTooLarge(this.limit);
  }

  /** The maximum length of a message in bytes. */
  protected get limit(): number {
    return this.served.maxRequestBytes;
  }

  /** Reads a compressed message: synchronously if that takes less time. */
  protected readCompressed(bytes: Uint8Array, coding: Coding): Message | Promise<Message> {
    const { codec, head } = this.accepted;
    const read = (whole: Uint8Array): Message => {
      if (whole.length > this.limit) {
        throw this.tooLarge();
      }
      return codec.read(whole);
    };
    const inflated = bytes.length === 0 ? bytes : coding.decompress(bytes, this.limit);
    return inflated instanceof Promise
      ? inflated.then((whole) => head.turn().then(() => read(whole)))
      : read(inflated);
  }
}

/** What gRPC, gRPC-Web and Connect streams have in common: messages with a prefix. */
export abstract class PrefixedFormat extends RpcFormat implements StreamFormat {
  /** The flag of an envelope that is not a message; 0 if there is none. */
  protected readonly endFlag: number = 0;

  get streams(): StreamFormat {
    return this;
  }

  get takesStream(): boolean {
    return this.served.takesStream;
  }

  get maxBodyBytes(): number {
    return this.limit + PREFIX_BYTES;
  }

  openRequest(): MessageReader {
    const reader = new EnvelopeReader(this.limit);
    return {
      get length() {
        return reader.length;
      },
      push: (part) => reader.push(part),
      end: () => reader.end(),
      next: () => {
        while (reader.next()) {
          const flags = reader.flags & ~COMPRESSED_FLAG;
          if (flags === 0) {
            return this.#read(reader);
          }
          if (flags !== this.endFlag) {
            throw new ConnectError("the message has flags that the protocol does not define", Code.Internal);
          }
        }
        return undefined;
      },
    };
  }

  readOne(body: Uint8Array): Message | Promise<Message> {
    // Almost all bodies are one message, which needs no reader.
    const length = body.length - PREFIX_BYTES;
    if (length >= 0 && prefixLength(body, 0) === length && length <= this.limit) {
      const bytes = new Uint8Array(body.buffer, body.byteOffset + PREFIX_BYTES, length);
      switch (body[0]) {
        case 0:
          return this.accepted.codec.read(bytes);
        case COMPRESSED_FLAG:
          return this.#inflate(bytes);
      }
    }
    return this.readWith(this.openRequest(), body);
  }

  protected readWith(reader: MessageReader, body: Uint8Array): Message | Promise<Message> {
    reader.push(body);
    const message = reader.next();
    if (message === undefined) {
      reader.end();
      throw new ConnectError(
        "the method takes exactly one message; the request has none",
        Code.Unimplemented,
      );
    }
    // Only an envelope that is not a message may follow.
    if (reader.length > 0 && (reader.next() !== undefined || reader.length > 0)) {
      throw new ConnectError(
        "the method takes exactly one message; the request has several",
        Code.Unimplemented,
      );
    }
    reader.end();
    return message;
  }

  #read({ flags, bytes, messageStart, messageEnd }: EnvelopeReader): Message | Promise<Message> {
    if ((flags & COMPRESSED_FLAG) === 0) {
      return this.accepted.codec.read(bytes, messageStart, messageEnd);
    }
    return this.#inflate(bytes.subarray(messageStart, messageEnd));
  }

  #inflate(bytes: Uint8Array): Message | Promise<Message> {
    const { request } = this.accepted.codings;
    if (request === undefined) {
      throw new ConnectError("the message is compressed, but no header names the encoding", Code.Internal);
    }
    return this.readCompressed(bytes, request);
  }

  writeMessage(message: MessageInit): Uint8Array | Promise<Uint8Array> {
    const bytes = this.accepted.codec.write(message, PREFIX_BYTES);
    const { response } = this.accepted.codings;
    if (response === undefined || bytes.length - PREFIX_BYTES < this.accepted.method.minCompressedBytes) {
      return this.encodePart(writePrefix(bytes, 0));
    }
    return response
      .compress(bytes.subarray(PREFIX_BYTES))
      .then((short) => this.encodePart(envelopeOf(short, COMPRESSED_FLAG)));
  }

  /** Encodes a part of the response: in base64 in gRPC-Web. */
  protected encodePart(part: Uint8Array): Uint8Array {
    return part;
  }

  streamStatus(): number {
    return 200;
  }

  abstract readonly headers: HeaderList;
  abstract end(error: ConnectError | undefined, trailer: HeaderList): End;

  respond(
    message: MessageInit,
    header: HeaderList,
    trailer: HeaderList,
  ): OutgoingResponse | Promise<OutgoingResponse> {
    const part = this.writeMessage(message);
    const whole = (bytes: Uint8Array) =>
      wholeResponse(200, withAdded(this.headers, header), [bytes], this.end(undefined, trailer));
    return part instanceof Promise ? part.then(whole) : whole(part);
  }

  fail(error: ConnectError, header: HeaderList, trailer: HeaderList): OutgoingResponse {
    return wholeResponse(200, withAdded(this.headers, header), [], this.end(error, trailer));
  }
}
