import { once } from "node:events";
import { connect } from "node:net";
import { Code } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "vitest";
import { createError } from "../../src/errors/errors.js";
import { defineService } from "../support/define-service.js";
import { useHttp1 } from "../support/servers.js";

const service = defineService([
  {
    name: "Watch",
    input: "GetBookRequest",
    output: "Book",
    serverStreaming: true,
    rule: { pattern: { case: "get", value: "/v1/watch/{name}" }, responseBody: "title" },
  },
]);
const EXCEPTION = new TypeError("x is undefined");
const errors: unknown[] = [];
let sent = 0;
let ended = 0;

/** Streams what the name asks for. */
async function* watch({ name }: { name: string }) {
  try {
    if (name === "none") {
      return;
    }
    if (name === "missing") {
      throw createError({ code: Code.NotFound, reason: "NO_BOOK", message: "there is no such book" });
    }
    for (let index = 0; index < (name === "endless" ? 1_000_000 : 3); index++) {
      sent += 1;
      yield { title: name === "endless" ? "x".repeat(10_000) : `${name} ${index}` };
    }
    if (name === "fails") {
      throw createError({ code: Code.Unavailable, reason: "GONE", message: "the library has closed" });
    }
    if (name === "throws") {
      throw EXCEPTION;
    }
  } finally {
    ended += 1;
  }
}

const server = useHttp1({
  // The descriptor is created at run time, so that it has no types of its methods.
  routes: (router) => router.service(service, { watch } as never),
  transcoding: { onError: (error) => errors.push(error) },
});
afterEach(() => {
  errors.length = 0;
});

const lines = (text: string) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe("a server stream over HTTP", () => {
  test("has one line per message", async () => {
    const response = await fetch(`${server.url}/v1/watch/a`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
    expect(lines(await response.text())).toEqual(["a 0", "a 1", "a 2"]);
  });

  test("can be empty", async () => {
    const response = await fetch(`${server.url}/v1/watch/none`);
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  test("ends with a line for an error", async () => {
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

  test("hides the text of an unexpected exception", async () => {
    const last = lines(await (await fetch(`${server.url}/v1/watch/throws`)).text()).at(-1);
    expect(last).toMatchObject({ error: { code: 500, status: "INTERNAL", message: "internal error" } });
    expect(errors).toEqual([EXCEPTION]);
  });

  test("is an ordinary error if it fails before its first message", async () => {
    const response = await fetch(`${server.url}/v1/watch/missing`);
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.json()).toMatchObject({ error: { details: [{ reason: "NO_BOOK" }] } });
  });

  test("is not started for HEAD", async () => {
    const before = sent;
    const response = await fetch(`${server.url}/v1/watch/a`, { method: "HEAD" });
    expect([response.status, response.headers.get("content-type"), sent]).toEqual([
      200,
      "application/x-ndjson",
      before,
    ]);
  });

  test("waits for a slow client, and ends when the client disconnects", async () => {
    const [sentBefore, endedBefore] = [sent, ended];
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    socket.write("GET /v1/watch/endless HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(socket, "data");
    socket.pause();
    // What is sent now fills buffers, whose size is limited.
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
