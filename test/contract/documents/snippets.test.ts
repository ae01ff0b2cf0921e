import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { SERVICES } from "@utility-tools/protos/services.js";
import { BarcodeFormat, ErrorCorrection } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { LookupView } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { digestOf, makeApiKey } from "connect-transcoding-operations/access/api-keys";
import { requireApiKey } from "connect-transcoding-operations/access/require-api-key";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCESS_NAMES } from "../../../src/service/access-names.js";
import { restResponse } from "../../../src/workbench/snippet/http.js";
import { pythonSnippet } from "../../../src/workbench/snippet/python.js";
import { curlSnippet, typeScriptSnippet } from "../../../src/workbench/snippet/snippets.js";
import {
  EXAMPLES,
  NASTY_REQUESTS,
  REJECTED,
  type SampleRequest,
} from "../../workbench/snippet/sample-requests.js";
import { useServer } from "../support/serve.js";

// Runs the snippets of the page in a real shell, and compares the output with the responses of a Connect client.

const server = useServer();
const made = makeApiKey("paste", (size) => new Uint8Array(size).fill(7));
const KEY = made.ok ? made.value.key : "";
const keys = new Map([[digestOf(KEY), { name: "paste" }]]);
const closed = useServer({
  onRequest: requireApiKey({ keys: () => keys, realm: ACCESS_NAMES.realm, openAreas: [] }),
});
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "utility-tools-paste-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  expect(server.bugs).toEqual([]);
});

/** LookupSelf fails here, because nothing is known of a loopback address. */
const SUCCESSFUL = [...EXAMPLES.filter(({ method }) => method.name !== "LookupSelf"), ...NASTY_REQUESTS];
const FAILING = [...EXAMPLES.filter(({ method }) => method.name === "LookupSelf"), ...REJECTED];

/** Runs a command line in a shell and returns its output. */
async function paste(commandLine: string, key = ""): Promise<string> {
  const env = { ...process.env, HOME: folder, NO_COLOR: "1", UTILITY_TOOLS_API_KEY: key };
  const { stdout } = await promisify(execFile)("bash", ["-c", commandLine], { cwd: folder, env });
  return stdout;
}

async function connectResponse({ method, message }: SampleRequest) {
  const transport = createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" });
  return (await transport.unary(method, undefined, 5000, undefined, message)).message;
}

const request = ({ method, message }: SampleRequest) => ({
  method,
  message,
  baseUrl: server.url,
  needsKey: false,
});

const isThere = async (command: string) =>
  paste(`command -v ${command}`).then(
    () => true,
    () => false,
  );
const hasCurl = await isThere("curl");
const hasPython = await isThere("python3");

/** Runs a Python program and returns its output. */
async function runPython(program: string, key = "", args: readonly string[] = []): Promise<string> {
  const env = { ...process.env, PYTHONUTF8: "1", UTILITY_TOOLS_API_KEY: key };
  const { stdout } = await promisify(execFile)("python3", ["-c", program, ...args], { cwd: folder, env });
  return stdout;
}

/** Runs each of its arguments as a program in an empty folder, and prints the results as JSON. Python itself starts slowly. */
const RUN_PROGRAMS = `
import contextlib, io, json, os, sys, tempfile
results = []
home = os.getcwd()
for program in sys.argv[1:]:
    folder = tempfile.mkdtemp(dir=home)
    os.chdir(folder)
    printed, exception = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(printed):
            exec(program, {"__name__": "__main__"})
    except Exception as caught:
        exception = str(caught)
    results.append({"folder": folder, "printed": printed.getvalue(), "exception": exception})
print(json.dumps(results))
`;

interface PythonResult {
  readonly folder: string;
  readonly printed: string;
  readonly exception: string | null;
}

