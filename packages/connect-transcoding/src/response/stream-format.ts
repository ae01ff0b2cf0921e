import type { MessageInit } from "../codec/message-field.js";
import type { HttpResponse, ResponseEncoder } from "./response-encoder.js";
import { weightsIn } from "./weights.js";

/** How a stream of messages becomes the body of a response. All texts of messages and errors are JSON without line breaks. */
export interface StreamFormat {
  readonly contentType: string;
  /** The part of the body for a message. */
  message(json: string, isFirst: boolean): string;
  /** The last part of the body of a stream that fails after its first message. */
  error(json: string): string;
  /** The last part of the body of a stream that succeeds. */
  end(isEmpty: boolean): string;
}

/** One JSON text per line. https://github.com/ndjson/ndjson-spec */
const NDJSON: StreamFormat = {
  contentType: "application/x-ndjson",
  message: (json) => `${json}\n`,
  error: (json) => `${json}\n`,
  end: () => "",
};

/** A JSON array, as clients of Google's APIs read it. https://cloud.google.com/apis/docs/http#streaming */
const JSON_ARRAY: StreamFormat = {
  contentType: "application/json",
  message: (json, isFirst) => `${isFirst ? "[" : ",\n"}${json}`,
  error: (json) => `,\n${json}]`,
  end: (isEmpty) => (isEmpty ? "[]" : "]"),
};

/**
 * Server-sent events. A browser connects again after the end of a stream unless the page closes it, so the end is an event.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
const EVENT_STREAM: StreamFormat = {
  contentType: "text/event-stream",
  message: (json) => `data: ${json}\n\n`,
  error: (json) => `event: error\ndata: ${json}\n\n`,
  end: () => "event: end\ndata: {}\n\n",
};

/** The formats of streams, the default first. */
const STREAM_FORMATS: readonly StreamFormat[] = [NDJSON, JSON_ARRAY, EVENT_STREAM];

/** The media types of streams of messages, the default first. */
export const STREAM_TYPES: readonly string[] = STREAM_FORMATS.map(({ contentType }) => contentType);

/**
 * Selects the format that an `Accept` header prefers. Returns the default if it accepts all alike or none of them, and without
 * the header.
 * https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function negotiateStreamFormat(accept: string | undefined): StreamFormat {
  let best = NDJSON;
  if (accept === undefined) {
    return best;
  }
  const weights = weightsIn(accept);
  let bestWeight = 0;
  for (const format of STREAM_FORMATS) {
    const [type] = format.contentType.split("/", 1);
    const weight = weights.get(format.contentType) ?? weights.get(`${type}/*`) ?? weights.get("*/*") ?? 0;
    if (weight > bestWeight) {
      best = format;
      bestWeight = weight;
    }
  }
  return best;
}

/** Encodes the messages of a stream; `invoke` is called when the first one is requested. */
export async function* encodeEach(
  invoke: () => AsyncIterable<MessageInit>,
  encode: ResponseEncoder,
): AsyncGenerator<HttpResponse, void> {
  for await (const message of invoke()) {
    yield encode(message);
  }
}

/**
 * The body of a stream of messages in a format, in parts. A stream that fails ends with the error, so the first message must be
 * known to exist by then: an error before it is an ordinary response.
 *
 * @param errorJson returns the JSON of an error; called once with what the stream throws
 */
export async function* streamParts(
  { message, error, end }: StreamFormat,
  responses: AsyncIterable<HttpResponse>,
  errorJson: (thrown: unknown) => string,
): AsyncIterable<string> {
  let isEmpty = true;
  try {
    for await (const { body } of responses) {
      yield message(typeof body === "string" ? body : Buffer.from(body).toString(), isEmpty);
      isEmpty = false;
    }
  } catch (thrown) {
    yield error(errorJson(thrown));
    return;
  }
  const last = end(isEmpty);
  if (last !== "") {
    yield last;
  }
}

/**
 * The data of a stream of `google.api.HttpBody`, which is one response: a message has the content type of the first one, or none.
 * A byte stream cannot contain an error, so a stream that fails throws the error that `toError` returns.
 */
export async function* dataParts(
  responses: AsyncIterable<HttpResponse>,
  toError: (thrown: unknown) => Error,
): AsyncIterable<string | Uint8Array> {
  let contentType: string | undefined;
  try {
    for await (const { headers, body } of responses) {
      const { "content-type": type = "" } = headers;
      contentType ??= type;
      if (type !== "" && type !== contentType) {
        throw new Error("the messages of a stream of google.api.HttpBody have different content types");
      }
      if (body.length > 0) {
        yield body;
      }
    }
  } catch (thrown) {
    throw toError(thrown);
  }
}
