import { createServer } from "node:http";
import { constants, createServer as createHttp2Server } from "node:http2";
import { createLoad, fetchResponses } from "connect-transcoding-testing/load/closed-loop.js";
import type { Answer } from "connect-transcoding-testing/load/connection.js";
import { encodeHttp1 } from "connect-transcoding-testing/load/http1.js";
import { encodeHttp2 } from "connect-transcoding-testing/load/http2.js";
import { createClient, load } from "connect-transcoding-testing/load/open-loop.js";
import type { Workload } from "connect-transcoding-testing/load/workload.js";
import { parseCpuList } from "connect-transcoding-testing/processes/processors.js";
import { median, percentile } from "connect-transcoding-testing/statistics.js";
import { describe, expect, test } from "vitest";
import { listenOnLoopback } from "../../checks/bench/peers/listen.js";
import { formatCase } from "../../checks/bench/report.js";
import { type ContestantRun, findDifference } from "../../checks/bench/run-case.js";

const EMPTY: Workload = {
  http: 1,
  grpc: false,
  method: "GET",
  authority: "bench.test",
  headers: [],
  requests: [],
};

const round = (requestsPerSecond: number) => ({
  requestsPerSecond,
  p50: 1.5,
  p99: 9,
  processorTime: 1 / requestsPerSecond,
  processorShare: 0.99,
  loadShare: 0.25,
});

/** A run with the rates of each process. */
function run(name: string, rates: readonly (readonly number[])[]): ContestantRun {
  const processes = rates.map((each, index) => ({
    rounds: each.map(round),
    residentMemory: 250 + index,
    readyAfter: 800,
  }));
  return { name, processes };
}

describe("the report of a case", () => {
  const ours = run("ours", [
    [1000, 900],
    [4000, 2000],
  ]);
  const fastify = run("Fastify", [
    [800, 900],
    [2000, 500],
  ]);
  const [, , , , ...rows] = formatCase({ name: "geoIp", title: "GET /v1/geoIp" }, [
    ours,
    fastify,
    run("slow", [[10], [10]]),
  ]).split("\n");

  test("has the medians of all rounds, and the lowest and highest median of a process", () => {
    expect(rows[0]).toBe(
      "| ours | 1,500 (950–3,000) | 750.0 (375.0–1,055.6) | 1.50 | 9.00 | 99 % | 25 % | 251 (250–251) | 800 |  |  |",
    );
  });

  test("compares ours with each other server round by round", () => {
    expect(rows.slice(1).map((row) => row.split(" | ").slice(9).join(" | "))).toEqual([
      // 1.25, 1; 2, 4
      "1.63 (1.13–3.00) | 1.63 (1.13–3.00) |",
      "250.00 (100.00–400.00) | 250.00 (100.00–400.00) |",
    ]);
  });
});

describe("findDifference", () => {
  const ok = (text: string) => ({ status: 200, body: Buffer.from(text) });
  const trimmed = (body: Buffer) => body.toString().trim();

  test("accepts equal bodies and equal contents", () => {
    expect(findDifference([ok("a"), ok("b")], [ok("a"), ok(" b")], trimmed)).toBe(undefined);
  });

  test.each([
    ["another content", [ok("a"), ok("b")], [ok("a"), ok("c")], "request 1: b\nis not\nc"],
    ["another status", [ok("a")], [{ ...ok("a"), status: 404 }], "request 0: a\nis not\nstatus 404"],
    ["a failure of both", [{ ...ok("a"), status: 0 }], [ok("a")], "request 0: status 0\nis not\na"],
    ["a missing response", [ok("a")], [], "request 0: a\nis not\nstatus undefined"],
  ])("finds %s", (_, expected, actual, difference) => {
    expect(findDifference(expected, actual, trimmed)).toBe(difference);
  });
});

