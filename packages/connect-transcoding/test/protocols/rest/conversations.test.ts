import { once } from "node:events";
import { createInterface } from "node:readline";
import { ruleOf } from "connect-transcoding-testing/define-service.js";
import { shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test } from "vitest";
import { readResponse, STACKS, send } from "../../support/http-clients.js";

const isHttp2 = ([name]: (typeof STACKS)[number]) => /2$/.test(name);
const PATH = "/v1/books:exchange";
const OPTIONS = {
  routes: shelfRoutes(),
  transcoding: { rules: [{ selector: "test.Service.ExchangeBooks", ...ruleOf(`POST ${PATH}`), body: "*" }] },
};
const NDJSON = { "content-type": "application/x-ndjson" };

describe.each(STACKS.filter(isHttp2))("streams in both directions on %s", (_, useServer, begin) => {
  const server = useServer(OPTIONS);

  test("are lines of JSON that go back and forth", async () => {
    const { body, response } = begin(server.url, "POST", PATH, NDJSON);
    body.write('{"name":"a"}\n');
    const { status, headers, body: received } = await response;
    expect([status, headers["content-type"]]).toEqual([200, "application/x-ndjson"]);
    const lines = createInterface(received);
    const next = async () => JSON.parse((await once(lines, "line"))[0]).name;
    expect(await next()).toBe("a");
    for (const name of ["b", "c", "d"]) {
      const answer = next();
      body.write(`{"name":"${name}"}\n`);
      expect(await answer).toBe(name);
    }
    const end = once(lines, "close");
    body.end();
    await end;
  });

  test("end with a line for an error", async () => {
    const { text } = await send(
      begin,
      server.url,
      `POST ${PATH}`,
      NDJSON,
      '{"name":"a"}\n{"name":"plain"}\n',
    );
    const [first, last] = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([first.name, last.error.status]).toEqual(["a", "UNAVAILABLE"]);
  });

  test("reject a message that is invalid", async () => {
    const { status, text } = await send(begin, server.url, `POST ${PATH}`, NDJSON, '{"nope":1}\n');
    expect([status, JSON.parse(text).error.details[0].fieldViolations[0].field]).toEqual([
      400,
      "messages[0].nope",
    ]);
  });

  test("can be an array, when the client prefers it", async () => {
    const { body, response } = begin(server.url, "POST", PATH, { ...NDJSON, accept: "application/json" });
    body.end('{"name":"a"}\n{"name":"b"}\n');
    const { text } = await readResponse(response);
    expect(JSON.parse(text).map(({ name }: { name: string }) => name)).toEqual(["a", "b"]);
  });
});

describe.each(STACKS.filter((stack) => !isHttp2(stack)))("on %s", (_, useServer, begin) => {
  const server = useServer(OPTIONS);

  test("they are refused", async () => {
    const { status, text } = await send(begin, server.url, `POST ${PATH}`, NDJSON, "{}\n");
    expect([status, JSON.parse(text).error.message]).toEqual([
      505,
      "this method has streams in both directions; call it over HTTP/2",
    ]);
  });
});
