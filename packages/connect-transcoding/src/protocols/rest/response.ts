import type { DescMethod, Message } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "@utility-tools/http-server";
import type { MessageInit } from "../../codec/message-field.js";
import { responseTooLarge } from "../../errors/errors.js";
import { bodyTooLarge, http2Required } from "../../errors/http-error.js";
import { withAdded } from "../../errors/metadata.js";
import type { MessageReader } from "../../routes/binding/message-stream.js";
import type { RequestContent } from "../../routes/binding/request-parameters.js";
import type { TransformJson } from "../../routes/binding/system-parameters.js";
import {
  headerList,
  type OutgoingResponse,
  type Representation,
  representationOf,
  representMessage,
  selectResponse,
  toOutgoing,
} from "../../routes/encoding/representation.js";
import {
  type HttpResponse,
  hasNoContent,
  isSuccessStatus,
  JSON_TYPE,
  SUCCESS_STATUSES,
  withStatus,
} from "../../routes/encoding/response-encoder.js";
import type { BoundCall } from "../../routes/method-group.js";
import type { Route } from "../../routes/route-table.js";
import type { ServedMethod } from "../../routes/served-methods.js";
import { type CallHead, checkedTimeout, type End, Format, type StreamFormat } from "../format.js";
import { parseGrpcTimeout } from "../grpc/format.js";
import { inflateBody, isGzip } from "./content-coding.js";
import { negotiateStreamFraming, type StreamFraming } from "./envelope.js";
import type { ErrorWriter } from "./error.js";

/** JSON over HTTP by the `google.api.http` rules, with errors as in AIP-193. */
export class RestFormat extends Format implements StreamFormat {
  readonly protocolName = "rest";
  readonly maxBodyBytes: number;
  override readonly timeoutMs: number | undefined;
  override readonly problem: ConnectError | undefined;
  readonly knownMethod: ServedMethod | undefined;
  readonly #head: CallHead;
  readonly #route: Route;
  readonly #servedOf: (method: DescMethod) => ServedMethod;
  readonly #errors: ErrorWriter;
  #bound: BoundCall | undefined;
  #served: ServedMethod | undefined;
  /** The form of a stream of messages; undefined for a stream of bytes. */
  #framing: StreamFraming | undefined;
  #isFirst = true;
  /** The content type of a stream of bytes, which its first message has. */
  #contentType: string | undefined;

  constructor(
    head: CallHead,
    route: Route,
    maxBodyBytes: number,
    servedOf: (method: DescMethod) => ServedMethod,
    errors: ErrorWriter,
  ) {
    super();
    this.#head = head;
    this.#route = route;
    this.maxBodyBytes = maxBodyBytes;
    this.#servedOf = servedOf;
    this.#errors = errors;
    const [first] = route.methods;
    // Of several methods, the message selects one.
    this.knownMethod = route.methods.length > 1 || first === undefined ? undefined : servedOf(first);
    this.#served = this.knownMethod;
    // As in grpc-gateway and Envoy.
    const timeout = parseGrpcTimeout(head.header("grpc-timeout"));
    this.timeoutMs = typeof timeout === "number" ? timeout : undefined;
    this.problem = timeout instanceof ConnectError ? timeout : undefined;
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

  get streams(): StreamFormat {
    return this;
  }

  get takesStream(): boolean {
    return this.#route.bindStream !== undefined;
  }

  tooLarge(): ConnectError {
    return bodyTooLarge(this.maxBodyBytes);
  }

  readOne(body: Uint8Array): Message | Promise<Message> {
    const content = new HeadContent(this.#head, body);
    if (!this.#route.takesBody || !isGzip(content.contentEncoding)) {
      return this.#read(content);
    }
    const read = (inflated: Uint8Array) => this.#read(new HeadContent(this.#head, inflated, "identity"));
    const inflated = inflateBody(body, this.maxBodyBytes);
    return inflated instanceof Promise ? inflated.then(read) : read(inflated);
  }

  #read(content: RequestContent): Message {
    const bound = this.#route.bind(content);
    this.#bind(bound);
    return bound.message;
  }

  openRequest(): MessageReader {
    const { bindStream } = this.#route;
    if (bindStream === undefined) {
      throw new TypeError("the route takes no stream of messages");
    }
    // HTTP/1.1 sends the response after the request (RFC 9112, section 9.3).
    const [method] = this.#route.methods;
    if (method?.methodKind === "bidi_streaming" && this.#head.httpVersion !== "2.0") {
      throw http2Required();
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
    const checked = checkedTimeout(this.timeoutMs, this.served);
    if (checked instanceof ConnectError) {
      throw checked;
    }
    if (this.served.givesStream && bound.responseKind !== "bytes") {
      this.#framing = negotiateStreamFraming(this.#head.header("accept"), {
        wantsEvents: bound.wantsEvents,
        isConversation: this.served.takesStream,
      });
    }
  }