describe("the load", () => {
  const CONCURRENCY = { connections: 2, streams: 3 };

  function workload(part: Partial<Workload>): Workload {
    return { ...EMPTY, ...part };
  }

  const PATHS = ["/a", "/b", "/missing", "/c", "/empty"];
  const requests = PATHS.map((path) => ({ path, body: Buffer.alloc(0) }));
  /** What a server responds to a path. */
  const respond = (path: string) => ({
    status: path === "/missing" ? 404 : 200,
    text: path === "/empty" ? "" : `${path} `.repeat(1 + PATHS.indexOf(path) * 5000),
  });

  /** A server for a version of HTTP that records the paths of requests. */
  async function startServer(http: 1 | 2, received: string[]) {
    const server =
      http === 1
        ? createServer(({ url = "", headers }, response) => {
            received.push(`${headers.host}${url}`);
            const { status, text } = respond(url);
            // Without content-length, the body is chunked.
            response.writeHead(status).end(text);
          })
        : createHttp2Server(({ url, headers }, response) => {
            received.push(`${headers[":authority"]}${url}`);
            const { status, text } = respond(url);
            response.writeHead(status).end(text);
          });
    return { url: await listenOnLoopback(server), [Symbol.asyncDispose]: async () => void server.close() };
  }

  test.each([1, 2] as const)("sends requests in turn over HTTP/%d and counts errors", async (http) => {
    const received: string[] = [];
    await using server = await startServer(http, received);
    const duration = { seconds: 0.2, first: 2 };
    const single = { connections: 1, streams: 1 };
    const result = await createLoad(server.url, workload({ http, requests }), single, duration);
    const turn = received.map((_, index) => `bench.test${PATHS[(index + 2) % PATHS.length]}`);
    expect(received).toEqual(turn);
    expect(result.requests).toBe(received.length);
    expect(result.errors).toBe(turn.filter((path) => /missing|empty/.test(path)).length);
  });

  test("sends bodies and requires grpc-status 0", async () => {
    // The last one takes several frames.
    const bodies = ["one", "failure", "three", "4".repeat(40_000)].map((text) => Buffer.from(text));
    const types: unknown[] = [];
    const server = createHttp2Server();
    server.on("stream", (stream, headers) => {
      types.push(headers["content-type"]);
      stream.respond({ ":status": 200 }, { waitForTrailers: true });
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("wantTrailers", () => {
        stream.sendTrailers({ "grpc-status": `${Buffer.concat(chunks)}` === "failure" ? 5 : 0 });
      });
      stream.on("end", () => stream.end(Buffer.concat(chunks)));
    });
    const url = await listenOnLoopback(server);
    const calls = workload({
      http: 2,
      grpc: true,
      method: "POST",
      headers: [["content-type", "application/grpc"]],
      requests: bodies.map((body) => ({ path: "/s/M", body })),
    });
    const responses = await fetchResponses(url, calls, CONCURRENCY);
    server.close();
    expect(types).toEqual(Array(4).fill("application/grpc"));
    expect(responses).toEqual([
      { status: 200, body: bodies[0] },
      { status: 0, body: bodies[1] },
      { status: 200, body: bodies[2] },
      { status: 200, body: bodies[3] },
    ]);
  });

  test("fails if the connection breaks", async () => {
    const server = createServer((request) => request.socket.destroy());
    const url = await listenOnLoopback(server);
    const load = createLoad(url, workload({ requests }), CONCURRENCY, { seconds: 1, first: 0 });
    await expect(load).rejects.toThrow("load:");
    server.close();
  });
});

describe("the load at a fixed rate", () => {
  const isRight = (_: number, { status }: Answer) => status === 200;
  const work = () => new Promise<void>((resolve) => setTimeout(resolve, 300));

  test("counts failures, and reuses connections", async () => {
    const ports = new Set<number | undefined>();
    const server = createServer(({ url, socket }, response) => {
      ports.add(socket.remotePort);
      response.writeHead(url === "/missing" ? 404 : 200).end("ok");
    });
    const url = await listenOnLoopback(server);
    const requests = ["/a", "/missing"].map((path) => ({ path, body: Buffer.alloc(0) }));
    const client = createClient(url, encodeHttp1({ ...EMPTY, requests }), isRight, 5);
    const { requests: sent, failed, retried } = await load({ REST: client }, 100, work);
    server.close();
    expect(failed.map(({ protocol, failure }) => `${protocol} ${failure}`)).toEqual(
      Array(Math.floor(sent / 2)).fill("REST HTTP 404"),
    );
    expect(ports.size).toBeLessThanOrEqual(5);
    expect(retried).toBe(0);
  });

  test.each([
    [true, 0],
    [false, 1],
  ])("with retries %j, %d requests that the server has refused fail", async (retries, failures) => {
    let refused = 0;
    const server = createHttp2Server();
    server.on("stream", (stream) => {
      if (refused++ === 0) {
        stream.on("error", () => undefined).close(constants.NGHTTP2_REFUSED_STREAM);
      } else {
        stream.respond({ ":status": 200 });
        stream.end("ok");
      }
    });
    const url = await listenOnLoopback(server);
    const requests = [{ path: "/a", body: Buffer.alloc(0) }];
    const encoded = encodeHttp2({ ...EMPTY, http: 2, requests }, false);
    const { failed, retried } = await load(
      { h2: createClient(url, encoded, isRight, 2, { retries }) },
      50,
      work,
    );
    server.close();
    expect([failed.length, retried]).toEqual([failures, 1 - failures]);
  });

  test("sends requests on new connections after a GOAWAY, and loses none", async () => {
    let sessions = 0;
    const server = createHttp2Server();
    server.on("session", (session) => {
      sessions++;
      session.on("stream", (stream) => {
        stream.respond({ ":status": 200 });
        stream.end("ok", () => session.close());
      });
    });
    const url = await listenOnLoopback(server);
    const requests = [{ path: "/a", body: Buffer.alloc(0) }];
    const encoded = encodeHttp2({ ...EMPTY, http: 2, requests }, false);
    const { requests: sent, failed } = await load({ h2: createClient(url, encoded, isRight, 2) }, 50, work);
    server.close();
    expect(failed).toEqual([]);
    expect(sessions).toBeGreaterThan(2);
    expect(sent).toBeGreaterThan(2);
  });
});

test.each([
  [[], Number.NaN],
  [[7], 7],
  [[9, 1, 2], 2],
  [[10, 9, 1, 2], 5.5],
])("the median of %j is %d", (values, expected) => {
  expect(median(values)).toBe(expected);
});

test.each([
  [[], 0.5, Number.NaN],
  [[7], 0.99, 7],
  [[1, 2], 0.5, 1],
  [[1, 2, 3], 0.5, 2],
  [Array.from({ length: 200 }, (_, index) => index + 1), 0.99, 198],
])("of %j, the part %d does not exceed %d", (sorted, part, expected) => {
  expect(percentile(sorted, part)).toBe(expected);
});

test.each([
  ["", []],
  ["3", [3]],
  ["0-2", [0, 1, 2]],
  ["0-1,4,6-7", [0, 1, 4, 6, 7]],
])("the processors of %j are %j", (list, expected) => {
  expect(parseCpuList(list)).toEqual(expected);
});
