import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test } from "vitest";
import { mcpPage } from "../../src/mcp/index.js";
import { useOnePort } from "../support/servers.js";

const server = useOnePort({
  routes: shelfRoutes(),
  transcoding: {
    checkHost: true,
    pages: new Map([
      [
        "/mcp",
        mcpPage({
          info: { name: "library", version: "1.0.0" },
          maxRequestBytes: 100_000,
          origins: ["https://chat.example"],
        }),
      ],
    ]),
  },
});

const JSON_TYPE = { "content-type": "application/json" };
const ARGUMENTS = { name: "shelves/1/books/2" };

function request(method: string, params: unknown = {}, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** Posts a body. Returns the status, and the code and the message of an error. */
async function post(body: string | Uint8Array, headers: Record<string, string> = {}, method = "POST") {
  const response = await fetch(`${server.url}/mcp`, { method, headers: { ...JSON_TYPE, ...headers }, body });
  const answer = (await response.text()) || "{}";
  const { error, result } = JSON.parse(answer);
  return [response.status, error?.code ?? (result === undefined ? undefined : "result"), error?.message];
}

const call = (args: string) =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"service_get_book","arguments":${args}}}`;
const LIST = request("tools/list");
const TOO_LARGE = [400, -32_602, "the message has more than 10000 values or 64 levels"];
const UNKNOWN_VERSION =
  "unknown protocol version; allowed: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07";
const OK = [200, "result", undefined];
const ACCEPTED = [202, undefined, undefined];
const NO_JSON = [400, -32_700, "the message is not JSON"];
const NO_OBJECT = [400, -32_600, "the message must be one object; batches are not supported"];
const NO_MESSAGE = [400, -32_600, expect.stringContaining("not a valid JSON-RPC message")];
const NO_METHOD = [200, -32_601, "Method not found"];
const TOO_LONG = [413, -32_000, expect.stringMatching(/^RESOURCE_EXHAUSTED/)];
const FOREIGN = [403, -32_000, "pages of this origin may not call this server"];
const INITIALIZE =
  "initialize needs the params protocolVersion, capabilities and clientInfo (with name and version)";
const zeros = (length: number): number[] => Array.from({ length }, () => 0);
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const notification = (method: string, params = "{}") =>
  `{"jsonrpc":"2.0","method":"notifications/${method}","params":${params}}`;

describe("requests that are not valid", () => {
  test.each<[name: string, body: string, expected: unknown[]]>([
    ["no JSON", "{", NO_JSON],
    ["nothing", "", NO_JSON],
    ["null", "null", NO_OBJECT],
    ["a batch", `[${`${LIST},`.repeat(1000)}${LIST}]`, NO_OBJECT],
    [
      "a duplicate member",
      call('{"name":"x","name":"y"}'),
      [400, -32_700, "the message: a JSON object has the member 'name' twice"],
    ],
    ["half of a surrogate pair", call('{"name":"\\ud800"}'), OK],
    ["another object", "{}", NO_MESSAGE],
    ["an ID that is an object", request("tools/list", {}, {}), NO_MESSAGE],
    ["the ID 1.5", LIST.replace(":1,", ":1.5,"), NO_MESSAGE],
    ["the ID 9007199254740993", LIST.replace(":1,", ":9007199254740993,"), NO_MESSAGE],
    ["the ID true", LIST.replace(":1,", ":true,"), NO_MESSAGE],
    ["the ID null", LIST.replace(":1,", ":null,"), NO_MESSAGE],
    ["a long ID", request("ping", {}, "x".repeat(10_000)), OK],
    ["a notification with an ID", request("notifications/initialized"), NO_METHOD],
    ["a notification", notification("initialized"), ACCEPTED],
    ["one that cancels an object", notification("cancelled", '{"requestId":{"toString":1}}'), ACCEPTED],
    ["one that cancels a bigint", notification("cancelled", '{"requestId":9007199254740993}'), ACCEPTED],
    ["one that cancels null", notification("cancelled", '{"requestId":null}'), ACCEPTED],
    ["a response", '{"jsonrpc":"2.0","id":1,"result":{}}', ACCEPTED],
    ["initialize without params", request("initialize"), [200, -32_602, INITIALIZE]],
    [
      "initialize with params of other types",
      request("initialize", { protocolVersion: 1, capabilities: {}, clientInfo: {} }),
      [200, -32_602, INITIALIZE],
    ],
    ["deep nesting", call(`{"name":${deep(20_000)}}`), TOO_LARGE],
    // Four values are the members of the message, and x is one.
    ["as many values as allowed", request("ping", { x: zeros(9_995) }), OK],
    ["a list of one value more", request("ping", { x: zeros(9_996) }), TOO_LARGE],
    ["strings with commas and brackets", request("ping", { x: `"\\[,{,`.repeat(9_000) }), OK],
    ["empty lists", request("ping", { x: zeros(9_995).map(() => []) }), OK],
    ["as many members", request("ping", { ...zeros(9_997) }), TOO_LARGE],
    ["values in many lists", request("ping", { x: zeros(100).map(() => zeros(100)) }), TOO_LARGE],
    ["a long body", call(`{"name":"${"x".repeat(100_000)}"}`), TOO_LONG],
    ["an unknown method", request("resources/list"), NO_METHOD],
    ["arguments that are a list", call("[]"), [200, -32_602, "arguments must be an object"]],
    ["a tool without a name", request("tools/call", {}), [200, -32_602, "unknown tool: undefined"]],
    [
      "a tool whose name is an object",
      request("tools/call", { name: { toString: 1 } }),
      [200, -32_602, "unknown tool: object"],
    ],
    [
      "a tool with a long name",
      request("tools/call", { name: "x".repeat(10_000) }),
      [200, -32_602, expect.stringMatching(/^unknown tool: x{1,100}…$/)],
    ],
  ])("%s", async (_, body, expected) => {
    expect(await post(body)).toEqual(expected);
  });

  const NO_TYPE = [415, -32_000, expect.stringContaining("allowed: application/json, in UTF-8")];
  const GZIP = { "content-encoding": "gzip" };
  test.each<[headers: Record<string, string>, expected: unknown[], body?: string | Uint8Array]>([
    [{ "mcp-protocol-version": "2020-01-01" }, [400, -32_000, UNKNOWN_VERSION]],
    [{ "mcp-session-id": "x" }, OK],
    [{ "content-type": "text/plain" }, NO_TYPE],
    [{ "content-type": "application/json; charset=utf-16" }, NO_TYPE],
    [{ "content-type": "" }, NO_TYPE],
    [{ "content-type": 'Application/JSON; charset="UTF-8"' }, OK],
    [GZIP, OK, gzipSync(LIST)],
    [GZIP, [400, -32_000, expect.stringContaining("gzip")]],
    [GZIP, TOO_LONG, gzipSync(" ".repeat(100_001))],
    [{ "content-encoding": "br" }, [415, -32_000, expect.stringContaining("allowed: gzip")]],
    [{ origin: "https://evil.example" }, FOREIGN],
    [{ origin: "null" }, FOREIGN],
    [{ origin: "https://chat.example" }, OK],
  ])("with the headers %j", async (headers, expected, body = LIST) => {
    expect(await post(body, headers)).toEqual(expected);
  });

  test("the origin of the server may call it", async () => {
    expect(await post(LIST, { origin: server.url })).toEqual(OK);
  });

  test("an HTTP method that is not allowed is an error of JSON-RPC", async () => {
    const response = await fetch(`${server.url}/mcp`);
    expect([response.status, await response.json()]).toEqual([
      405,
      {
        jsonrpc: "2.0",
        id: null,
        error: {
          code: -32_000,
          message: expect.stringMatching(/^UNIMPLEMENTED/),
          data: { status: "UNIMPLEMENTED", details: [expect.any(Object)] },
        },
      },
    ]);
  });
});

