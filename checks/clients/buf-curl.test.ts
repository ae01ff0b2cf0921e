import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { createConnectTransport } from "@connectrpc/connect-node";
import { digestOf, makeApiKey, requireApiKey } from "connect-transcoding-operations/access/api-keys";
import { describe, expect, test } from "vitest";
import { ACCESS_NAMES } from "../../src/service/access-names.js";
import { bufCurlSnippet } from "../../src/workbench/snippet/snippets.js";
import { useServer } from "../../test/contract/serve.js";
import {
  EXAMPLES,
  NASTY_REQUESTS,
  type SampleRequest,
} from "../../test/workbench/snippet/sample-requests.js";

// Calls the service with `buf curl`, by the commands of the documents and of the web page.

const ROOT = join(import.meta.dirname, "..", "..");
const BIN = join(ROOT, "checks", "lib", "buf", "node_modules", ".bin");
const made = makeApiKey("paste", (size) => new Uint8Array(size).fill(7));
const KEY = made.ok ? made.value.key : "";
const keys = [{ name: "paste", digest: digestOf(KEY) }];
const server = useServer();
const closed = useServer({ onRequest: requireApiKey({ keys: () => keys, ...ACCESS_NAMES, openAreas: [] }) });

/** Runs a command line in a shell. Returns what it prints, and whether it fails. */
async function paste(commandLine: string, variables: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, PATH: `${BIN}${delimiter}${process.env.PATH}`, ...variables };
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
  const commandsIn = (file: string) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(/^npx @bufbuild\/(buf curl (?:.*\\\n)*.*)$/gm)].map(
      ([, command = ""]) => [file, command] as const,
    );
  const commands = ["README.md", "docs/reference/access.md"].flatMap(commandsIn);

  test("are found", () => expect(commands).toHaveLength(2));
  test.each(commands)("%s: %s", async (_file, command) => {
    const { ok, text } = await paste(command.replaceAll("http://127.0.0.1:8080", closed.url), { KEY });
    if (command.includes("$KEY")) {
      expect([ok, JSON.parse(text)]).toEqual([true, expect.objectContaining({ ip: "8.8.8.8" })]);
    } else {
      expect(await paste(command.replaceAll("http://127.0.0.1:8080", server.url))).toEqual({
        ok: true,
        text: expect.stringMatching(/^\{\s*"email": ?"x@example\.org"\s*\}\s*$/),
      });
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
