import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "one-port";
import type { MessageInit } from "../../codec/message-field.js";
import { bodyTooLarge } from "../../errors/http-error.js";
import type { MessageReader } from "../../routes/binding/message-stream.js";
import type { RequestContent } from "../../routes/binding/request-parameters.js";
import {
  headerList,
  type OutgoingResponse,
  representMessage,
  selectResponse,
  toOutgoing,
} from "../../routes/encoding/representation.js";
import type { BoundCall } from "../../routes/method-group.js";
import type { Route } from "../../routes/route-table.js";
import type { ServedMethod } from "../../routes/served-methods.js";
import { type CallHead, type End, Format, withAdded } from "../format.js";
import { negotiateStreamFormat, type StreamFormat } from "./envelope.js";
import { encodeError, errorText } from "./error.js";

/** JSON over HTTP by the `google.api.http` rules, with errors as in AIP-193. */
export class RestFormat extends Format {
  readonly protocolName = "rest";
  readonly maxBodyBytes: number;
  readonly #head: CallHead;
  readonly #route: Route;
  readonly #servedOf: (method: DescMethod) => ServedMethod;
  #bound: BoundCall | undefined;
  #served: ServedMethod | undefined;
  /** The form of a stream of messages; undefined for a stream of bytes. */
  #streamFormat: StreamFormat | undefined;
  #isFirst = true;
  /** The content type of a stream of bytes, which its first message has. */
  #contentType: string | undefined;

  constructor(
    head: CallHead,
    route: Route,
    maxBodyBytes: number,
    servedOf: (method: DescMethod) => ServedMethod,
  ) {
    super();
    this.#head = head;
    this.#route = route;
    this.maxBodyBytes = maxBodyBytes;
    this.#servedOf = servedOf;
  }

  get served(): ServedMethod {
    this.#served ??= this.#servedOf(this.#call.method);
    return this.#served;
  }

  get #call(): BoundCall {
    if (this.#bound === undefined) {
      throw new Error("the request has not been read yet");
    }
    return this.#bound;
  }

  get takesStream(): boolean {
    return this.#route.bindStream !== undefined;
  }

  tooLarge(): ConnectError {
    return bodyTooLarge(this.maxBodyBytes);
  }

  readOne(body: Uint8Array): Message {
    const bound = this.#route.bind(new HeadContent(this.#head, body));
    this.#bind(bound);
    return bound.message;
  }

  openRequest(): MessageReader {
    const { bindStream } = this.#route;
    if (bindStream === undefined) {
      throw new TypeError("the route takes no stream of messages");
    }
    const bound = bindStream({
      limit: this.maxBodyBytes,
      contentType: this.#head.header("content-type"),
      contentEncoding: this.#head.header("content-encoding"),
    });
    this.#bind(bound);
    return bound.reader;
  }

  #bind(bound: BoundCall): void {
    this.#bound = bound;
    if (this.served.givesStream && bound.responseKind !== "bytes") {
      this.#streamFormat = negotiateStreamFormat(this.#head.header("accept"));
    }
  }

  /** The response to a HEAD request for a stream: its content is not needed. */
  override get early(): OutgoingResponse | undefined {
    return this.#head.httpMethod === "HEAD" && this.served.givesStream
      ? { status: 200, headers: this.headers, body: "", length: 0 }
      : undefined;
  }

  respond(message: MessageInit, header: HeaderList): OutgoingResponse | Promise<OutgoingResponse> {
    const response = selectResponse(representMessage(message, this.#call.encode), this.#head);
    if (header.length === 0) {
      return response;
    }
    const add = (each: OutgoingResponse) => ({ ...each, headers: withAdded(each.headers, header) });
    return response instanceof Promise ? response.then(add) : add(response);
  }

  get headers(): HeaderList {
    const { headers } = this.#route;
    if (this.#streamFormat !== undefined) {
      const { contentType } = this.#streamFormat;
      return headerList({ ...headers, "content-type": contentType, vary: "accept" });
    }
    return headerList(
      this.#contentType === undefined ? headers : { "content-type": this.#contentType, ...headers },
    );
  }

  writeMessage(message: MessageInit): Uint8Array {
    const { headers, body } = this.#call.encode(message);
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (this.#streamFormat !== undefined) {
      const json = typeof body === "string" ? body : Buffer.from(body).toString();
      return Buffer.from(this.#streamFormat.message(json, isFirst));
    }
    const { "content-type": type = "" } = headers;
    this.#contentType ??= type;
    if (type !== "" && type !== this.#contentType) {
      throw new Error("the messages of a stream of google.api.HttpBody have different content types");
    }
    return typeof body === "string" ? Buffer.from(body) : body;
  }

  end(error: ConnectError | undefined): End | undefined {
    const format = this.#streamFormat;
    if (error === undefined) {
      return { body: format && Buffer.from(format.end(this.#isFirst)) };
    }
    return format && { body: Buffer.from(format.error(errorText(error))) };
  }

  override toClientError(error: ConnectError): ConnectError {
    return this.#bound?.rename(error) ?? error;
  }

  fail(error: ConnectError): OutgoingResponse {
    return toOutgoing(encodeError(error, this.#route.errorHeaders));
  }
}

/** The body of a request and the headers that describe it, which are read only if a method takes a body. */
class HeadContent implements RequestContent {
  readonly body: Uint8Array;
  readonly #head: CallHead;

  constructor(head: CallHead, body: Uint8Array) {
    this.#head = head;
    this.body = body;
  }

  get contentType(): string | undefined {
    return this.#head.header("content-type");
  }

  get contentEncoding(): string | undefined {
    return this.#head.header("content-encoding");
  }
}