describe.skipIf(!hasCurl)("curl", () => {
  test.each(SUCCESSFUL)("$name", async (sample) => {
    const snippet = curlSnippet(request(sample));
    const printed = await paste(snippet.replace(/^curl /, "curl -sS "));
    const expected = restResponse(sample.method, await connectResponse(sample));
    if (expected.kind === "bytes") {
      const file = / -o (\S+)$/.exec(snippet)?.[1] ?? "";
      expect(readFileSync(join(folder, file)).equals(expected.data)).toBe(true);
      expect(printed).toBe("");
    } else {
      expect(JSON.parse(printed)).toEqual(JSON.parse(expected.text));
      // Members have the order of the schema, as in responses over plain HTTP.
      expect(JSON.stringify(JSON.parse(printed), null, 2)).toBe(expected.text);
    }
  });

  test.each(FAILING)("$name fails with the same message", async (sample) => {
    const snippet = curlSnippet(request(sample)).replace(/( \\\n {2}| )-o \S+$/, "");
    const { error } = JSON.parse(await paste(snippet.replace(/^curl /, "curl -sS ")));
    await expect(connectResponse(sample)).rejects.toMatchObject({ rawMessage: error.message });
  });
});

describe.skipIf(!hasPython)("Python", () => {
  let results = new Map<SampleRequest, PythonResult | undefined>();
  beforeAll(async () => {
    const samples = [...SUCCESSFUL, ...FAILING];
    const programs = samples.map((sample) => pythonSnippet(request(sample)));
    const printed: PythonResult[] = JSON.parse(await runPython(RUN_PROGRAMS, "", programs));
    results = new Map(samples.map((sample, index) => [sample, printed[index]]));
  });

  test.each(SUCCESSFUL)("$name", async (sample) => {
    const expected = restResponse(sample.method, await connectResponse(sample));
    const result = results.get(sample);
    expect(result?.exception).toBeNull();
    if (expected.kind === "bytes") {
      const file = / open\("(\S+)", "wb"\)/.exec(pythonSnippet(request(sample)))?.[1] ?? "";
      expect(readFileSync(join(result?.folder ?? "", file)).equals(expected.data)).toBe(true);
      expect(result?.printed).toBe("");
    } else {
      expect(JSON.parse(result?.printed ?? "")).toEqual(JSON.parse(expected.text));
    }
  });

  test.each(FAILING)("$name fails", (sample) => {
    expect(results.get(sample)?.exception).toMatch(/HTTP Error 40[04]/);
  });
});

describe("with an API key", () => {
  const [sample = EXAMPLES[0]] = SUCCESSFUL.filter(({ method }) => method.name === "LookupIp");
  test.skipIf(!hasCurl)("curl reads it from the environment", async () => {
    expect(sample).toBeDefined();
    if (sample === undefined) {
      return;
    }
    const snippet = curlSnippet({ ...request(sample), baseUrl: closed.url, needsKey: true });
    expect(snippet).not.toContain(KEY);
    expect(JSON.parse(await paste(snippet.replace(/^curl /, "curl -sS "), KEY))).toMatchObject({
      ip: "8.8.8.8",
    });
    expect(await paste(snippet, "wrong")).toMatch(/API key/);
  });

  test.skipIf(!hasPython)("Python reads it from the environment", async () => {
    expect(sample).toBeDefined();
    if (sample === undefined) {
      return;
    }
    const snippet = pythonSnippet({ ...request(sample), baseUrl: closed.url, needsKey: true });
    expect(snippet).not.toContain(KEY);
    expect(JSON.parse(await runPython(snippet, KEY))).toMatchObject({ ip: "8.8.8.8" });
    await expect(runPython(snippet, "wrong")).rejects.toThrow(/HTTP Error 401/);
  });
});

describe("TypeScript", () => {
  const transport = () => createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" });
  const createUtilityToolsClient = (url: string) => {
    expect(url).toBe(server.url);
    return Object.fromEntries(
      Object.entries(SERVICES).map(([name, service]) => [name, createClient(service, transport())]),
    );
  };
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;

  test.each(SUCCESSFUL)("$name", async (sample) => {
    // The imports become parameters. The remaining code is JavaScript.
    const body = typeScriptSnippet(request(sample)).replaceAll(/^import .*\n/gm, "");
    const names = ["createUtilityToolsClient", "BarcodeFormat", "ErrorCorrection", "LookupView"];
    const run = new AsyncFunction(...names, `${body}\nreturn response;`);
    const response = await run(createUtilityToolsClient, BarcodeFormat, ErrorCorrection, LookupView);
    expect(response).toEqual(await connectResponse(sample));
  });
});
