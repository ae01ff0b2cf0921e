import type { JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { parseExactIntegers } from "../codec/exact-integers.js";
import { isJsonObject, type JsonData } from "../codec/json/data.js";
import { countMembers } from "../codec/json/parser.js";
import {
  createArraySplitter,
  createNdjsonSplitter,
  type JsonSplitter,
} from "../routes/binding/json-splitter.js";

/**
 * Reads a stream in any of its formats: a JSON array, NDJSON or server-sent events. Yields messages, and errors that an event marks. Throws
 * a ConnectError for another format, and for one that is cut off. An EventSource would drop the rest of it and ask for it again.
 */
export async function* readStream(
  parts: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncIterable<{ readonly json: JsonData; readonly isError: boolean }> {
  if (!/^text\/event-stream/i.test(contentType)) {
    for await (const text of splitJson(parts, contentType)) {
      yield { json: parsedJson(text), isError: false };
    }
    return;
  }
  let event = "";
  let data: string[] = [];
  let isWithin = false;
  for await (const line of linesOf(parts)) {
    isWithin = line !== "" && (isWithin || !line.startsWith(":"));
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "event") {
      event = value;
    } else if (name === "data") {
      data.push(value);
    } else if (line === "") {
      const text = data.join("\n");
      if (text.trim() !== "" && event !== "end") {
        yield { json: parsedJson(text), isError: event === "error" };
      }
      event = "";
      data = [];
    }
  }
  if (isWithin && event !== "end") {
    throw new ConnectError("the response ends within an event", Code.Internal);
  }
}

/**
 * The lines of an event stream, without a byte order mark. They end with CR, LF or CRLF; the last one can have no end.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let endsWithCr = false;
  for await (const part of parts) {
    const text = decoder.decode(part, { stream: true });
    const lines = (endsWithCr && text.startsWith("\n") ? text.slice(1) : text).split(/\r\n|\r|\n/);
    endsWithCr = text === "" ? endsWithCr : text.endsWith("\r");
    const last = lines.pop() ?? "";
    for (const line of lines) {
      yield [...rest, line].join("");
      rest = [];
    }
    rest.push(last);
  }
  const last = rest.join("");
  if (last !== "") {
    yield last;
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

/** Parses the JSON of a message, with all digits of its integers. Throws a ConnectError for another text. */
export function parsedJson(text: string): JsonData {
  try {
    const value: JsonData = JSON.parse(text);
    return Number.isNaN(countMembers(value)) ? parseExactIntegers(text) : value;
  } catch (cause) {
    throw notJson(cause);
  }
}

/** JSON without bigints, for `fromJson` of protobuf-es: ProtoJSON has 64-bit integers as strings. */
export function plainJson(data: JsonData): JsonValue {
  if (typeof data === "bigint") {
    return String(data);
  }
  if (Array.isArray(data)) {
    return data.map(plainJson);
  }
  return isJsonObject(data)
    ? Object.fromEntries(Object.entries(data).map(([name, value]) => [name, plainJson(value)]))
    : data;
}

function notJson(cause?: unknown): ConnectError {
  return new ConnectError("the response is not JSON", Code.Internal, undefined, undefined, cause);
}
