import type { Caller } from "../call/caller.js";
import { SERVER_ERROR } from "../protocols/mcp/error.js";
import { createDispatch } from "./dispatch.js";
import type { LoadedOptions } from "./options.js";
import { idOf, MAX_MESSAGE_BYTES, type ReadMessage, readMessage } from "./read-message.js";

/** Where messages in lines come from and go to, such as standard input and output. */
export interface LineStreams {
  readonly input: AsyncIterable<Uint8Array>;
  /** Resolves when there is room for more. */
  readonly write: (text: string) => Promise<void>;
}

/** How many requests can be in progress. Further ones are not read until one of them has its response. */
const MAX_RUNNING = 256;

/** Serves the messages of one client. Resolves when the input has ended and its requests have responses; rejects as the streams do. */
export async function serveLines(
  caller: Caller,
  options: LoadedOptions,
  { input, write }: LineStreams,
): Promise<void> {
  const dispatch = await createDispatch(caller, options);
  const running = new Set<Promise<void>>();
  const cancels = new Set<() => void>();

  async function serve(line: Uint8Array | undefined): Promise<void> {
    let cancel = (): void => {};
    const onClose = (listener: () => void): void => {
      cancel = listener;
      cancels.add(listener);
    };
    const { body } = await dispatch(readLine(line), { caller, session: "", onClose });
    cancels.delete(cancel);
    if (body !== undefined) {
      await write(`${JSON.stringify(body)}\n`);
    }
  }

  await new Promise<void>((resolve, reject) => {
    const readAll = async (): Promise<void> => {
      for await (const line of linesOf(input)) {
        const served: Promise<void> = serve(line)
          .catch(reject)
          .finally(() => running.delete(served));
        running.add(served);
        if (running.size >= MAX_RUNNING) {
          await Promise.race(running);
        }
      }
      await Promise.all(running);
    };
    readAll().then(resolve, reject);
  }).finally(() => {
    for (const cancel of cancels) {
      cancel();
    }
  });
}

const LINE_FEED = 0x0a;

/** The lines of an input that are not blank, each valid until the next one; undefined for one that is too long. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined> {
  const line = new Uint8Array(MAX_MESSAGE_BYTES);
  let length = 0;
  const add = (part: Uint8Array): void => {
    if (length + part.length <= line.length) {
      line.set(part, length);
    }
    length += part.length;
  };
  function* take(): Generator<Uint8Array | undefined> {
    const taken = length > line.length ? undefined : line.subarray(0, length);
    length = 0;
    if (taken?.some((byte) => byte > 0x20) !== false) {
      yield taken;
    }
  }
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      yield* take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  yield* take();
}

/** Reads a message. Its error has the ID of the message, without which a client waits for its response. */
function readLine(line: Uint8Array | undefined): ReadMessage {
  if (line === undefined) {
    const message = `the message has more than ${MAX_MESSAGE_BYTES} bytes`;
    return { error: { code: SERVER_ERROR, message } };
  }
  const read = readMessage(line);
  if ("message" in read) {
    return read;
  }
  try {
    return { ...read, id: idOf(JSON.parse(Buffer.from(line).toString())) };
  } catch {
    return read;
  }
}
