import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import { isJsonObject, type JsonData } from "../codec/json-data.js";
import { parseJson } from "../codec/json-parser.js";
import { cancelled, invalidArgument } from "../errors/errors.js";
import { bodyMessageTooLarge, unsupportedMediaType } from "../errors/http-error.js";
import type { BodyRule } from "../rules/http-rule.js";
import { createArraySplitter, createNdjsonSplitter } from "./json-splitter.js";
import type { BoundMessage } from "./message-binder.js";
import {
  type ContentHeaders,
  mediaTypeOf,
  memberParameters,
  type Parameter,
  rejectContentEncoding,
  setRawBody,
  wholeMessage,
} from "./request-parameters.js";

/** A body that is read while it arrives. */
interface ArrivingBody {
  /** Whether the client has disconnected. */
  readonly isClosed: boolean;
  bodyStream(): AsyncIterable<Uint8Array>;
  /** Counts bytes of memory that the request holds until it ends. */
  holdMemory(bytes: number): void;
}

/** A request with a stream of messages. */
export interface ArrivingRequest extends ContentHeaders {
  readonly body: ArrivingBody;
  /** The maximum length of a message in bytes. */
  readonly limit: number;
}

/** How the messages of a stream are bound. */
export interface StreamBinding {
  readonly input: DescMessage;
  readonly body: BodyRule;
  /** Binds the parameters in the body of one message, together with those of path and query. */
  bind(inBody: readonly Parameter[]): BoundMessage;
}

/** The media types of request streams. */
export const REQUEST_STREAM_TYPES: readonly string[] = [
  "application/x-ndjson",
  "application/jsonl",
  "application/json",
];

/**
 * Returns the messages in the body of a request, read as they arrive. The iteration throws a ConnectError for a message that is
 * invalid or too long, and if the client disconnects before the end.
 *
 * Throws a ConnectError (415) for another media type or a compressed body.
 */
export function messagesOf(request: ArrivingRequest, binding: StreamBinding): AsyncIterable<Message> {
  const { contentType, contentEncoding } = request;
  rejectContentEncoding(contentEncoding);
  if (binding.body.kind === "none" || binding.body.raw) {
    return rawMessages(request, binding);
  }
  if (contentType === undefined) {
    throw unsupportedMediaType(REQUEST_STREAM_TYPES);
  }
  return jsonMessages(request, binding, mediaTypeOf(contentType, REQUEST_STREAM_TYPES));
}

/** The chunks of a body as `google.api.HttpBody`; the first message has the content type and the other parameters. */
async function* rawMessages(
  request: ArrivingRequest,
  { input, body, bind }: StreamBinding,
): AsyncIterable<Message> {
  const { contentType, limit } = request;
  const toMessage = (message: Message, type: string | undefined, data: Uint8Array): Message => {
    setRawBody(message, body, { contentType: type, contentEncoding: undefined, body: data });
    return message;
  };
  let isFirst = true;
  for await (const chunk of chunksOf(request.body)) {
    for (let start = 0; start < chunk.length; start += Math.max(limit, 1)) {
      const data = chunk.subarray(start, start + Math.max(limit, 1));
      yield isFirst
        ? toMessage(bind([]).message, contentType, data)
        : toMessage(create(input), undefined, data);
      isFirst = false;
    }
  }
  if (isFirst) {
    yield toMessage(bind([]).message, contentType, new Uint8Array());
  }
}

/** The JSON texts in a body as messages. */
async function* jsonMessages(
  request: ArrivingRequest,
  binding: StreamBinding,
  type: string,
): AsyncIterable<Message> {
  let index = 0;
  const createSplitter = type === "application/json" ? createArraySplitter : createNdjsonSplitter;
  const splitter = createSplitter({
    limit: request.limit,
    tooLong: () => bodyMessageTooLarge(nameOf(index), request.limit),
    onAllocate: (bytes) => request.body.holdMemory(bytes),
  });
  for await (const chunk of chunksOf(request.body)) {
    for (const text of splitter.split(chunk)) {
      yield bindMessage(parseJson(text, nameOf(index)), index, binding);
      index += 1;
    }
  }
  for (const text of splitter.finish()) {
    yield bindMessage(parseJson(text, nameOf(index)), index, binding);
  }
}

/** The name of a message in errors. */
function nameOf(index: number): string {
  return `messages[${index}]`;
}

function bindMessage(value: JsonData, index: number, { body, bind }: StreamBinding): Message {
  if (body.kind === "message" && !isJsonObject(value)) {
    const description = "must be an object";
    throw invalidArgument([{ field: nameOf(index), reason: "INVALID_TYPE", description }]);
  }
  const { message, violations } = bind(parametersIn(value, body));
  if (violations.length > 0) {
    throw invalidArgument(violations.map((each) => ({ ...each, field: fieldIn(nameOf(index), each.field) })));
  }
  return message;
}

function parametersIn(value: JsonData, body: BodyRule): readonly Parameter[] {
  switch (body.kind) {
    case "field":
      return [{ name: body.field.jsonName, value, source: "json" }];
    case "value":
      return wholeMessage(value);
    default:
      return memberParameters(isJsonObject(value) ? value : {});
  }
}

/** The name of a field or element of a message; empty for the message itself. */
function fieldIn(message: string, field: string): string {
  return field === "" || field.startsWith("[") ? message + field : `${message}.${field}`;
}

/** The chunks of a body. Throws `CANCELLED` if the client disconnects before its end. */
async function* chunksOf(body: ArrivingBody): AsyncIterable<Uint8Array> {
  try {
    yield* body.bodyStream();
  } catch {
    throw cancelled();
  }
  // A stream of node:http2 that is reset ends without an error.
  if (body.isClosed) {
    throw cancelled();
  }
}
