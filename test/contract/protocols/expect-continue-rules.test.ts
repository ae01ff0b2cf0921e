import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { digestOf } from "connect-transcoding-operations/access/api-keys";
import { requireApiKey } from "connect-transcoding-operations/access/require-api-key";
import { expect, test } from "vitest";
import { ACCESS_NAMES } from "../../../src/service/access-names.js";
import { useServer } from "../support/serve.js";

// Hooks run before the server requests the body with 100 Continue (RFC 9110, section 10.1.1).

const checkKey = requireApiKey({
  keys: () => new Map([[digestOf("ut_a"), { name: "a" }]]),
  realm: ACCESS_NAMES.realm,
  openPages: ACCESS_NAMES.openPages,
  openAreas: [],
});
const server = useServer({
  onRequest: async (request) => {
    checkKey(request);
    await setImmediate();
  },
});

const CALL = "/utilitytools.v1.GeoIpService/LookupIp";
const BODY = '{"ip_address":"8.8.8.8"}';

/** Returns everything received until the connection ends. The body is sent after 100 Continue only. */
function say(path: string, headers: readonly string[], length = BODY.length): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    let heard = "";
    socket.on("data", (chunk) => {
      const wasAsked = heard.includes("\r\n\r\n");
      heard += chunk.toString("latin1");
      if (!wasAsked && heard.startsWith("HTTP/1.1 100 Continue\r\n\r\n")) {
        socket.write(BODY);
      }
    });
    socket.once("error", reject);
    socket.once("close", () => resolve(heard));
    const lines = [`POST ${path} HTTP/1.1`, "Host: a", `Content-Length: ${length}`, ...headers];
    socket.write(`${lines.join("\r\n")}\r\nExpect: 100-continue\r\n\r\n`);
  });
}

const JSON_TYPE = "Content-Type: application/json";
const KEY = "X-API-Key: ut_a";

test.each([
  // Batches have another parameter name.
  ["REST", "/v1/geoIp:batch", [JSON_TYPE], 400],
  ["Connect", CALL, [JSON_TYPE], 200],
  ["Connect with a charset", CALL, ["Content-Type: application/json;charset=utf-8"], 200],
])("%s sends 100 Continue once", async (_, path, headers, status) => {
  const heard = await say(path, [KEY, ...headers, "Connection: close"]);
  expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 100", `HTTP/1.1 ${status}`]);
});

test.each([
  ["without a key", "/v1/geoIp:batch", [JSON_TYPE], 401],
  ["without a key, over Connect", CALL, [JSON_TYPE], 401],
  ["without a key, over gRPC-Web", CALL, ["Content-Type: application/grpc-web"], 200],
  ["for an unknown path", "/v1/nothing", [KEY], 404],
])(
  "a request %s is rejected without its body, and the connection is closed",
  async (_, path, headers, status) => {
    const heard = await say(path, headers);
    expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    expect(heard).toMatch(/^connection: close\r$/im);
  },
);

test.each([
  ["REST", "/v1/otp", 413],
  ["Connect", CALL, 429],
])("%s rejects a body that is too long before it is sent", async (_, path, status) => {
  const heard = await say(path, [KEY, JSON_TYPE], 100_000);
  expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
});

test.each([
  ["requested", BODY.length, [100, 200]],
  ["rejected", 100_000, [429]],
])("over HTTP/2, a body is %s as well", async (_, length, expected) => {
  const session = connectHttp2(server.url);
  const stream = session.request({
    ":method": "POST",
    ":path": CALL,
    "content-type": "application/json",
    "content-length": length,
    "x-api-key": "ut_a",
    expect: "100-continue",
  });
  const statuses: number[] = [];
  stream.on("headers", (headers) => {
    statuses.push(Number(headers[":status"]));
    stream.end(BODY);
  });
  stream.on("response", (headers) => statuses.push(Number(headers[":status"])));
  stream.resume();
  await once(stream, "end");
  session.destroy();
  expect(statuses).toEqual(expected);
});
