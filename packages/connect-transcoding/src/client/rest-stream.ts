import type { JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  createArraySplitter,
  createNdjsonSplitter,
  type JsonSplitter,
} from "../routes/binding/json-splitter.js";

/**
 * Reads a stream in any of its formats: a JSON array, NDJSON, or server-sent events with one line of data each. Yields messages, and
 * errors that an event marks. Throws a ConnectError for another format.
 */
export async function* readStream(
  parts: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncIterable<{ readonly json: JsonValue; readonly isError: boolean }> {
  const isEvents = contentType.startsWith("text/event-stream");
  let event = "";
  for await (const text of splitJson(parts, contentType)) {
    const [, name, value = ""] = isEvents ? (/^(event|data):(.*)/s.exec(text) ?? []) : ["", "data", text];
    if (name === "event") {
      event = value.trim();
    } else if (name === "data" && event !== "end" && value.trim() !== "") {
      yield { json: parsedJson(value), isError: event === "error" };
      event = "";
    }
  }
}

/** The elements of an array, or lines. grpc-gateway has lines with the content type `application/json` as well. */
async function* splitJson(parts: AsyncIterable<Uint8Array>, contentType: string): AsyncIterable<string> {
  let splitter: JsonSplitter | undefined;
  for await (const part of parts) {
    const first = part.find((byte) => byte > SPACE);
    if (first !== undefined) {
      const isArray = first === OPENING_BRACKET && !/ndjson|jsonl/.test(contentType);
      splitter ??= (isArray ? createArraySplitter : createNdjsonSplitter)(UNLIMITED);
    }
    yield* textsIn(splitter, part);
  }
  yield* textsIn(splitter);
}

const [SPACE, OPENING_BRACKET] = [0x20, 0x5b] as const;

/** A server decides how long its messages are. */
const UNLIMITED = { limit: Number.POSITIVE_INFINITY, tooLong: () => notJson() };

/** The texts that a part completes, or the end. */
function* textsIn(splitter: JsonSplitter | undefined, part?: Uint8Array): Iterable<string> {
  try {
    part === undefined ? splitter?.end() : splitter?.push(part);
    for (let text = splitter?.next(); text !== undefined; text = splitter?.next()) {
      yield new TextDecoder().decode(text);
    }
  } catch (cause) {
    throw notJson(cause);
  }
}

/** Parses the JSON of a message. Throws a ConnectError for another text. */
export function parsedJson(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notJson(cause);
  }
}

function notJson(cause?: unknown): ConnectError {
  return new ConnectError("the response is not JSON", Code.Internal, undefined, undefined, cause);
}
