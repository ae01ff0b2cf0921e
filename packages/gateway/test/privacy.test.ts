import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { TLS } from "connect-transcoding-testing/files.js";
import { expect, onTestFinished, test } from "vitest";
import { call, frameOf, gatewayToRaw, respond, startRawGateway } from "./support/raw.js";
import { gatewayTo, startUpstream } from "./support/upstream.js";

const BODY = frameOf("\x0a\x01a");

/** What clients see of an upstream that fails: errors in REST, gRPC and Connect, and the pages. */
async function responsesOf(url: string): Promise<string> {
  const { head } = await call(url, "CreateBook", BODY);
  const pages = [
    "/v1/shelves/1/books/2",
    "/test.Service/GetBook?encoding=json&message={}",
    "/healthz",
    "/readyz",
    "/metrics",
  ];
  const bodies = pages.map(async (path) => {
    const response = await fetch(url + path);
    return [...response.headers, await response.text()].join("\n");
  });
  return [JSON.stringify(head), ...(await Promise.all(bodies))].join("\n");
}

test("the address of an upstream that is down is in the log alone", async () => {
  const upstream = await startUpstream({ getBook: ({ name }) => ({ name }) });
  const gateway = await gatewayTo(upstream, { upstreamWait: 0 });
  await upstream.kill();
  const seen = await responsesOf(gateway.url);
  expect(seen).toContain("the upstream server cannot be reached");
  expect(seen).toContain("1 of 1 upstream servers are not ready");
  expect(seen).not.toMatch(new RegExp(`127\\.0\\.0\\.1|:${upstream.port}|ECONNREFUSED|\\.js:`));
  expect(gateway.lines).toContain(
    `cannot connect to ${upstream.url}: connect ECONNREFUSED 127.0.0.1:${upstream.port}`,
  );
  expect(gateway.lines.filter((line) => line.startsWith("cannot connect"))).toHaveLength(1);
});

test("why TLS to an upstream fails is in the log alone", async () => {
  const [cert, key] = ["first-cert.pem", "first-key.pem"].map((name) => readFileSync(join(TLS, name)));
  const server = createTlsServer({ cert, key, ALPNProtocols: ["h2"] });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { url, lines } = await startRawGateway(() => {}, {
    upstreams: [{ prefix: "", url: `https://localhost:${port}` }],
    upstreamWait: 0,
  });
  const seen = await responsesOf(url);
  expect(seen).toContain("the upstream server cannot be reached");
  expect(seen).not.toMatch(new RegExp(`localhost:${port}|certificate|self.signed`));
  expect(lines.join("\n")).toMatch(new RegExp(`cannot connect to https://localhost:${port}: .*certificate`));
});

test("headers that name the software or addresses of an upstream do not reach clients", async () => {
  const internal = {
    server: "upstream/1.2.3",
    via: "1.1 inner.example",
    "x-powered-by": "upstream",
    "alt-svc": 'h2="inner.example:443"',
    "x-envoy-decorator-operation": "shelf.default.svc.cluster.local:8080/*",
  };
  const url = await gatewayToRaw((stream) => {
    stream.resume();
    respond(
      stream,
      BODY,
      { "grpc-status": "0", ...internal, "x-trailer": "a" },
      { ...internal, "x-header": "a" },
    );
  });
  const { head, trailers } = await call(url, "CreateBook", BODY);
  const rest = await fetch(`${url}/v1/shelves/1/books/2`);
  const seen = JSON.stringify([head, trailers, ...rest.headers]);
  expect(seen).not.toMatch(/upstream|inner|cluster/);
  expect([head["x-header"], trailers["x-trailer"], rest.headers.get("x-header")]).toEqual(["a", "a", "a"]);
});

// tyk #2199, chproxy #93, oathkeeper #1100
test("the headers of CORS are those of the gateway", async () => {
  const cors = { "access-control-allow-origin": "*", "access-control-allow-credentials": "true" };
  const url = await gatewayToRaw(
    (stream) => {
      stream.resume();
      respond(stream, BODY, { "grpc-status": "0", ...cors }, cors);
    },
    { corsOrigins: ["https://a.example"] },
  );
  const type = { "content-type": "application/grpc-web+proto" };
  const found = ["https://a.example", "https://b.example"].flatMap((origin) =>
    [
      fetch(`${url}/v1/shelves/1/books/2`, { headers: { origin } }),
      fetch(`${url}/test.Service/GetBook`, {
        method: "POST",
        headers: { origin, ...type },
        body: frameOf(""),
      }),
    ].map(async (response) => Object.keys(cors).map(async (name) => (await response).headers.get(name))),
  );
  const values = await Promise.all(found.map(async (names) => Promise.all(await names)));
  expect(values).toEqual([
    ["https://a.example", null],
    ["https://a.example", null],
    [null, null],
    [null, null],
  ]);
});
