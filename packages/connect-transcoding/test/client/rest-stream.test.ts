import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { readStream } from "../../src/client/rest-stream.js";

async function read(parts: readonly Uint8Array[], contentType: string): Promise<unknown[]> {
  const all: unknown[] = [];
  const stream = (async function* () {
    yield* parts;
  })();
  for await (const { json, isError } of readStream(stream, contentType)) {
    all.push(isError ? { error: json } : json);
  }
  return all;
}

const LARGE = 9007199254740993n;

// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
test.each<[what: string, text: string, expected: unknown[]]>([
  ["one line", 'data: {"a":1}\n\n', [{ a: 1 }]],
  ["several lines of data", 'data: {\ndata: "a":\ndata:1}\n\n', [{ a: 1 }]],
  ["a line break within a literal", "data: 1\ndata:  \n\n", [1]],
  ["CR", "data: 1\r\rdata: 2\r\r", [1, 2]],
  ["CRLF", "data: 1\r\n\r\ndata: 2\r\n\r\n", [1, 2]],
  ["mixed line ends", "data: 1\r\n\ndata: 2\n\rdata: 3\r\r\n", [1, 2, 3]],
  ["a byte order mark", "\ufeffdata: 1\n\n", [1]],
  ["a second byte order mark", "\ufeff\ufeffdata: 1\n\ndata: 2\n\n", [2]],
  ["comments", ": ping\n\ndata: 1\n:\n\n: data: 2\n\n", [1]],
  ["IDs and times", "id: 5\nretry: 10\ndata: 1\nid\n\n", [1]],
  ["unknown fields, and names with spaces", "x: 1\n data: 2\ndata : 3\nDATA: 4\ndata: 5\n\n", [5]],
  ["no space", "data:1\n\n", [1]],
  ["a field without a colon", "data\n\nevent\ndata: 1\n\n", [1]],
  ["a value with colons", 'data: {"a":"b: c"}\n\n', [{ a: "b: c" }]],
  ["no data", "event: error\n\ndata: 1\n\n", [1]],
  ["an error", "event: error\ndata: 1\n\ndata: 2\n\n", [{ error: 1 }, 2]],
  ["the last of two types", "event: error\nevent: message\ndata: 1\n\n", [1]],
  ["the type after the data", "data: 1\nevent: error\n\n", [{ error: 1 }]],
  ["the end of our server", "data: 1\n\nevent: end\ndata: {}\n\n", [1]],
  ["a comment at the end", "data: 1\n\n: ping\n: bye", [1]],
  ["an end that is incomplete", "data: 1\n\nevent: end\ndata", [1]],
  ["characters of several bytes", 'data: "ä€😀"\n\n', ["ä€😀"]],
  ["large integers", "data: 9007199254740993\n\n", [LARGE]],
])("server-sent events with %s, whole and byte by byte", async (_what, text, expected) => {
  const bytes = Buffer.from(text);
  expect(await read([bytes], "Text/Event-Stream; charset=utf-8")).toEqual(expected);
  expect(
    await read(
      [...bytes].map((byte) => Uint8Array.of(byte)),
      "text/event-stream",
    ),
  ).toEqual(expected);
});

test.each([
  ["application/json", '[{"a":9007199254740993}, 1e3]', [{ a: LARGE }, 1000]],
  ["application/x-ndjson", '{"a":9007199254740993}\r\n\n[-9007199254740993.0]', [{ a: LARGE }, [-LARGE]]],
])("%s with all digits of integers", async (contentType, text, expected) => {
  expect(await read([Buffer.from(text)], contentType)).toEqual(expected);
});

// grpc-gateway-client #15, connect-rust #140: a stream that is cut off looked like a complete one.
test.each([
  "data: 1\n\ndata: 2\n",
  "data: 1\n\ndata: 2",
  "data: 1\n\ndat",
  "event: error\n",
  "data: 1\n\nid: 5\n: ping\n",
])("server-sent events that end within an event: %j", async (text) => {
  await expect(read([Buffer.from(text)], "text/event-stream")).rejects.toMatchObject({
    code: Code.Internal,
    rawMessage: "the response ends within an event",
  });
});
