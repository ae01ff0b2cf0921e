import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { createRegistry } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { useListening } from "../../../../test/use-listening.js";
import { notFound, RpcError } from "../../src/errors/rpc-error.js";
import { Http1Exchange } from "../../src/node/http1-exchange.js";
import type { MethodImplementation, ServerStreamingHandler } from "../../src/node/methods.js";
import { createMethodTable } from "../../src/node/methods.js";
import { createRestDoor } from "../../src/node/rest.js";
import { createRouteTable } from "../../src/rules/route-table.js";
import { defineService } from "../support/define-service.js";

const service = defineService([
  {
    name: "Watch",
    input: "GetBookRequest",
    output: "Book",
    serverStreaming: true,
    rule: { pattern: { case: "get", value: "/v1/watch/{name}" }, responseBody: "title" },
  },
]);
const BUG = new TypeError("x is undefined");
let sent = 0;
let ended = 0;
const bugs: unknown[] = [];

/** Streams what the name says. */
const watch: ServerStreamingHandler<never> = async function* ({ name }: { name: string }) {
  try {
    if (name === "none") {
      return;
    }
    if (name === "missing") {
      throw notFound({ reason: "NO_BOOK", description: "there is no such book" });
    }
    for (let index = 0; index < (name === "endless" ? 1_000_000 : 3); index++) {
      sent += 1;
      yield { title: name === "endless" ? "x".repeat(10_000) : `${name} ${index}` };
    }
    if (name === "fails") {
      throw new RpcError({ code: Code.Unavailable, reason: "GONE", message: "the library has closed" });
    }
    if (name === "bug") {
      throw BUG;
    }
  } finally {
    ended += 1;
  }
} as never;

const [method] = service.methods;
const implementation = {
  kind: "server_streaming",
  method,
  handler: watch,
} as unknown as MethodImplementation;
const registry = createRegistry(service.file);
const door = createRestDoor({
  transcoder: createRouteTable(service.methods, { unknownParameters: "reject", registry }),
  methods: createMethodTable([{ service, methods: [implementation] }], []),
  requestLimit: () => 1000,
  reportBug: (bug) => bugs.push(bug),
});
const context = { proxies: undefined, isStopping: () => false, newRequestId: () => "id" };
const server = useListening(
  createServer((request, response) => {
    door(new Http1Exchange(request, response, context), { target: request.url ?? "", baseUrl: "http://a" });
  }),
);

const lines = (text: string) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe("a stream over HTTP", () => {
  test("has one message a line", async () => {
    const response = await fetch(`${server.url}/v1/watch/a`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
    expect(lines(await response.text())).toEqual(["a 0", "a 1", "a 2"]);
  });

  test("can be empty", async () => {
    const response = await fetch(`${server.url}/v1/watch/none`);
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  test("has the error in its last line", async () => {
    const response = await fetch(`${server.url}/v1/watch/fails`);
    const [first, , , last] = lines(await response.text());
    expect([response.status, first]).toEqual([200, "fails 0"]);
    expect(last).toMatchObject({
      error: {
        code: 503,
        status: "UNAVAILABLE",
        message: "the library has closed",
        details: [{ reason: "GONE" }],
      },
    });
  });

  test("tells a caller nothing of a bug", async () => {
    const last = lines(await (await fetch(`${server.url}/v1/watch/bug`)).text()).at(-1);
    expect(last).toMatchObject({ error: { code: 500, status: "INTERNAL", message: "internal error" } });
    expect(bugs).toEqual([BUG]);
  });

  test("that fails before its first message is an ordinary error", async () => {
    const response = await fetch(`${server.url}/v1/watch/missing`);
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.json()).toMatchObject({ error: { details: [{ reason: "NO_BOOK" }] } });
  });

  test("is not begun for HEAD", async () => {
    const before = sent;
    const response = await fetch(`${server.url}/v1/watch/a`, { method: "HEAD" });
    expect([response.status, response.headers.get("content-type"), sent]).toEqual([
      200,
      "application/x-ndjson",
      before,
    ]);
  });

  test("goes no faster than its caller reads, and ends when the caller goes", async () => {
    const [sentBefore, endedBefore] = [sent, ended];
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    socket.write("GET /v1/watch/endless HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(socket, "data");
    socket.pause();
    // What is sent now fills buffers, which have an end.
    let previous = -1;
    while (sent !== previous) {
      previous = sent;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(sent - sentBefore).toBeLessThan(10_000);
    socket.destroy();
    while (ended === endedBefore) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
});
