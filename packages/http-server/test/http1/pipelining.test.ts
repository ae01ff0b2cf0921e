import { expect, test } from "vitest";
import type { ServerRequest } from "../../src/index.js";
import { connectTo, turns, useServers, withoutDate } from "../support/test-server.js";

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
  // The clock is compared after more requests.
  client.write(NUMBERS.slice(0, 2).map(get).join(""));
  await client.until((text) => text.includes("</1>"));
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
  ["in parts", (request) => request.openResponse(200, []).end(Buffer.from(`<${request.target}>`))],
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
  let served = 0;
  const port = await start({
    onRequest: (request) => {
      const end = performance.now() + 1;
      while (performance.now() < end) {}
      served += 1;
      request.respond(200, [], `<${request.target}>`);
    },
  });
  const client = await connectTo(port);
  client.write(NUMBERS.slice(0, 100).map(get).join(""));
  let most = 0;
  for (let before = 0; served < 100; before = served) {
    await turns(1);
    most = Math.max(most, served - before);
  }
  // The clock is compared after every 16 requests.
  expect(most).toBeLessThanOrEqual(48);
  expect(targetsIn(await client.until((text) => text.includes("</99>")))).toEqual(NUMBERS.slice(0, 100));
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

test.each([
  ["a response", "/second", 200],
  ["a rejection", "https://a/second", 421],
])("sends waiting responses if the rest of a body is invalid after %s", async (_what, target, status) => {
  const port = await start({ onRequest: (request) => request.respond(200, [], "ok") });
  const client = await connectTo(port);
  client.write(
    `${get("first")}POST ${target} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nwrong\r\n`,
  );
  client.socket.end();
  const statuses = (await client.ended).match(/HTTP\/1.1 \d+/g);
  expect(statuses).toEqual(["HTTP/1.1 200", `HTTP/1.1 ${status}`]);
});

test("sends waiting responses before it breaks off one to a request whose body is invalid", async () => {
  const port = await start({
    onRequest: (request) => {
      if (request.method === "GET") {
        request.respond(200, [], "first");
      } else {
        request.openResponse(200, []);
        request.openBody(() => {});
      }
    },
  });
  const client = await connectTo(port);
  client.write(`${get("first")}POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nwrong\r\n`);
  expect(await client.ended).toContain("first");
});
