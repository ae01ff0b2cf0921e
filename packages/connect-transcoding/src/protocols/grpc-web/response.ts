import type { Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "@utility-tools/http-server";
import { withAdded } from "../../errors/metadata.js";
import type { MessageReader } from "../../routes/binding/message-stream.js";
import { NO_SNIFFING } from "../../routes/encoding/representation.js";
import { envelopeOf, PREFIX_BYTES, writePrefix } from "../envelope.js";
import type { End } from "../format.js";
import { grpcStatus } from "../grpc/error.js";
import { type Accepted, PrefixedFormat } from "../prefixed-format.js";
import { Base64Decoder } from "./base64.js";

/** Whether the bodies are in base64. */
interface Form {
  readonly takesText: boolean;
  readonly givesText: boolean;
}

/** The flag of the trailers at the end of a body. */
const TRAILER_FLAG = 0x80;

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
    const { response } = this.accepted.codings;
    const type = `application/grpc-web${this.#form.givesText ? "-text" : ""}+${this.accepted.codec.name}`;
    const headers = ["content-type", type, ...NO_SNIFFING];
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
