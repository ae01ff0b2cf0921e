import { once } from "node:events";
import { connect } from "node:net";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import { defineService } from "connect-transcoding-testing/define-service.js";
import { EventSource } from "undici";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { RequestRecord } from "../../../src/call/http/request-record.js";
import { createError } from "../../../src/errors/errors.js";
import { readResponse, STACKS, send } from "../../support/http-clients.js";
import { useHttp1 } from "../../support/servers.js";

const service = defineService([
  {
    name: "Watch",
    serverStreaming: true,
    rule: { pattern: { case: "get", value: "/v1/watch/{name}" }, responseBody: "title" },
  },
  {
    name: "Download",
    output: "google.api.HttpBody",
    serverStreaming: true,
    rule: { pattern: { case: "get", value: "/v1/files/{name}" } },
    options: { cacheControl: "max-age=60" },
  },
  {
    name: "DownloadCover",
    output: "Cover",
    serverStreaming: true,
    rule: { pattern: { case: "get", value: "/v1/covers/{name}" }, responseBody: "image" },
  },
]);
const EXCEPTION = new TypeError("x is undefined");
const errors: unknown[] = [];
let sent = 0;
let ended = 0;
/** Continues the stream `pauses`. */
let resume = (): void => {};

/** Streams what the name asks for. */
async function* watch({ name }: { name: string }) {
  try {
    if (name === "none") {
      return;
    }
    if (name === "missing") {
      throw createError({ code: Code.NotFound, reason: "NO_BOOK", message: "there is no such book" });
    }
    // A client can have the first message before the second one is asked for.
    const pause = new Promise<void>((resolve) => {
      resume = resolve;
    });
    for (let index = 0; index < (name === "endless" ? 1_000_000 : 3); index++) {
      if (name === "pauses" && index === 1) {
        await pause;
      }
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

/** Streams a file in two chunks, or what the name asks for. */
async function* download({ name }: { name: string }) {
  if (name === "missing") {
    throw createError({ code: Code.NotFound, reason: "NO_FILE", message: "there is no such file" });
  }
  if (name === "none") {
    return;
  }
  yield { contentType: name === "untyped" ? "" : "image/png", data: Buffer.from("first,") };
  yield { data: new Uint8Array() };
  yield { contentType: "image/png", data: Buffer.from("second") };
  // What is in the buffers of a connection that is cut is lost.
  await new Promise((resolve) => setTimeout(resolve, 20));
  if (name === "fails") {
    throw createError({ code: Code.Unavailable, reason: "GONE", message: "the library has closed" });
  }
  if (name === "mixed") {
    yield { contentType: "text/plain", data: Buffer.from("third") };
  }
}

async function* downloadCover(request: { name: string }) {
  for await (const image of download(request)) {
    yield { image };
  }
}

const records: RequestRecord[] = [];
const OPTIONS = {
  // The descriptor is created at run time, so that it has no types of its methods.
  routes: (router: ConnectRouter) => {
    router.service(service, { watch, download, downloadCover } as never);
  },
  transcoding: {
    onError: (error: unknown) => errors.push(error),
    observers: [{ onEnd: (record: RequestRecord) => records.push(record) }],
  },
};
const server = useHttp1(OPTIONS);
afterEach(() => {
  errors.length = 0;
  records.length = 0;
});

const IN_LINES = { headers: { accept: "application/x-ndjson" } };
const lines = (text: string) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe("a server stream over HTTP", () => {
  test("has one line per message of NDJSON", async () => {
    const response = await fetch(`${server.url}/v1/watch/a`, IN_LINES);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
    expect(lines(await response.text())).toEqual(["a 0", "a 1", "a 2"]);
  });

  test("can be empty", async () => {
    const response = await fetch(`${server.url}/v1/watch/none`, IN_LINES);
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  test("ends with a line for an error", async () => {
    const response = await fetch(`${server.url}/v1/watch/fails`, IN_LINES);
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
    const last = lines(await (await fetch(`${server.url}/v1/watch/throws`, IN_LINES)).text()).at(-1);
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
      "application/json",
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

describe("an EventSource", () => {
  test.each([
    ["a", "end", "{}", ["a 0", "a 1", "a 2"]],
    ["fails", "error", expect.stringContaining("the library has closed"), ["fails 0", "fails 1", "fails 2"]],
  ])("reads the stream %s", async (name, last, data, expected) => {
    const messages: unknown[] = [];
    const source = new EventSource(`${server.url}/v1/watch/${name}`);
    source.onmessage = (event) => messages.push(JSON.parse(event.data));
    const [event] = await once(source, last);
    source.close();
    expect([event.data, messages]).toEqual([data, expected]);
  });
});

/** The JSON of the error with which streams fail. */
const ERROR =
  '{"error":{"code":503,"status":"UNAVAILABLE","message":"the library has closed",' +
  '"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"GONE"}]}}';

describe.each(STACKS)("a server stream on %s", (_, useServer, begin) => {
  const streams = useServer(OPTIONS);
  const get = (path: string, accept?: string) =>
    send(begin, streams.url, `GET ${path}`, accept === undefined ? {} : { accept });

  test.each([
    ["a", undefined, "application/json", '["a 0",\n"a 1",\n"a 2"]'],
    ["fails", "*/*", "application/json", `["fails 0",\n"fails 1",\n"fails 2",\n${ERROR}]`],
    ["a", "application/x-ndjson", "application/x-ndjson", '"a 0"\n"a 1"\n"a 2"\n'],
    ["none", "application/x-ndjson", "application/x-ndjson", ""],
    ["fails", "application/x-ndjson", "application/x-ndjson", `"fails 0"\n"fails 1"\n"fails 2"\n${ERROR}\n`],
    ["a", "application/json", "application/json", '["a 0",\n"a 1",\n"a 2"]'],
    ["none", "application/json", "application/json", "[]"],
    ["fails", "application/json", "application/json", `["fails 0",\n"fails 1",\n"fails 2",\n${ERROR}]`],
    [
      "a",
      "text/event-stream",
      "text/event-stream",
      'data: "a 0"\n\ndata: "a 1"\n\ndata: "a 2"\n\nevent: end\ndata: {}\n\n',
    ],
    ["none", "text/event-stream", "text/event-stream", "event: end\ndata: {}\n\n"],
    [
      "fails",
      "text/event-stream",
      "text/event-stream",
      `data: "fails 0"\n\ndata: "fails 1"\n\ndata: "fails 2"\n\nevent: error\ndata: ${ERROR}\n\n`,
    ],
  ])("of messages: %s, Accept: %s", async (name, accept, type, body) => {
    const { status, headers, text, isWhole } = await get(`/v1/watch/${name}`, accept);
    expect([status, headers["content-type"], headers.vary, isWhole]).toEqual([200, type, "accept", true]);
    expect(text).toBe(body);
  });

  test.each(["application/json", "text/event-stream"])(
    "that fails before its first message is an ordinary error: Accept: %s",
    async (accept) => {
      const { status, headers, text } = await get("/v1/watch/missing", accept);
      expect([status, headers["content-type"]]).toEqual([404, "application/json; charset=utf-8"]);
      expect(JSON.parse(text)).toMatchObject({ error: { status: "NOT_FOUND" } });
    },
  );

  test("sends each message at once", async () => {
    const { body, response } = begin(streams.url, "GET", "/v1/watch/pauses", { accept: "text/event-stream" });
    body.end();
    const [first] = await once((await response).body, "data");
    expect(String(first)).toBe('data: "pauses 0"\n\n');
    resume();
    expect((await readResponse(response)).text).toContain("event: end");
  });

  test.each(["application/json", "text/event-stream"])(
    "ends when the client disconnects: Accept: %s",
    async (accept) => {
      const before = ended;
      const { body, response, destroy } = begin(streams.url, "GET", "/v1/watch/endless", { accept });
      body.end();
      await once((await response).body, "data");
      destroy();
      await vi.waitUntil(() => ended > before, { timeout: 30_000 });
      expect(errors).toEqual([]);
    },
  );

  test.each(["/v1/files/a", "/v1/covers/a"])("of bytes is one response: %s", async (path) => {
    const { status, headers, text, isWhole } = await get(path, "application/json");
    expect([status, headers["content-type"], headers.vary, isWhole]).toEqual([
      200,
      "image/png",
      undefined,
      true,
    ]);
    expect(text).toBe("first,second");
  });

  test("of bytes has the headers of the rule", async () => {
    expect((await get("/v1/files/a")).headers["cache-control"]).toBe("max-age=60");
  });

  test("of bytes can be empty", async () => {
    const { status, headers, text, isWhole } = await get("/v1/files/none");
    expect([status, headers["content-type"], text, isWhole]).toEqual([200, undefined, "", true]);
  });

  test("of bytes that fails before its first message is an ordinary error", async () => {
    const { status, text } = await get("/v1/files/missing");
    expect([status, JSON.parse(text)]).toEqual([
      404,
      { error: expect.objectContaining({ status: "NOT_FOUND" }) },
    ]);
  });

  test("of bytes that fails later is cut off", async () => {
    const { status, isWhole } = await get("/v1/files/fails");
    expect([status, isWhole]).toEqual([200, false]);
    await vi.waitUntil(() => records.length > 0, { timeout: 30_000 });
    expect(records.map(({ code }) => code)).toEqual([Code.Unavailable]);
    expect(errors).toEqual([]);
  });

  // As with grpc-gateway's ForwardResponseStream and Envoy's gRPC-JSON transcoder.
  test.each([
    ["mixed", "image/png", "first,secondthird"],
    ["untyped", undefined, "first,second"],
  ])("of bytes has the content type of the first message: %s", async (name, type, content) => {
    const { status, headers, text, isWhole } = await get(`/v1/files/${name}`);
    expect([status, headers["content-type"], text, isWhole]).toEqual([200, type, content, true]);
    expect(errors).toEqual([]);
  });

  test("of bytes is not started for HEAD", async () => {
    const { status, headers, text } = await send(begin, streams.url, "HEAD /v1/files/missing");
    expect([status, headers["content-type"], text]).toEqual([200, undefined, ""]);
  });
});
