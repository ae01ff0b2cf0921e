import { connect } from "node:http2";
import { callStream, framed } from "connect-transcoding-testing/grpc-stream.js";
import { describe, expect, test } from "vitest";
import { send } from "../support/clients.js";
import { GRPC_WEB_TEXT, useConnectNode } from "../support/connect-node.js";
import { PROTOCOL_CASES } from "../support/every-protocol.js";
import { useServer } from "../support/serve.js";

// The tools on connect-node, with the engine as its fallback. `test/contract/tools/spec.test.ts` compares the responses with those of our
// server. This file has every protocol, and the differences that are known.

const ours = useServer();
const connectNode = useConnectNode("");

test.each(PROTOCOL_CASES.filter(({ protocol }) => protocol !== "page"))("serves $name", async (each) => {
  const { code } = await each.ask(connectNode.url, {});
  // connect-node responds with status 415.
  expect(code).toBe(GRPC_WEB_TEXT.test(each.name) ? "UNKNOWN" : "OK");
});

const PATH = "/utilitytools.v1.GeoIpService/LookupIp";

/** What a server sends. Objects are compared by the members that a row has. */
type Ask = (url: string) => Promise<object>;

const post =
  (type: string, body: string): Ask =>
  async (url) => {
    const headers = { "content-type": type };
    const response = await send(url + PATH, { method: "POST", headers, body });
    return { ...response, headers: Object.fromEntries(response.headers) };
  };

const grpc =
  (message: Uint8Array): Ask =>
  async (url) => {
    const session = connect(url);
    const { headers, trailers } = await callStream(session, PATH, [framed(message)]);
    session.close();
    return { hasTrailers: trailers !== undefined, ...headers, ...trailers };
  };

const connectJson = (body: string): Ask => post("application/json", body);
const reason = (domain: string) => ({
  details: expect.arrayContaining([
    expect.objectContaining({ debug: expect.objectContaining({ reason: "INVALID_PARAMETERS", domain }) }),
  ]),
});

describe("differs from our server in", () => {
  test.each<[name: string, ask: Ask, ours: object, connectNode: object]>([
    [
      "unknown fields of JSON over Connect, which it ignores",
      connectJson('{"ip_address":"8.8.8.8","nope":1}'),
      { status: 400, json: { code: "invalid_argument" } },
      { status: 200, json: { ip: "8.8.8.8" } },
    ],
    [
      "the code of a malformed binary message",
      post("application/proto", "\xff"),
      { status: 400, json: { code: "invalid_argument" } },
      { status: 500, json: { code: "internal" } },
    ],
    [
      "the code of the same over gRPC",
      grpc(new Uint8Array([0xff])),
      { "grpc-status": "3" },
      { "grpc-status": "13" },
    ],
    [
      "the domain of a reason, which it leaves empty",
      connectJson("{}"),
      { status: 400, json: reason("utilitytools") },
      { status: 400, json: reason("") },
    ],
    [
      "the text of an error of the protocol",
      connectJson(JSON.stringify({ ip_address: "x".repeat(70_000) })),
      { status: 429, json: { message: "the message is too large; allowed: 65536 bytes" } },
      { status: 429, json: { message: "message size 70017 is larger than configured readMaxBytes 65536" } },
    ],
    [
      "an error of gRPC, which has a header block of its own, and more of its text percent-encoded",
      grpc(new Uint8Array()),
      { hasTrailers: false, "grpc-message": "ip_address: is required: an IPv4 or IPv6 address" },
      {
        hasTrailers: true,
        "grpc-message": "ip_address%3A%20is%20required%3A%20an%20IPv4%20or%20IPv6%20address",
      },
    ],
    [
      "the headers of responses",
      connectJson('{"ip_address":"8.8.8.8"}'),
      { status: 200, headers: { "x-content-type-options": "nosniff" } },
      { status: 200, headers: expect.not.objectContaining({ "x-content-type-options": "nosniff" }) },
    ],
    [
      "the headers of status 415, which do not list the types",
      post("text/plain", "x"),
      { status: 415, headers: { "accept-post": expect.stringContaining("application/grpc") } },
      { status: 415, headers: expect.not.objectContaining({ "accept-post": expect.anything() }) },
    ],
  ])("%s", async (_name, ask, expectedOfOurs, expectedOfConnectNode) => {
    expect(await ask(ours.url)).toMatchObject(expectedOfOurs);
    expect(await ask(connectNode.url)).toMatchObject(expectedOfConnectNode);
  });
});

test("no bugs are reported", () => {
  expect(ours.bugs).toEqual([]);
});
