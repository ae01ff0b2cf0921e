import { shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test } from "vitest";
import { createCaller } from "../../src/hosts/caller.js";
import { serveTools } from "../../src/mcp/index.js";

const OPTIONS = { info: { name: "library", version: "1.0.0" } };
const NAME = "shelves/1/books/2";

/** Serves chunks of input. Returns the messages of the output in the order of their lines. */
async function serve(chunks: Iterable<string | Uint8Array> | AsyncIterable<string>, routes = shelfRoutes()) {
  const lines: string[] = [];
  async function* input() {
    for await (const chunk of chunks) {
      yield Buffer.from(chunk);
    }
  }
  const write = async (line: string) => void lines.push(line);
  await serveTools(createCaller({ routes }), OPTIONS, { input: input(), write });
  expect(lines.every((line) => /^[^\n]+\n$/.test(line))).toBe(true);
  return lines.map((line) => JSON.parse(line));
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const PONG = { jsonrpc: "2.0", id: 1, result: {} };
const call = (id: number, args: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"service_get_book","arguments":${args}}}`;
const error = (code: number, message: unknown, id: unknown = null) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});
const TOO_LARGE = "the message has more than 10000 values or 64 levels";
const ONE_OBJECT = "the message must be one object; batches are not supported";
const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

describe("lines", () => {
  test.each<[name: string, line: string | Uint8Array, expected: unknown]>([
    ["no JSON", "{", error(-32_700, "the message is not JSON")],
    [
      "invalid UTF-8",
      Buffer.from('{"id":1,"x":"\xff"}', "latin1"),
      error(-32_700, "the message is not UTF-8", 1),
    ],
    ["a batch", `[${PING}]`, error(-32_600, ONE_OBJECT)],
    ["no message", '{"id":"a"}', error(-32_600, expect.any(String), "a")],
    ["deep nesting", call(1, deep), error(-32_602, TOO_LARGE, 1)],
    ["initialize without params", PING.replace("ping", "initialize"), error(-32_602, expect.any(String), 1)],
    [
      "a line that is too long",
      `"${"x".repeat(1024 * 1024)}"`,
      error(-32_000, "the message has more than 1048576 bytes"),
    ],
    ["a carriage return", `${PING}\r`, PONG],
    ["a byte order mark", `\ufeff${PING}`, PONG],
    ["a message as long as allowed", PING.padEnd(1024 * 1024), PONG],
  ])("%s", async (_, line, expected) => {
    // The next message is served in any case.
    const next = PING.replace("1,", "2,");
    expect(await serve([line, "\n", next])).toEqual([expected, { ...PONG, id: 2 }]);
  });

  test("blank ones and notifications have no response", async () => {
    expect(
      await serve(["\n\r\n \n", '{"jsonrpc":"2.0","method":"notifications/initialized"}\n', ""]),
    ).toEqual([]);
  });

  test("arrive in chunks of any length", async () => {
    expect(await serve([...`${PING}\n${PING}`])).toEqual([PONG, PONG]);
    expect(await serve([`${PING}\n${PING}\n`])).toEqual([PONG, PONG]);
  });
});

test("both kinds of revisions are served", async () => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const modern = { jsonrpc: "2.0", id: 2, method: "server/discover", params: { _meta } };
  const [old, discovered] = await serve([`${PING}\n${JSON.stringify(modern)}`]);
  expect(old).toEqual(PONG);
  expect(discovered.result.supportedVersions).toEqual(["2026-07-28"]);
});

test("arguments keep all digits of their integers", async () => {
  const seen: unknown[] = [];
  const routes = shelfRoutes({
    createBook: ({ book }) => {
      seen.push(book?.isbn);
      return {};
    },
  });
  const args = '{"parent":"x","book":{"isbn":9007199254740993}}';
  await serve([call(1, args).replace("get_book", "create_book")], routes);
  expect(seen).toEqual([9007199254740993n]);
});

/** Routes with a method that waits until it is cancelled, and when it has begun and ended. */
function waitingRoutes() {
  let onBegin = (): void => {};
  let onEnd = (): void => {};
  const begun = new Promise<void>((resolve) => {
    onBegin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    onEnd = resolve;
  });
  const getBook = (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
    signal.addEventListener("abort", onEnd);
    onBegin();
    return new Promise<object>(() => {});
  };
  return { routes: shelfRoutes({ getBook }), begun, ended };
}

test("a cancelled call has no response", async () => {
  const { routes, begun, ended } = waitingRoutes();
  async function* input() {
    yield `${call(3, `{"name":"${NAME}"}`)}\n`;
    await begun;
    yield '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}\n';
    yield PING;
  }
  expect(await serve(input(), routes)).toEqual([PONG]);
  await ended;
});

test("output that cannot be written rejects and cancels calls, while the input goes on", async () => {
  const { routes, begun, ended } = waitingRoutes();
  const broken = new Error("broken");
  async function* input() {
    yield Buffer.from(`${call(3, `{"name":"${NAME}"}`)}\n`);
    await begun;
    yield Buffer.from(`${PING}\n`);
    await new Promise(() => {});
  }
  const streams = { input: input(), write: () => Promise.reject(broken) };
  await expect(serveTools(createCaller({ routes }), OPTIONS, streams)).rejects.toBe(broken);
  await ended;
});