/** Sends bytes, and returns all that the server sends until it closes the connection. */
async function raw(...parts: string[]): Promise<string> {
  const socket = connect(server.port, "127.0.0.1");
  await once(socket, "connect");
  for (const part of parts) {
    socket.write(part);
  }
  return text(socket);
}

test.each(["name", "book"])("the argument __proto__ is an error, beside %s", async (name) => {
  const args = `{"${name}":"x","__proto__":{"name":"x"}}`;
  const response = await fetch(`${server.url}/mcp`, { method: "POST", headers: JSON_TYPE, body: call(args) });
  const { result } = (await response.json()) as { result: { isError: boolean; content: [{ text: string }] } };
  expect([result.isError, result.content[0].text]).toEqual([true, expect.stringContaining("__proto__")]);
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const HEADERS = {
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "service_get_book",
};
const MISMATCH = [400, -32_020, expect.any(String)];

test.each<[name: string, headers: Record<string, string>, meta: object, expected: unknown[]]>([
  ["nothing", {}, {}, OK],
  ["a name in base64", { "mcp-name": `=?base64?${btoa("service_get_book")}?=` }, {}, OK],
  ["no revision", { "mcp-protocol-version": "" }, {}, MISMATCH],
  ["another revision", { "mcp-protocol-version": "2025-11-25" }, {}, MISMATCH],
  ["no method", { "mcp-method": "" }, {}, MISMATCH],
  ["another method", { "mcp-method": "tools/list" }, {}, MISMATCH],
  ["no name", { "mcp-name": "" }, {}, MISMATCH],
  ["another name", { "mcp-name": "service_add_book" }, {}, MISMATCH],
  [
    "a revision that does not exist",
    { "mcp-protocol-version": "2099-01-01" },
    { "io.modelcontextprotocol/protocolVersion": "2099-01-01" },
    [400, -32_022, UNKNOWN_VERSION],
  ],
  [
    "no capabilities",
    {},
    { "io.modelcontextprotocol/clientCapabilities": undefined },
    [400, -32_602, expect.any(String)],
  ],
])("a request in revision 2026-07-28 with %s", async (_, headers, meta, expected) => {
  const params = { name: "service_get_book", arguments: ARGUMENTS, _meta: { ...META, ...meta } };
  const given = Object.entries({ ...HEADERS, ...headers }).filter(([, value]) => value !== "");
  expect(await post(request("tools/call", params), Object.fromEntries(given))).toEqual(expected);
});

test.each(["tools/collect", "subscriptions/listen", "initialize"])(
  "the method %s does not exist in revision 2026-07-28",
  async (method) => {
    const body = request(method, { _meta: META, notifications: {} });
    expect(await post(body, { ...HEADERS, "mcp-method": method })).toEqual([
      404,
      -32_601,
      "Method not found",
    ]);
  },
);

test("a notification of an unknown revision is rejected", async () => {
  const body = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  expect(await post(body, { "mcp-protocol-version": "2020-01-01" })).toEqual([400, -32_000, UNKNOWN_VERSION]);
});

test("a name of another site is not this server", async () => {
  const head = `POST /mcp HTTP/1.1\r\nhost: evil.example:${server.port}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${LIST.length}\r\n`;
  expect(await raw(`${head}\r\n${LIST}`)).toMatch(/^HTTP\/1\.1 403 [\s\S]*the host is not this server/);
  expect(await raw(`${head}origin: http://evil.example:${server.port}\r\n\r\n${LIST}`)).toMatch(
    /^HTTP\/1\.1 403 [\s\S]*pages of this origin/,
  );
});

test("a body without end is not read to its end", async () => {
  const head =
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
  const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
  expect(await raw(head, chunk, chunk, chunk)).toMatch(/^HTTP\/1\.1 413 /);
});

interface Called {
  readonly id: number;
  readonly result: { readonly structuredContent: { readonly title: string } };
}

test("calls of several clients have the same ID, and their own responses", async () => {
  const responses = await Promise.all(
    [1, 2, 3, 4, 5].map((number) =>
      fetch(`${server.url}/mcp`, {
        method: "POST",
        headers: { ...JSON_TYPE, "x-reader": `reader ${number}` },
        body: call(JSON.stringify(ARGUMENTS)),
      }).then((response) => response.json() as Promise<Called>),
    ),
  );
  expect(responses.map(({ id, result }) => [id, result.structuredContent.title])).toEqual(
    [1, 2, 3, 4, 5].map((number) => [7, `read by reader ${number}`]),
  );
});
