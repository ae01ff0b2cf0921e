import { constants, type ServerHttp2Stream } from "node:http2";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { Code, createClient, type ServiceImpl } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { call, frameOf, gatewayToRaw, respond } from "./support/raw.js";
import { createBook, gatewayTo, startUpstream } from "./support/upstream.js";

const SHELF: Partial<ServiceImpl<typeof ShelfService>> = {
  getBook: ({ name }) => ({ name }),
  createBook: ({ parent }) => ({ name: parent }),
  collectBooks: async (requests) => {
    const books = [];
    for await (const { name } of requests) {
      books.push({ name });
    }
    return { books };
  },
};

/** Longer than the delays of all tries together. */
const DOWN = 1_800;

/** A gateway whose upstream has stopped. */
async function gatewayToStopped(options: Parameters<typeof gatewayTo>[1] = {}) {
  const upstream = await startUpstream(SHELF);
  const { url } = await gatewayTo(upstream, options);
  expect((await fetch(`${url}/v1/shelves/1/books/2`)).status).toBe(200);
  await upstream.kill();
  return { url, port: upstream.port };
}

describe("calls wait for an upstream that is down", () => {
  test("until it is up", async () => {
    const { url, port } = await gatewayToStopped();
    const client = createClient(ShelfService, createGrpcTransport({ baseUrl: url }));
    const pending = Promise.all([
      fetch(`${url}/v1/shelves/1/books/2`).then(({ status }) => status),
      createBook(url).then(({ status }) => status),
      client.createBook({ parent: "shelves/3" }).then(({ name }) => name),
      client
        .collectBooks(
          (async function* () {
            yield { name: "a" };
            yield { name: "b" };
          })(),
        )
        .then(({ books }) => books.map(({ name }) => name)),
    ]);
    await wait(DOWN);
    await startUpstream(SHELF, { port });
    expect(await pending).toEqual([200, 200, "shelves/3", ["a", "b"]]);
  });

  test("behind a proxy that accepts connections", async () => {
    const { url, port } = await gatewayToStopped();
    let attempts = 0;
    const proxy = createServer((socket) => {
      attempts += 1;
      socket.on("error", () => {});
      socket.destroy();
    });
    await new Promise<void>((resolve) => proxy.listen(port, "127.0.0.1", resolve));
    const pending = createBook(url);
    await expect.poll(() => attempts).toBeGreaterThan(3);
    await new Promise((resolve) => proxy.close(resolve));
    await startUpstream(SHELF, { port });
    expect((await pending).status).toBe(200);
  });

  test.each([0, 100])("for %i ms at most", async (upstreamWait) => {
    const { url } = await gatewayToStopped({ upstreamWait });
    const response = await createBook(url);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { status: "UNAVAILABLE" } });
  });

  test("until their deadline", async () => {
    // Long enough for the first call of a busy machine.
    const { url } = await gatewayToStopped({ timeout: 1_500 });
    const client = createClient(ShelfService, createGrpcTransport({ baseUrl: url }));
    const [error, response] = await Promise.all([
      client.createBook({}).catch((reason: unknown) => reason),
      createBook(url),
    ]);
    expect(error).toMatchObject({ code: Code.DeadlineExceeded });
    expect(response.status).toBe(504);
  });
});

describe("an upstream that resets a call", () => {
  const BODY = frameOf("\x0a\x01a");

  /** Answers a call, ends the second one by `reset`, and answers the others. Returns the number of calls after the first. */
  async function resetting(reset: (stream: ServerHttp2Stream) => void) {
    const seen = { calls: -1, url: "" };
    seen.url = await gatewayToRaw((stream) => {
      seen.calls += 1;
      if (seen.calls === 1) {
        reset(stream);
      } else {
        stream.resume();
        respond(stream, BODY, { "grpc-status": "0" });
      }
    });
    await call(seen.url, "GetBook", BODY);
    return seen;
  }

  test.each([
    ["CANCEL", "1"],
    ["NO_ERROR", "13"],
  ] as const)("with %s is called again without side effects", async (name, code) => {
    const reset = (stream: ServerHttp2Stream) => stream.close(constants[`NGHTTP2_${name}`]);
    const idempotent = await resetting(reset);
    expect((await call(idempotent.url, "GetBook", BODY)).trailers["grpc-status"]).toBe("0");
    expect(idempotent.calls).toBe(2);
    const rest = await resetting(reset);
    expect((await fetch(`${rest.url}/v1/shelves/1/books/2`)).status).toBe(200);
    const other = await resetting(reset);
    expect((await call(other.url, "CreateBook", BODY)).head["grpc-status"]).toBe(code);
    expect(other.calls).toBe(1);
  });

  test("with a GET rule alone is not called again", async () => {
    const seen = await resetting((stream) => stream.close(constants.NGHTTP2_CANCEL));
    expect((await call(seen.url, "WatchBook", BODY)).head["grpc-status"]).toBe("1");
    expect(seen.calls).toBe(1);
  });

  test.each<[string, (stream: ServerHttp2Stream) => void]>([
    ["with REFUSED_STREAM", (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM)],
    ["by a GOAWAY", ({ session }) => session?.goaway(constants.NGHTTP2_NO_ERROR, 1)],
    ["by a GOAWAY with an error", ({ session }) => session?.goaway(constants.NGHTTP2_INTERNAL_ERROR, 1)],
  ])("%s without having begun it is called again", async (_name, reset) => {
    const relayed = await resetting(reset);
    expect((await call(relayed.url, "CreateBook", BODY)).trailers["grpc-status"]).toBe("0");
    expect(relayed.calls).toBe(2);
    const rest = await resetting(reset);
    expect((await createBook(rest.url)).status).toBe(200);
    expect(rest.calls).toBe(2);
  });

  test("as a server that stops, is called again without side effects", async () => {
    const reset = (stream: ServerHttp2Stream) => {
      stream.session?.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1);
      const head = { ":status": 200, "content-type": "application/grpc", "grpc-status": "1" };
      stream.respond(head, { endStream: true });
    };
    const idempotent = await resetting(reset);
    expect((await call(idempotent.url, "GetBook", BODY)).trailers["grpc-status"]).toBe("0");
    expect(idempotent.calls).toBe(2);
    const other = await resetting(reset);
    expect((await call(other.url, "CreateBook", BODY)).head["grpc-status"]).toBe("14");
    expect(other.calls).toBe(1);
  });

  test("after the head of the response is not called again", async () => {
    const seen = await resetting((stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" });
      stream.write(BODY, () => stream.close(constants.NGHTTP2_REFUSED_STREAM));
    });
    // Node ends the response first.
    expect((await call(seen.url, "CreateBook", BODY)).trailers["grpc-status"]).toBe("2");
    expect(seen.calls).toBe(1);
  });

  test.each(["CANCEL", "NO_ERROR"] as const)("with %s at its deadline", async (name) => {
    const url = await gatewayToRaw((stream, headers) => {
      const timeout = Number.parseInt(String(headers["grpc-timeout"]), 10);
      const timer = setTimeout(() => stream.close(constants[`NGHTTP2_${name}`]), timeout - 8);
      onTestFinished(() => clearTimeout(timer));
    });
    for (const method of ["GetBook", "CreateBook", "WatchBook", "ExchangeBooks"]) {
      const { head } = await call(url, method, BODY, { "grpc-timeout": "150m" });
      expect(head["grpc-status"]).toBe("4");
    }
  });
});
