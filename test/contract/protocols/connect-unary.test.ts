import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { gunzipSync, gzipSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import {
  CountriesService,
  ListCountriesResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import {
  GeoIpService,
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { cacheEncodings } from "connect-transcoding";
import { afterEach, describe, expect, test } from "vitest";
import { createTool } from "../../../src/tools/tool.js";
import { send } from "../support/clients.js";
import { sendHttp2, sendRaw } from "../support/raw-http.js";
import { OTHER_METHODS, useServer } from "../support/serve.js";

const LOOKUP = "/utilitytools.v1.GeoIpService/LookupIp";
const LIST = "/utilitytools.v1.CountriesService/ListCountries";
const GET = "/utilitytools.v1.CountriesService/GetCountry";
/** Resolves to the abort reason of the waiting call. */
let ended: Promise<unknown> = Promise.resolve();
let encodings = 0;

/** A response that counts how often it is encoded. */
const kept = cacheEncodings({
  get countries() {
    encodings += 1;
    return Array.from({ length: 100 }, (_, index) => ({ name: `Country ${index}` }));
  },
});

const server = useServer({
  tools: [
    createTool(GeoIpService, {
      ...OTHER_METHODS,
      lookupIp: ({ ipAddress }, context) => {
        if (ipAddress === "metadata") {
          context.responseHeader.append("X-Header", "one");
          context.responseTrailer.append("X-Trailer", "two");
        }
        if (ipAddress === "never") {
          ended = new Promise((resolve) => {
            context.signal.addEventListener("abort", () => resolve(context.signal.reason));
          });
          return new Promise(() => {});
        }
        return { ip: ipAddress };
      },
    }),
    createTool(CountriesService, {
      listCountries: () => kept,
      getCountry: async ({ country }) => ({ country: { name: country } }),
      searchCountries: () => ({}),
    }),
  ],
});

afterEach(async () => {
  const { status, text } = await post(LOOKUP, '{"ip_address":"8.8.8.8"}');
  expect([status, JSON.parse(text).ip, server.bugs]).toEqual([200, "8.8.8.8", []]);
});

const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  send(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });

describe("a response", () => {
  test("has the handler's headers and trailers", async () => {
    const { headers } = await post(LOOKUP, '{"ip_address":"metadata"}');
    expect([headers.get("x-header"), headers.get("trailer-x-trailer")]).toEqual(["one", "two"]);
  });

  test("can come from an asynchronous handler", async () => {
    const { status, json } = await post(GET, '{"country":"FR"}');
    expect([status, json]).toMatchObject([200, { country: { name: "FR" } }]);
  });

  test("in the binary format", async () => {
    const request = toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, { ipAddress: "x" }));
    const response = await fetch(`${server.url}${LOOKUP}`, {
      method: "POST",
      headers: { "content-type": "application/proto" },
      body: new Uint8Array(request),
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/proto"]);
    expect(fromBinary(LookupIpResponseSchema, new Uint8Array(await response.arrayBuffer())).ip).toBe("x");
  });

  test.each([
    ["application/json", "{}"],
    ["application/proto", ""],
  ])("that is cached is encoded once as %s and compressed once", async (type, body) => {
    const before = encodings;
    const raw = async (accepted: string) => {
      const response = await sendHttp2(
        server.url,
        { ":method": "POST", ":path": LIST, "content-type": type, "accept-encoding": accepted },
        body,
        "latin1",
      );
      return Buffer.from(response.body, "latin1");
    };
    const plain = await raw("identity");
    const compressed = [await raw("gzip"), await raw("gzip"), await raw("gzip")];
    expect(new Set(compressed.map((bytes) => bytes.toString("hex"))).size).toBe(1);
    expect(gunzipSync(compressed[0] ?? Buffer.alloc(0))).toEqual(plain);
    const { countries } =
      type === "application/json"
        ? JSON.parse(plain.toString())
        : fromBinary(ListCountriesResponseSchema, plain);
    expect([countries.length, countries[99].name]).toEqual([100, "Country 99"]);
    expect(encodings - before).toBeLessThanOrEqual(2);
  });

  test("over HTTP/2", async () => {
    const headers = { ":method": "POST", ":path": LOOKUP, "content-type": "application/json" };
    const { status, body } = await sendHttp2(server.url, headers, '{"ip_address":"x"}');
    expect([status, JSON.parse(body).ip]).toEqual([200, "x"]);
  });
});

describe("serves or rejects", () => {
  test("a compressed request", async () => {
    const body = new Uint8Array(gzipSync('{"ip_address":"x"}'));
    const { status, json } = await post(LOOKUP, body, { "content-encoding": "gzip" });
    expect([status, json]).toMatchObject([200, { ip: "x" }]);
  });

  test("an unknown encoding", async () => {
    const { status, json } = await post(LOOKUP, "{}", { "content-encoding": "zip" });
    expect([status, json]).toMatchObject([501, { code: "unimplemented" }]);
  });

  test("GET", async () => {
    const message = encodeURIComponent('{"ip_address":"x"}');
    const { status, json } = await send(`${server.url}${LOOKUP}?encoding=json&message=${message}`);
    expect([status, json]).toMatchObject([200, { ip: "x" }]);
  });

  test.each([
    ["PUT", "application/json", 405],
    ["POST", "text/plain", 415],
    ["POST", "application/connect+json", 415],
  ])("%s with %s", async (method, type, status) => {
    const url = `${server.url}${LOOKUP}`;
    expect((await send(url, { method, headers: { "content-type": type }, body: "{}" })).status).toBe(status);
  });
});

describe("a timeout", () => {
  const LATE = {
    code: "deadline_exceeded",
    message: "the deadline of the call has expired",
  };

  test("ends a call whose handler never returns", async () => {
    // On a busy machine, a shorter timeout expires before the handler is called.
    const { status, json } = await post(LOOKUP, '{"ip_address":"never"}', { "connect-timeout-ms": "500" });
    expect([status, json]).toEqual([504, LATE]);
    expect(await ended).toMatchObject({ code: Code.DeadlineExceeded });
  });

  test("ends a call whose request is never complete", async () => {
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    socket.write(
      `POST ${LOOKUP} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 20\r\nConnect-Timeout-Ms: 20\r\n\r\n{`,
    );
    const [response] = await once(socket, "data");
    expect(String(response)).toMatch(/^HTTP\/1\.1 504 [\s\S]*deadline_exceeded/);
    socket.destroy();
  });

  test("does not end a call before it expires", async () => {
    const { status } = await post(LOOKUP, '{"ip_address":"x"}', { "connect-timeout-ms": "9999999999" });
    expect(status).toBe(200);
  });
});

describe("a client that disconnects", () => {
  test("ends the call over HTTP/1.1", async () => {
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    const body = '{"ip_address":"never"}';
    const before = ended;
    socket.write(
      `POST ${LOOKUP} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    while (ended === before) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    socket.destroy();
    expect(await ended).toMatchObject({ code: Code.Canceled });
  });

  test("ends the call over HTTP/2", async () => {
    const session = connectHttp2(server.url);
    const before = ended;
    const stream = session.request({
      ":method": "POST",
      ":path": LOOKUP,
      "content-type": "application/json",
    });
    stream.on("error", () => {});
    stream.end('{"ip_address":"never"}');
    while (ended === before) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    stream.close(8);
    expect(await ended).toMatchObject({ code: Code.Canceled });
    session.close();
  });

  test("within a body does not cause a bug report", async () => {
    const head = `POST ${LOOKUP} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{`;
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    socket.end(head);
    await once(socket.resume(), "close");
  });
});

test("two requests in one packet get two responses", async () => {
  const body = '{"ip_address":"x"}';
  const request = (connection: string) =>
    `POST ${LOOKUP} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: ${connection}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const { status, body: rest } = await sendRaw(server.port, request("keep-alive") + request("close"));
  expect([status, rest.match(/"ip":"x"/g)?.length]).toEqual([200, 2]);
});
