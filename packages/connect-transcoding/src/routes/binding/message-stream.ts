import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import { isJsonObject, type JsonData } from "../../codec/json/data.js";
import { parseJson } from "../../codec/json/parser.js";
import { invalidArgument } from "../../errors/errors.js";
import { bodyMessageTooLarge, unsupportedMediaType } from "../../errors/http-error.js";
import type { BodyRule } from "../rules/body-rule.js";
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

/** Splits a request body that arrives in parts into messages. */
export interface MessageReader {
  /** The bytes of memory of what has not been returned as messages. */
  readonly length: number;
  /** Adds a part, once `next` has returned undefined. Throws a ConnectError. */
  push(part: Uint8Array): void;
  /** Called at the end of the body. `next` can return a last message. Throws a ConnectError if a message is incomplete. */
  end(): void;
  /** Removes and returns the next message; undefined if it has not arrived. Throws a ConnectError, or rejects with it. */
  next(): Message | Promise<Message> | undefined;
}

/** A request with a stream of messages. */
export interface ArrivingRequest extends ContentHeaders {
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
 * Creates the reader of the messages in the body of a request. It throws a ConnectError for a message that is invalid or too long.
 *
 * Throws a ConnectError (415) for another media type or a compressed body.
 */
export function createMessageReader(request: ArrivingRequest, binding: StreamBinding): MessageReader {
  const { contentType, contentEncoding } = request;
  rejectContentEncoding(contentEncoding, "identity");
  if (binding.body.kind === "none" || binding.body.raw) {
    return createRawReader(request, binding);
  }
  if (contentType === undefined) {
    throw unsupportedMediaType(REQUEST_STREAM_TYPES);
  }
  return createJsonReader(request, binding, mediaTypeOf(contentType, REQUEST_STREAM_TYPES));
}

const NOTHING: Uint8Array = new Uint8Array();

/** The parts of a body as `google.api.HttpBody`; the first message has the content type and the other parameters. */
function createRawReader(request: ArrivingRequest, { input, body, bind }: StreamBinding): MessageReader {
  const limit = Math.max(request.limit, 1);
  let rest = NOTHING;
  let isFirst = true;
  let isEnded = false;
  return {
    get length() {
      return rest.length;
    },
    push: (part) => {
      rest = part;
    },
    end: () => {
      isEnded = true;
    },
    next: () => {
      if (rest.length === 0 && !(isEnded && isFirst)) {
        return undefined;
      }
      const message = isFirst ? bind([]).message : create(input);
      const contentType = isFirst ? request.contentType : undefined;
      setRawBody(message, body, { contentType, contentEncoding: undefined, body: rest.subarray(0, limit) });
      rest = rest.subarray(limit);
      isFirst = false;
      return message;
    },
  };
}

/** The JSON texts in a body as messages. */
function createJsonReader({ limit }: ArrivingRequest, binding: StreamBinding, type: string): MessageReader {
  let index = 0;
  const createSplitter = type === "application/json" ? createArraySplitter : createNdjsonSplitter;
  const splitter = createSplitter({ limit, tooLong: () => bodyMessageTooLarge(nameOf(index), limit) });
  return {
    get length() {
      return splitter.length;
    },
    push: (part) => splitter.push(part),
    end: () => splitter.end(),
    next: () => {
      const text = splitter.next();
      if (text === undefined) {
        return undefined;
      }
      const message = bindMessage(parseJson(text, nameOf(index)), index, binding);
      index += 1;
      return message;
    },
  };
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
