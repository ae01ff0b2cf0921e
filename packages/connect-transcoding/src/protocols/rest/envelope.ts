import { mediaTypeWeight, weightsIn } from "../../routes/encoding/weights.js";

/** How a stream of messages becomes the body of a response. All texts of messages and errors are JSON without line breaks. */
export interface StreamFraming {
  readonly contentType: string;
  /** The part of the body for a message. */
  message(json: string, isFirst: boolean): string;
  /** The last part of the body of a stream that fails after its first message. */
  error(json: string): string;
  /** The last part of the body of a stream that succeeds. */
  end(isEmpty: boolean): string;
}

/** One JSON text per line. https://github.com/ndjson/ndjson-spec */
const NDJSON: StreamFraming = {
  contentType: "application/x-ndjson",
  message: (json) => `${json}\n`,
  error: (json) => `${json}\n`,
  end: () => "",
};

/** A JSON array, as clients of Google's APIs read it. https://cloud.google.com/apis/docs/http#streaming */
const JSON_ARRAY: StreamFraming = {
  contentType: "application/json",
  message: (json, isFirst) => `${isFirst ? "[" : ",\n"}${json}`,
  error: (json) => `,\n${json}]`,
  end: (isEmpty) => (isEmpty ? "[]" : "]"),
};

/**
 * Server-sent events. A browser connects again after the end of a stream unless the page closes it, so the end is an event.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
const EVENT_STREAM: StreamFraming = {
  contentType: "text/event-stream",
  message: (json) => `data: ${json}\n\n`,
  error: (json) => `event: error\ndata: ${json}\n\n`,
  end: () => "event: end\ndata: {}\n\n",
};

/** The formats of streams, the default first: it is that of Google's servers. */
const STREAM_FRAMINGS: readonly StreamFraming[] = [JSON_ARRAY, NDJSON, EVENT_STREAM];

/** The media types of streams of messages, the default first. */
export const STREAM_TYPES: readonly string[] = STREAM_FRAMINGS.map(({ contentType }) => contentType);

/** What selects the format of a stream besides the `Accept` header. */
export interface StreamChoice {
  /** Whether the request asks for server-sent events in another way. */
  readonly wantsEvents?: boolean;
  /** Whether the client sends messages while it reads, so that each needs a line: the default is NDJSON then. */
  readonly isConversation?: boolean;
}

/**
 * Selects the format that an `Accept` header prefers. Returns the default if it accepts all alike or none of them, and without
 * the header.
 * https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function negotiateStreamFraming(
  accept: string | undefined,
  { wantsEvents = false, isConversation = false }: StreamChoice = {},
): StreamFraming {
  if (wantsEvents) {
    return EVENT_STREAM;
  }
  const fallback = isConversation ? NDJSON : JSON_ARRAY;
  let best = fallback;
  if (accept === undefined) {
    return best;
  }
  const weights = weightsIn(accept);
  let bestWeight = 0;
  for (const framing of STREAM_FRAMINGS) {
    const weight = mediaTypeWeight(weights, framing.contentType);
    if (weight > bestWeight || (weight === bestWeight && weight > 0 && framing === fallback)) {
      best = framing;
      bestWeight = weight;
    }
  }
  return best;
}
