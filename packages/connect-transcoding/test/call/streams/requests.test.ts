import { create, type Message } from "@bufbuild/protobuf";
import type { BodyReader } from "@utility-tools/http-server";
import { type Book, BookSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../../../src/call/http/exchange.js";
import type { Pace } from "../../../src/call/streams/pace.js";
import { RequestMessages } from "../../../src/call/streams/requests.js";

/**
 * The messages of a body whose bytes are the pages of books, and a function that adds some or ends it.
 *
 * @param inflate reads a message, as a decompression does that takes a while
 */
function createMessages(
  pause: () => Promise<void> | undefined = () => undefined,
  inflate: (message: Message) => Message | Promise<Message> = (message) => message,
) {
  let arrived: Uint8Array | undefined;
  let isEnded = false;
  let onChange = (): void => {};
  const read: number[] = [];
  const body: BodyReader = {
    take: () => {
      const part = arrived;
      arrived = undefined;
      return part;
    },
    retain: () => {},
    get isTaken() {
      return isEnded && arrived === undefined;
    },
  };
  const exchange = {
    openBody: (listener: () => void) => {
      onChange = listener;
      return body;
    },
  } as unknown as Exchange;
  const reader = {
    length: 0,
    push: (part: Uint8Array) => void read.push(...part),
    end: () => {},
    next: (): Message | Promise<Message> | undefined => {
      const pages = read.shift();
      return pages === undefined ? undefined : inflate(create(BookSchema, { pages }));
    },
  };
  const messages = new RequestMessages(exchange, reader, { wait: pause } as Pace);
  const add = (...pages: number[]): void => {
    arrived = Uint8Array.from(pages);
    onChange();
  };
  const end = (): void => {
    isEnded = true;
    onChange();
  };
  return { messages, add, end };
}

const pagesOf = (result: IteratorResult<Message>) => (result.done ? undefined : (result.value as Book).pages);

describe("several results that are requested at once arrive in order", () => {
  test.each<[string, () => Promise<void> | undefined]>([
    ["without pauses", () => undefined],
    ["with pauses", () => new Promise((resolve) => setImmediate(resolve))],
  ])("%s", async (_name, pause) => {
    const { messages, add, end } = createMessages(pause);
    const results = [messages.next(), messages.next(), messages.next(), messages.next()];
    await new Promise((resolve) => setTimeout(resolve, 5));
    add(1, 2);
    results.push(messages.next());
    await new Promise((resolve) => setTimeout(resolve, 5));
    add(3);
    end();
    expect((await Promise.all(results)).map(pagesOf)).toEqual([1, 2, 3, undefined, undefined]);
  });
});

test("a handler that reads on after the end of the call gets an error", async () => {
  const { messages, add } = createMessages();
  add(1);
  expect(pagesOf(await messages.next())).toBe(1);
  const next = messages.next();
  messages.close();
  await expect(next).rejects.toThrow("the call was cancelled");
});

test("messages that are decompressed asynchronously arrive in order, and then the end", async () => {
  const delays = [5, 0];
  const { messages, add, end } = createMessages(undefined, async (message) => {
    await new Promise((resolve) => setTimeout(resolve, delays.shift()));
    return message;
  });
  const results = [messages.next(), messages.next(), messages.next()];
  add(1, 2);
  end();
  expect((await Promise.all(results)).map(pagesOf)).toEqual([1, 2, undefined]);
});
