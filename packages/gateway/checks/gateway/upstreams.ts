import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:http2";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { createRestTransport } from "connect-transcoding/client";
import { check, checkEqual, conclude } from "connect-transcoding-testing/checks.mjs";
import { build } from "vite";
import { type Abilities, callAll, expectedResults } from "./calls.js";
import { MIRROR, startGateway, UPSTREAMS } from "./programs.js";

const { descriptors } = MIRROR;
const DESCRIPTORS = readFileSync(descriptors);
const ALL: Abilities = { requestStreams: true, trailers: true };
/** Browsers send no streams. */
const WEB: Abilities = { ...ALL, requestStreams: false };
const REST: Abilities = { requestStreams: false, trailers: false };

const PROTOCOLS: readonly (readonly [string, (baseUrl: string) => Transport, Abilities])[] = [
  ["REST", (baseUrl) => createRestTransport({ baseUrl }), REST],
  ["Connect over HTTP/1.1", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" }), WEB],
  ["Connect over HTTP/2", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" }), ALL],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" }), ALL],
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl }), ALL],
];

function checkResults(what: string, found: JsonObject, able: Abilities): void {
  for (const [name, expected] of Object.entries(expectedResults(able))) {
    checkEqual(`${what}: ${name}`, found[name], expected);
  }
}

/** Sends a message of a stream in both directions over REST after the response to the one before. Resolves to the lines. */
async function converse(url: string): Promise<string[]> {
  const session = connect(url);
  const head = { ":method": "POST", ":path": "/v1/items:exchange", "content-type": "application/x-ndjson" };
  const stream = session.request(head);
  stream.setEncoding("utf8");
  const lines: string[] = [];
  for (const name of ["a", "b"]) {
    stream.write(`{"name":"${name}"}\n`);
    const [line] = await once(stream, "data");
    lines.push(JSON.parse(line).name);
  }
  stream.end();
  await once(stream.resume(), "close");
  session.close();
  return lines;
}

/** How long an upstream is down before it starts again, in milliseconds. */
const OUTAGE = 2_000;

/** Calls an idempotent method at a constant rate while the upstream restarts. */
async function checkRestart(language: keyof typeof UPSTREAMS): Promise<void> {
  const first = await UPSTREAMS[language](descriptors);
  const { port } = first;
  // On a busy machine, a program takes longer to start than calls wait by default.
  const gateway = await startGateway(port, "--descriptor", descriptors, "--upstream-wait", "60");
  const url = `http://127.0.0.1:${gateway.port}`;
  const answers: Promise<string>[] = [];
  const call = async (index: number): Promise<string> => {
    try {
      const response = await fetch(`${url}/v1/shelves/1/items/${index}`);
      const { name } = (await response.json()) as { name?: string };
      return name === `shelves/1/items/${index}` ? "right" : `HTTP ${response.status}`;
    } catch (error) {
      return String(error);
    }
  };
  const load = setInterval(() => answers.push(call(answers.length)), 10);
  await wait(1_000);
  await first.stop();
  const stopped = performance.now();
  await wait(OUTAGE);
  const second = await UPSTREAMS[language](descriptors, port);
  const down = Math.round(performance.now() - stopped);
  await wait(2_000);
  clearInterval(load);
  const results = await Promise.all(answers);
  const lost = results.filter((each) => each !== "right");
  const what = `${language}: a restart of ${down} ms under ${results.length} calls loses none`;
  check(what, lost.length === 0, `${lost.length}: ${lost[0]}`);
  await gateway.stop();
  await second.stop();
}

/** Calls the gateway from a page, with the clients of Connect for browsers. */
async function checkBrowser(language: string, baseUrl: string): Promise<void> {
  const { chromium } = createRequire(import.meta.url)("playwright-core");
  const lib = { entry: join(import.meta.dirname, "browser.ts"), formats: ["iife" as const], name: "mirror" };
  const built = await build({
    configFile: false,
    logLevel: "warn",
    resolve: { conditions: ["utility-tools-source", "browser"] },
    build: { write: false, lib },
  });
  const [output] = Array.isArray(built) ? built : [built];
  const script = output !== undefined && "output" in output ? output.output[0].code : "";
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell" });
  try {
    const context = await browser.newContext({ bypassCSP: true });
    const otherOrigin = baseUrl.replace("127.0.0.1", "localhost");
    for (const [protocol, able, origin] of [
      ["gRPC-Web", WEB, baseUrl],
      ["Connect", WEB, baseUrl],
      ["REST", REST, baseUrl],
      ["gRPC-Web", WEB, otherOrigin],
      ["REST", REST, otherOrigin],
    ] as const) {
      const page = await context.newPage();
      await page.goto(`${origin}/healthz`);
      await page.evaluate(script);
      const call = JSON.stringify([protocol, baseUrl, DESCRIPTORS.toString("base64"), able]);
      const found: JsonObject = await page.evaluate(`callFromPage(...${call})`);
      const where = `Chromium${origin === baseUrl ? "" : ", another origin"}`;
      checkResults(`${language}, ${where}, ${protocol}`, found, able);
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

for (const language of ["Go", "Python", "Java"] as const) {
  const upstream = await UPSTREAMS[language](descriptors);
  // Of each upstream, the gateway gets the descriptors by reflection.
  const gateway = await startGateway(upstream.port, "--cors-origin", "*");
  const baseUrl = `http://127.0.0.1:${gateway.port}`;
  for (const [protocol, transportTo, able] of PROTOCOLS) {
    checkResults(`${language}, ${protocol}`, await callAll(transportTo(baseUrl), DESCRIPTORS, able), able);
  }
  checkEqual(`${language}, REST: a stream in both directions`, await converse(baseUrl), ["a", "b"]);
  await checkBrowser(language, baseUrl);
  await gateway.stop();
  await upstream.stop();
  await checkRestart(language);
}
conclude();
