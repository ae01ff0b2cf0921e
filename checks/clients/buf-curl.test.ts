import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { createConnectTransport } from "@connectrpc/connect-node";
import { digestOf, makeApiKey } from "connect-transcoding-operations/access/api-keys";
import { requireApiKey } from "connect-transcoding-operations/access/require-api-key";
import { BUF_BIN } from "connect-transcoding-testing/buf.mjs";
import { describe, expect, test } from "vitest";
import { ACCESS_NAMES } from "../../src/service/access-names.js";
import { bufCurlSnippet } from "../../src/workbench/snippet/snippets.js";
import { useServer } from "../../test/contract/support/serve.js";
import {
  EXAMPLES,
  NASTY_REQUESTS,
  type SampleRequest,
} from "../../test/workbench/snippet/sample-requests.js";

// Calls the service with `buf curl`, by the commands of the documents and of the web page.

const ROOT = join(import.meta.dirname, "..", "..");
const made = makeApiKey("paste", (size) => new Uint8Array(size).fill(7));
const KEY = made.ok ? made.value.key : "";
const keys = new Map([[digestOf(KEY), { name: "paste" }]]);
const server = useServer();
const closed = useServer({
  onRequest: requireApiKey({ keys: () => keys, realm: ACCESS_NAMES.realm, openAreas: [] }),
});

/** Runs a command line in a shell. Returns what it prints, and whether it fails. */
async function paste(commandLine: string, variables: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, PATH: `${BUF_BIN}${delimiter}${process.env.PATH}`, ...variables };
  try {
    const { stdout } = await promisify(execFile)("bash", ["-c", commandLine], { cwd: ROOT, env });
    return { ok: true, text: stdout };
  } catch (error) {
    return { ok: false, text: (error as { stderr: string }).stderr };
  }
}

const H2C = "--http2-prior-knowledge";
const URL_OF = "/utilitytools.v1.GeoIpService/LookupIp";

test.each([
  ["gRPC, schema by reflection", `--protocol grpc ${H2C}`],
  ["gRPC, schema from the files", `--protocol grpc ${H2C} --schema proto`],
  ["gRPC-Web, schema by reflection", `--protocol grpcweb ${H2C}`],
  ["gRPC-Web over HTTP/1.1", "--protocol grpcweb --schema proto"],
  ["Connect over HTTP/1.1", "--protocol connect --schema proto"],
  ["Connect, schema by reflection", `--protocol connect ${H2C}`],
])("%s", async (_name, options) => {
  const { ok, text } = await paste(
    `buf curl ${options} ${server.url}${URL_OF} -d '{"ip_address":"8.8.8.8"}'`,
  );
  expect([ok, JSON.parse(text)]).toEqual([
    true,
    { ip: "8.8.8.8", metadata: expect.objectContaining({ asn: 15169, subnet: "8.8.8.0/24" }) },
  ]);
});

test("an error has its details", async () => {
  const command = `buf curl --protocol grpc ${H2C} ${server.url}${URL_OF} -d '{"ip_address":"10.0.0.1"}'`;
  const { ok, text } = await paste(command);
  expect([ok, JSON.parse(text)]).toEqual([
    false,
    {
      code: "not_found",
      message: expect.stringContaining("Private-Use"),
      details: [expect.objectContaining({ type: "google.rpc.ErrorInfo" })],
    },
  ]);
});

describe("the commands of documents", () => {
  const tools = readdirSync(join(ROOT, "docs/tools")).map((name) => `docs/tools/${name}`);
  const commands = ["docs/reference/access.md", ...tools].flatMap((file) =>
    [
      ...readFileSync(join(ROOT, file), "utf8").matchAll(
        /^npx (?:--yes )?@bufbuild\/(buf curl (?:.*\\\n)*.*)$(?:\n```\n\n```json\n([\s\S]*?)^```)?/gm,
      ),
    ].map(([, command = "", output]) => ({ file, command, output })),
  );

  test("are found in each file", () =>
    expect(new Set(commands.map(({ file }) => file)).size).toBe(tools.length + 1));

  test.each(commands)("$file: $command", async ({ command, output }) => {
    const { url } = command.includes("$KEY") ? closed : server;
    const { ok, text } = await paste(command.replaceAll("http://127.0.0.1:8080", url), { KEY });
    expect(ok, text).toBe(true);
    expect(JSON.parse(text)).toEqual(output === undefined ? expect.any(Object) : JSON.parse(output));
    if (command.includes("$KEY")) {
      expect((await paste(command.replaceAll("http://127.0.0.1:8080", url), { KEY: "wrong" })).ok).toBe(
        false,
      );
    }
  });
});

describe("the commands of the web page", () => {
  const request = ({ method, message }: SampleRequest) => ({
    method,
    message,
    baseUrl: server.url,
    needsKey: false,
  });
  // buf is slow to start: run only the requests with special features.
  const samples = [
    ...EXAMPLES.slice(0, 1),
    ...NASTY_REQUESTS.filter(({ name }) => /nasty|IPv6|controls/.test(name)),
  ];
  test.each(samples)("$name", async (sample) => {
    const { text } = await paste(bufCurlSnippet(request(sample)));
    const transport = createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" });
    const { message } = await transport.unary(sample.method, undefined, 5000, undefined, sample.message);
    // buf omits fields with default values.
    expect(JSON.parse(text) as JsonValue).toEqual(toJson(sample.method.output, message));
  });

  test("read an API key from the environment", async () => {
    const sample = EXAMPLES.find(({ method }) => method.name === "LookupIp");
    if (sample === undefined) {
      throw new Error("there is no example of LookupIp");
    }
    const snippet = bufCurlSnippet({ ...request(sample), baseUrl: closed.url, needsKey: true });
    expect(snippet).not.toContain(KEY);
    const { text } = await paste(snippet, { UTILITY_TOOLS_API_KEY: KEY });
    expect(JSON.parse(text)).toMatchObject({ ip: "8.8.8.8" });
    // Without the key, reflection fails as well.
    const wrong = await paste(snippet, { UTILITY_TOOLS_API_KEY: "wrong" });
    expect([wrong.ok, wrong.text]).toEqual([false, expect.stringMatching(/API key|failed to find service/)]);
  });
});
