import type { JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";

/** A message of a stream, or its error. */
export interface StreamItem {
  readonly json: JsonValue;
  readonly isError: boolean;
}

/** Reads the JSON of one item. */
type ReadItem = (text: string) => StreamItem;

/**
 * Reads a stream in any of its formats: a JSON array, NDJSON, or server-sent events. `fields` are the names of the fields of messages, so that
 * a message is not taken for a wrapper.
 */
export async function* readStream(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  fields: ReadonlySet<string>,
): AsyncIterable<StreamItem> {
  const isEvents = contentType.startsWith("text/event-stream");
  // grpc-gateway has one JSON text per line with the content type `application/json`, or no separator at all.
  const isLines = /ndjson|jsonl/.test(contentType);
  const read = itemReader(fields);
  const split = isEvents ? splitEvents(read) : splitJson(read, isLines);
  const decoder = new TextDecoder();
  for await (const part of body) {
    yield* split.push(decoder.decode(part, { stream: true }));
  }
  yield* split.push(`${decoder.decode()}\n`);
  if (!split.isComplete()) {
    throw new ConnectError("the stream has ended within a message", Code.Internal);
  }
}

/** Splits a text that arrives in parts. */
interface Split {
  /** Adds a part, and returns the items that are complete. */
  push(text: string): StreamItem[];
  /** Whether the text can end here. */
  isComplete(): boolean;
}

/**
 * Splits JSON texts: lines, or the elements of an array. Without an array, texts follow one another with line breaks between them, as
 * grpc-gateway sends them with the content type `application/json`.
 */
function splitJson(read: ReadItem, isLines: boolean): Split {
  let rest = "";
  let position = 0;
  let depth = 0;
  let inString = false;
  // The depth of items, which the first character decides.
  let base = isLines ? 0 : -1;
  const push = (text: string): StreamItem[] => {
    rest += text;
    const items: StreamItem[] = [];
    let start = 0;
    const take = (end: number): void => {
      const json = rest.slice(start, end).trim();
      start = end + 1;
      if (json !== "") {
        items.push(read(json));
      }
    };
    for (; position < rest.length; position++) {
      const character = rest[position] ?? "";
      if (base === -1 && character.trim() !== "") {
        base = character === "[" ? 1 : 0;
      }
      if (inString) {
        if (character === "\\") {
          position++;
        } else if (character === '"') {
          inString = false;
        }
      } else if (character === '"') {
        inString = true;
      } else if (character === "{" || character === "[") {
        depth++;
        start = base === 1 && depth === 1 ? position + 1 : start;
      } else if (character === "}" || character === "]") {
        depth--;
        if (base === 1 && depth === 0) {
          take(position);
        }
      } else if (depth === base && character === (base === 1 ? "," : "\n")) {
        take(position);
      }
    }
    rest = rest.slice(start);
    position -= start;
    return items;
  };
  return { push, isComplete: () => depth === 0 };
}

/** Splits server-sent events. https://html.spec.whatwg.org/multipage/server-sent-events.html */
function splitEvents(read: ReadItem): Split {
  let rest = "";
  const push = (text: string): StreamItem[] => {
    rest += text;
    const events = rest.split(/\r?\n\r?\n/);
    rest = events.pop() ?? "";
    return events.flatMap((event) => {
      const lines = event.split(/\r?\n/);
      const valuesOf = (name: string) =>
        lines
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).replace(/^ /, ""));
      const [type = "message"] = valuesOf("event");
      const data = valuesOf("data").join("\n");
      return type === "end" || data === ""
        ? []
        : [{ ...read(data), ...(type === "error" && { isError: true }) }];
    });
  };
  return { push, isComplete: () => true };
}

/** Messages of grpc-gateway are in `result`, errors of all servers in `error`. */
function itemReader(fields: ReadonlySet<string>): ReadItem {
  return (text) => {
    let json: JsonValue;
    try {
      json = JSON.parse(text);
    } catch (cause) {
      throw new ConnectError(
        "the stream has a part that is not JSON",
        Code.Internal,
        undefined,
        undefined,
        cause,
      );
    }
    if (typeof json !== "object" || json === null || Array.isArray(json)) {
      return { json, isError: false };
    }
    const [name = "", ...others] = Object.keys(json);
    const isWrapper = others.length === 0 && !fields.has(name);
    return isWrapper && name === "result"
      ? { json: json[name] ?? null, isError: false }
      : { json, isError: isWrapper && name === "error" };
  };
}
