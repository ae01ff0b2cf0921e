import { once } from "node:events";
import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { useServer } from "./serve.js";

// Expect: 100-continue (RFC 9110, section 10.1.1): the server can reject a request before its body is sent.

const server = useServer();

const JSON_TYPE = { "content-type": "application/json" };
const EMAIL = '{"email":"A+B@example.com"}';
const WEB_TYPE = { "content-type": "application/grpc-web+proto" };
/** `GetCountryRequest` with the country FR and the gRPC prefix. */
const FRANCE = Buffer.from("00000000040a024652", "hex");

const CASES: readonly (readonly [string, string, OutgoingHttpHeaders, Buffer, boolean, number])[] = [
  ["over REST", "/v1/sanitizeEmail", JSON_TYPE, Buffer.from(EMAIL), true, 200],
  ["over Connect", "/utilitytools.v1.EmailService/SanitizeEmail", JSON_TYPE, Buffer.from(EMAIL), true, 200],
  ["over gRPC-Web", "/utilitytools.v1.CountriesService/GetCountry", WEB_TYPE, FRANCE, true, 200],
  ["for an unknown path", "/v1/none", JSON_TYPE, Buffer.from(EMAIL), false, 404],
  ["with a body that is too large", "/v1/sanitizeEmail", JSON_TYPE, Buffer.alloc(70_000, " "), false, 413],
];

test.each(CASES)("over HTTP/1.1, a request %s", async (_name, path, headers, body, isContinued, status) => {
  const agent = new Agent({ keepAlive: true });
  const outgoing = request(`${server.url}${path}`, {
    method: "POST",
    headers: { ...headers, "content-length": body.length, expect: "100-continue" },
    agent,
  });
  let wasContinued = false;
  outgoing.on("continue", () => {
    wasContinued = true;
    outgoing.end(body);
  });
  outgoing.flushHeaders();
  const [response] = await once(outgoing, "response");
  await text(response);
  expect([wasContinued, response.statusCode]).toEqual([isContinued, status]);
  // The connection cannot be reused, because a body may or may not follow.
  expect(response.headers.connection).toBe(isContinued ? "keep-alive" : "close");
  agent.destroy();
});

test.each(CASES)("over HTTP/2, a request %s", async (_name, path, headers, body, isContinued, status) => {
  const session = connect(server.url);
  const stream = session.request({
    ...headers,
    ":method": "POST",
    ":path": path,
    "content-length": body.length,
    expect: "100-continue",
  });
  let wasContinued = false;
  stream.on("continue", () => {
    wasContinued = true;
    stream.end(body);
  });
  const [answer] = await once(stream, "response");
  expect([wasContinued, answer[":status"]]).toEqual([isContinued, status]);
  session.destroy();
});

test("is ignored over HTTP/1.0", async () => {
  const head = ["POST /v1/sanitizeEmail HTTP/1.0", "Host: a", "Content-Type: application/json"]
    .concat("Expect: 100-continue", `Content-Length: ${EMAIL.length}`, "", "")
    .join("\r\n");
  const socket = connectTcp(server.port, "127.0.0.1");
  socket.write(head + EMAIL);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
});