  /** The response to a HEAD request for a stream: its content is not needed. */
  override get early(): OutgoingResponse | undefined {
    return this.#head.httpMethod === "HEAD" && this.served.givesStream
      ? { status: this.#call.status, headers: this.headers, body: "", length: 0 }
      : undefined;
  }

  respond(
    message: MessageInit,
    header: HeaderList,
    trailers: HeaderList,
    status: number,
  ): OutgoingResponse | Promise<OutgoingResponse> {
    const { encode, transform } = this.#call;
    const response =
      status === 0 && transform === undefined
        ? this.#usual(representMessage(message, encode), this.#givenTag(header))
        : this.#unusual(transformed(encode(message), transform), status);
    if (header.length === 0 && trailers.length === 0) {
      return response;
    }
    const add = (each: OutgoingResponse) => withMetadata(each, header, trailers);
    return response instanceof Promise ? response.then(add) : add(response);
  }

  #usual(
    representation: Representation,
    entityTag: string | undefined,
  ): OutgoingResponse | Promise<OutgoingResponse> {
    this.#checkLength(representation.identity.length);
    return selectResponse(
      entityTag === undefined ? representation : { ...representation, entityTag },
      this.#head,
    );
  }

  /** The entity tag that the handler has set for a response to GET or HEAD. */
  #givenTag(header: HeaderList): string | undefined {
    const index = header.lastIndexOf("etag");
    const isRead = this.#head.httpMethod === "GET" || this.#head.httpMethod === "HEAD";
    return index % 2 === 0 && isRead ? header[index + 1] : undefined;
  }

  /** Throws `RESOURCE_EXHAUSTED` for a message that is longer than the method allows, in bytes. */
  #checkLength(length: number): void {
    const { writeMaxBytes } = this.served.options;
    if (writeMaxBytes !== undefined && length > writeMaxBytes) {
      throw responseTooLarge(writeMaxBytes);
    }
  }

  #unusual(response: HttpResponse, status: number): OutgoingResponse | Promise<OutgoingResponse> {
    this.#checkLength(Buffer.byteLength(response.body));
    return status === 0
      ? selectResponse(representationOf(response), this.#head)
      : toOutgoing(withStatus(response, status));
  }

  streamStatus(given: number): number {
    const status = given === 0 ? this.#call.status : given;
    if (!isSuccessStatus(status) || hasNoContent(status)) {
      throw new TypeError(`the HTTP status ${status} is not that of a stream; allowed: ${SUCCESS_STATUSES}`);
    }
    return status;
  }

  get headers(): HeaderList {
    const { headers } = this.#route;
    if (this.#framing !== undefined) {
      const { contentType } = this.#framing;
      return headerList({ ...headers, "content-type": contentType, vary: "accept" });
    }
    return headerList(
      this.#contentType === undefined ? headers : { "content-type": this.#contentType, ...headers },
    );
  }

  writeMessage(message: MessageInit): Uint8Array {
    const { headers, body } = transformed(this.#call.encode(message), this.#call.transform);
    this.#checkLength(Buffer.byteLength(body));
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (this.#framing !== undefined) {
      const json = typeof body === "string" ? body : Buffer.from(body).toString();
      return Buffer.from(this.#framing.message(json, isFirst));
    }
    if (isFirst) {
      this.#contentType = headers["content-type"];
    }
    return typeof body === "string" ? Buffer.from(body) : body;
  }

  end(error: ConnectError | undefined, trailers: HeaderList): End | undefined {
    const framing = this.#framing;
    if (error === undefined) {
      return { body: framing && Buffer.from(framing.end(this.#isFirst)), trailers };
    }
    return framing && { body: Buffer.from(framing.error(this.#errors.text(error, this.#head))), trailers };
  }

  override toClientError(error: ConnectError): ConnectError {
    return this.#bound?.rename(error) ?? error;
  }

  fail(error: ConnectError, header: HeaderList, trailers: HeaderList): OutgoingResponse {
    const response = this.#errors.respond(error, this.#head, this.#route.errorHeaders);
    return withMetadata(response, header, trailers);
  }
}

/** A response with its JSON changed as the request asks for. */
function transformed(response: HttpResponse, transform: TransformJson | undefined): HttpResponse {
  if (transform === undefined || response.headers["content-type"] !== JSON_TYPE) {
    return response;
  }
  const { body } = response;
  return { ...response, body: transform(typeof body === "string" ? body : Buffer.from(body).toString()) };
}

/** A response with the headers and trailers that a handler has set. */
function withMetadata(
  response: OutgoingResponse,
  header: HeaderList,
  trailers: HeaderList,
): OutgoingResponse {
  const headers = withAdded(response.headers, header);
  return trailers.length === 0 ? { ...response, headers } : { ...response, headers, trailers };
}

/** The body of a request and the headers that a binding can need, which are read only if it does. */
class HeadContent implements RequestContent {
  readonly body: Uint8Array;
  readonly #head: CallHead;
  readonly #contentEncoding: string | undefined;

  /** @param contentEncoding that of `body`, if it is not that of the request */
  constructor(head: CallHead, body: Uint8Array, contentEncoding?: string) {
    this.#head = head;
    this.body = body;
    this.#contentEncoding = contentEncoding;
  }

  get contentType(): string | undefined {
    return this.#head.header("content-type");
  }

  get contentEncoding(): string | undefined {
    return this.#contentEncoding ?? this.#head.header("content-encoding");
  }

  get ifMatch(): string | undefined {
    return this.#head.header("if-match");
  }

  get accept(): string | undefined {
    return this.#head.header("accept");
  }
}
