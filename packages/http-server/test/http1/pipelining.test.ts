import { expect, test } from "vitest";
import type { ServerRequest } from "../../src/index.js";
import { connectTo, turns, useServers, withoutDate } from "./test-server.js";

const servers = useServers();
const { start } = servers;

function get(target: string | number): string {
  return `GET /${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

/** The targets with which the server has responded. */
function targetsIn(received: string): string[] {
  return Array.from(received.matchAll(/<\/([^>]*)>/g), ([, target]) => target ?? "");
}

const NUMBERS = Array.from({ length: 1_000 }, (_, index) => String(index));

test("sends the responses to all requests of one read in one write", async () => {
  const port = await start({ onRequest: (request) => request.respond(200, [], `<${request.target}>`) });
  const client = await connectTo(port);
  client.write(get("first"));
  await client.until((text) => text.includes("first"));
  const [socket] = servers.server?.sockets ?? [];
  const writes: unknown[] = [];
  const write = socket?.write.bind(socket);
  Object.assign(socket ?? {}, {
    write: (text: string, encoding: BufferEncoding) => {
      writes.push(text);
      return write?.(text, encoding);
    },
  });
  client.write(NUMBERS.slice(0, 50).map(get).join(""));
  await client.until((text) => text.includes("</49>"));
  expect(writes).toHaveLength(1);
});

test.each<[how: string, respond: (request: ServerRequest, index: number) => unknown]>([
  ["at once", (request) => request.respond(200, [], `<${request.target}>`)],
  ["in a later turn", (request) => setImmediate(() => request.respond(200, [], `<${request.target}>`))],
  ["in a microtask", (request) => queueMicrotask(() => request.respond(200, [], `<${request.target}>`))],
  [
    "in different turns",
    async (request, index) => {
      await turns((index * 7) % 5);
      request.respond(200, [], `<${request.target}>`);
    },
  ],
  ["with streams", (request) => request.respondStream(200, []).end(`<${request.target}>`)],
  [
    "after reading the body",
    async (request, index) => {
      await turns(index % 3);
      request.readBody(10, () => request.respond(200, [], `<${request.target}>`));
    },
  ],
])("responds to pipelined requests in order if the handler responds %s", async (_how, respond) => {
  let inProgress = 0;
  let most = 0;
  let count = 0;
  const port = await start({
    onRequest: (request) => {
      inProgress += 1;
      most = Math.max(most, inProgress);
      request.onClose(() => {
        inProgress -= 1;
      });
      respond(request, count);
      count += 1;
    },
  });
  const client = await connectTo(port);
  const requests = NUMBERS.map((number, index) =>
    index % 3 === 0
      ? get(number)
      : `POST /${number} HTTP/1.1\r\nHost: a\r\nContent-Length: ${index % 10}\r\n\r\n${"x".repeat(index % 10)}`,
  );
  client.write(requests.join(""));
  client.socket.end();
  expect(targetsIn(await client.ended)).toEqual(NUMBERS);
  expect(most).toBe(1);
});

test("lets other connections have their turn", async () => {
  const targets: string[] = [];
  const port = await start({
    onRequest: (request) => {
      targets.push(request.target);
      request.respond(200, [], `<${request.target}>`);
    },
  });
  const client = await connectTo(port);
  client.write(NUMBERS.map(get).join(""));
  let turn = 0;
  const perTurn: number[] = [];
  const timer = (): void => {
    perTurn[turn] = targets.length - perTurn.reduce((sum, count) => sum + count, 0);
    turn += 1;
    if (targets.length < NUMBERS.length) {
      setImmediate(timer);
    }
  };
  setImmediate(timer);
  expect(targetsIn(await client.until((text) => text.includes("</999>")))).toEqual(NUMBERS);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(256);
});

test("buffers a bounded amount of input while a request is in progress", async () => {
  const requests: ServerRequest[] = [];
  const port = await start({ onRequest: (request) => requests.push(request) });
  const client = await connectTo(port);
  client.write(get("first"));
  await turns(10);
  client.write(Buffer.alloc(50_000_000, get("x".repeat(1_000))));
  for (let before = -1; before !== servers.server?.sockets[0]?.bytesRead; await turns(50)) {
    before = servers.server?.sockets[0]?.bytesRead ?? 0;
  }
  expect(servers.server?.sockets[0]?.bytesRead).toBeLessThan(1_000_000);
  expect(requests.map(({ target }) => target)).toEqual(["/first"]);
});

test("parses no further requests while the client does not read the responses", async () => {
  let count = 0;
  const port = await start({
    onRequest: (request) => {
      count += 1;
      request.respond(200, [], "x".repeat(50_000));
    },
  });
  const client = await connectTo(port);
  client.socket.pause();
  client.write(NUMBERS.map(get).join(""));
  for (let before = -1; before !== count || count === 0; await turns(50)) {
    before = count;
  }
  expect(count).toBeLessThan(900);
  client.socket.resume();
  client.socket.end();
  const received = withoutDate(await client.ended);
  expect(received.split("HTTP/1.1 200 OK\r\n")).toHaveLength(1_001);
});
