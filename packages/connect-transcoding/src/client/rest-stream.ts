import type { JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { isJsonObject } from "../codec/json-data.js";
import {
  createArraySplitter,
  createNdjsonSplitter,
  type JsonSplitter,
} from "../routes/binding/json-splitter.js";

/** A message of a stream, or its error. */
export interface StreamItem {
  readonly json: JsonValue;
  readonly isError: boolean;
}

/**
 * Reads a stream in any of its formats: a JSON array, NDJSON, or server-sent events. `fields` are the names of the fields of messages, so that
 * a message is not taken for a wrapper. Throws a ConnectError for another one.
 */
export async function* readStream(
  parts: AsyncIterable<Uint8Array>,
  contentType: string,
  fields: ReadonlySet<string>,
): AsyncIterable<StreamItem> {
  try {
    const isEvents = contentType.startsWith("text/event-stream");
    const isLines = /ndjson|jsonl/.test(contentType);
    for await (const { text, isError } of isEvents ? splitEvents(parts) : splitJson(parts, isLines)) {
      const item = readItem(text, fields);
      yield isError ? { ...item, isError } : item;
    }
  } catch (cause) {
    const isOwn = cause instanceof SyntaxError || cause instanceof ConnectError;
    throw isOwn
      ? new ConnectError("the stream is not JSON", Code.Internal, undefined, undefined, cause)
      : cause;
  }
}

/** The text of an item, and whether the format says that it is an error. */
interface ItemText {
  readonly text: string;
  readonly isError: boolean;
}

/** A server decides how long its messages are. */
const UNLIMITED = { limit: Number.POSITIVE_INFINITY, tooLong: () => new ConnectError("", Code.Internal) };

/** The elements of an array, or lines. grpc-gateway has lines with the content type `application/json` as well. */
async function* splitJson(parts: AsyncIterable<Uint8Array>, isLines: boolean): AsyncIterable<ItemText> {
  let splitter = isLines ? createNdjsonSplitter(UNLIMITED) : undefined;
  for await (const part of parts) {
    const first = part.find((byte) => byte > SPACE);
    if (first !== undefined) {
      splitter ??= (first === OPENING_BRACKET ? createArraySplitter : createNdjsonSplitter)(UNLIMITED);
    }
    splitter?.push(part);
    yield* textsIn(splitter);
  }
  splitter?.end();
  yield* textsIn(splitter);
}

const [SPACE, OPENING_BRACKET] = [0x20, 0x5b] as const;

function* textsIn(splitter: JsonSplitter | undefined): Iterable<ItemText> {
  for (let text = splitter?.next(); text !== undefined; text = splitter?.next()) {
    yield { text: new TextDecoder().decode(text), isError: false };
  }
}

/** The data of server-sent events. https://html.spec.whatwg.org/multipage/server-sent-events.html */
async function* splitEvents(parts: AsyncIterable<Uint8Array>): AsyncIterable<ItemText> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of parts) {
    const events = (rest + decoder.decode(part, { stream: true })).split(/\r?\n\r?\n/);
    rest = events.pop() ?? "";
    for (const lines of events.map((event) => event.split(/\r?\n/))) {
      const valuesOf = (name: string) =>
        lines.flatMap((line) =>
          line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, "")] : [],
        );
      const [type] = valuesOf("event");
      const text = valuesOf("data").join("\n");
      if (type !== "end" && text !== "") {
        yield { text, isError: type === "error" };
      }
    }
  }
}

/** Messages of grpc-gateway are in `result`, errors of all servers in `error`. */
function readItem(text: string, fields: ReadonlySet<string>): StreamItem {
  const json: JsonValue = JSON.parse(text);
  const [[name = "", value = null] = [], ...others] = isJsonObject(json) ? Object.entries(json) : [];
  const isWrapper = others.length === 0 && !fields.has(name);
  return isWrapper && name === "result"
    ? { json: value, isError: false }
    : { json, isError: isWrapper && name === "error" };
}
