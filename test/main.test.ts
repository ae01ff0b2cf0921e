import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { endPrograms, type Program, runProgram } from "connect-transcoding-testing/run-program.js";
import { afterAll, describe, expect, test } from "vitest";
import { PACKAGE_FOLDER } from "../src/installed-package.js";
import { MAIN } from "./support/programs.js";
import { useSmallData } from "./support/small-data.js";

const DATA_DIR = useSmallData();
const HOLD_LOADING = join(import.meta.dirname, "support", "hold-loading.mjs");

function run(env: Record<string, string>, args: readonly string[] = []): Program {
  return runProgram([MAIN, ...args], env);
}

async function ready(started: Program): Promise<string> {
  const [, url = ""] = await started.says(/is ready on (\S+).*\n/);
  return url;
}

afterAll(endPrograms);

describe.concurrent("starting", () => {
  test("logs the age of the data, and a line with the URLs to open, which respond", async () => {
    const started = run({ PORT: "0" });
    const url = await ready(started);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const lines = started.out().trimEnd().split("\n");
    const entries = lines.map((line) => JSON.parse(line));
    // The age of the installed data depends on the day of the test.
    const isAge = (entry: { readonly msg: string }) => entry.msg.endsWith("days old: run update-data");
    const [start, data, lists, { level, msg }, ...more] = entries.filter((entry) => !isAge(entry));
    expect(start).toMatchObject({ msg: "starting", node: process.version, settings: { PORT: 0 } });
    expect(start.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(data.files).toHaveLength(2);
    expect(data).toMatchObject({
      level: "info",
      msg: "data loaded",
      service: "utilitytools.v1.GeoIpService",
    });
    expect(lists).toMatchObject({
      msg: "data loaded",
      service: "utilitytools.v1.EmailService",
      files: [join(PACKAGE_FOLDER, "data", "email", "disposable-domains.txt")],
    });
    const builtAt = "2026-09-16T23:20:26.000Z";
    const ageDays = Math.floor((Date.now() - Date.parse(builtAt)) / 86_400_000);
    expect(data.sources).toContainEqual({ name: "origin-asn", builtAt, ageDays });
    expect(more).toEqual([]);
    expect(level).toBe("info");
    const links = [...String(msg).matchAll(/(?<=open |try )http\S+/g)].map(([link]) => link);
    expect(links).toEqual([`${url}/`, `${url}/v1/geoIp?ip_address=8.8.8.8`]);
    for (const link of links) {
      expect((await fetch(link)).status).toBe(200);
    }
    expect(started.err()).toBe("");
  });

  test("uses the public base URL in the line and in responses", async () => {
    const started = run({ DATA_DIR, PORT: "0", PUBLIC_BASE_URL: "https://tools.example/x/" });
    const url = await ready(started);
    expect(started.out()).toContain("open https://tools.example/x/ or");
    const response = await fetch(`${url}/v1/countries?country=FR`);
    expect(await response.json()).toMatchObject({
      api_url: "https://tools.example/x/v1/countries?country=FR",
    });
  });

  test("listens on IPv6", async () => {
    const url = await ready(run({ DATA_DIR, PORT: "0", HOST: "::1" }));
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${url}/v1/geoIp?ip_address=8.8.8.8`)).status).toBe(200);
  });
});

describe.concurrent("flags", () => {
  test("override environment variables", async () => {
    const url = await ready(run({ DATA_DIR, PORT: "x", HOST: "x y" }, ["--port=0", "--host", "::1"]));
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  });

  test.each([
    ["--help", /\nUsage: [\s\S]*\n {2}--port <NUMBER> /],
    ["--version", /^utility-tools \d+\.\d+\.\d+\n$/],
  ])("%s is printed to standard output, even with invalid flags and settings", async (flag, text) => {
    const started = run({ PORT: "x" }, ["--prot", flag]);
    expect(await started.exit).toBe(0);
    expect(started.out()).toMatch(text);
    expect(started.err()).toBe("");
  });
});

describe.concurrent("starting with invalid data", () => {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-"));
  const broken = join(folder, "broken.mmdb");
  writeFileSync(broken, "this is no MMDB file");
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each<[string, Record<string, string>, RegExp]>([
    [
      "a missing city file",
      { GEOIP_CITY_FILES: "/nowhere.mmdb" },
      /GEOIP_CITY_FILES: \/nowhere\.mmdb does not exist/,
    ],
    ["a broken ASN file", { GEOIP_ASN_FILES: broken }, /GEOIP_ASN_FILES: .*broken\.mmdb /],
  ])("%s is logged, and other services respond", async (_name, env, line) => {
    const started = run({ DATA_DIR, PORT: "0", ...env });
    const [, url = ""] = await started.says(/accepts requests on (\S+), and is not ready.*\n/);
    const [, problem, lists, warning, ...more] = started
      .out()
      .trimEnd()
      .split("\n")
      .map((each) => JSON.parse(each));
    expect(lists).toMatchObject({ msg: "data loaded", service: "utilitytools.v1.EmailService" });
    expect(warning.level).toBe("warn");
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ level: "error", msg: expect.stringMatching(line), hasOlderData: false });
    expect(started.err()).toBe("");
    const statuses = ["/healthz", "/readyz", "/v1/countries", "/v1/geoIp?ip_address=8.8.8.8"].map(
      async (path) => (await fetch(`${url}${path}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 503, 200, 503]);
  });
});

test.concurrent.each<[string, readonly string[], string]>([
  ["an invalid value", ["--port", "abc"], "--port must be a number from 0 to 65535"],
  ["an unknown flag", ["--prot=1"], "unknown option '--prot' (Did you mean --port?)"],
  ["an unknown flag of serve", ["serve", "--foo"], "unknown option '--foo'"],
  ["a flag without its value", ["--port"], "option '--port <NUMBER>' argument missing"],
  ["a flag that is there twice", ["--port=0", "--port=1"], "--port must not be given more than once"],
])("%s in the arguments is a message for people, with status 2", async (_name, args, problem) => {
  const started = run({ LOG_FORMAT: "json" }, args);
  expect(await started.exit).toBe(2);
  expect(started.out()).toBe("");
  expect(started.err()).toBe(`utility-tools serve: ${problem}\nutility-tools serve --help shows the usage\n`);
});

describe.concurrent("a failed start logs all problems in one line", () => {
  const taken = createServer().listen(0, "127.0.0.1");
  afterAll(() => taken.close());

  test.each<[string, () => Record<string, string>, number, RegExp]>([
    ["an invalid port", () => ({ PORT: "x" }), 78, /PORT must be a number from 0 to 65535$/],
    [
      "two wrong settings",
      () => ({ PORT: "x", PUBLIC_BASE_URL: "x" }),
      78,
      /PORT must .*; PUBLIC_BASE_URL must be an http or https URL/,
    ],
    [
      "a port that is taken",
      () => {
        const address = taken.address();
        return { PORT: String(typeof address === "object" ? address?.port : "") };
      },
      1,
      /HOST and PORT: .*EADDRINUSE/,
    ],
  ])("%s", async (_name, env, status, line) => {
    const started = run({ LOG_LEVEL: "error", ...env() });
    expect(await started.exit).toBe(status);
    expect(started.out()).toBe("");
    const lines = started.err().trimEnd().split("\n");
    expect(lines).toHaveLength(1);
    const { level, msg } = JSON.parse(lines[0] ?? "");
    expect(level).toBe("error");
    expect(msg).toMatch(/^utility-tools cannot start: /);
    expect(msg).toMatch(line);
  });

  test("also ends the process while it connects to the store of the rate limit", async () => {
    const address = taken.address();
    const port = String(typeof address === "object" ? address?.port : "");
    const store = { RATE_LIMIT: "10/1s", RATE_LIMIT_STORE: "redis://127.0.0.1:1" };
    const started = run({ PORT: port, LOG_LEVEL: "error", ...store });
    expect(await started.exit).toBe(1);
    expect(started.err()).toMatch(
      /^\{[^\n]*"utility-tools cannot start: HOST and PORT: [^\n]*EADDRINUSE[^\n]*\n$/,
    );
  });
});

test.concurrent("becomes ready when its data is usable, and says so then", async () => {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-"));
  const file = join(folder, "asn.mmdb");
  const started = run({ DATA_DIR, PORT: "0", GEOIP_ASN_FILES: file });
  await started.says(/accepts requests on \S+, and is not ready/);
  expect(started.out()).not.toContain("is ready on");
  copyFileSync(join(PACKAGE_FOLDER, "data", "asn.mmdb"), file);
  const url = await ready(started);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  rmSync(folder, { recursive: true });
});

test.concurrent.each(["1", "2"])("SIGHUP reloads keys and data: WORKERS=%s", async (workers) => {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-"));
  const keys = join(folder, "keys.txt");
  writeFileSync(keys, "# no keys\n");
  const started = run({ DATA_DIR, PORT: "0", WORKERS: workers, API_KEYS_FILE: keys });
  await ready(started);
  expect(started.out()).toContain("keys.txt has no keys: all requests that need one are rejected");
  started.process.kill("SIGHUP");
  await started.says(new RegExp(`SIGHUP: reloading(?:[\\s\\S]*"data replaced"){${workers}}`));
  await started.says(new RegExp(`(?:[\\s\\S]*"API keys replaced: there are none){${workers}}`));
  rmSync(folder, { recursive: true });
});

describe.concurrent("stops when the npm that started it is killed", () => {
  // Some shells replace themselves with the last command; none does with a command before others. Only Linux shows the parent of a shell.
  const shell = ["sh", "-c", `"${process.execPath}" "${MAIN}"; exit`];
  test.each([
    ["directly", [process.execPath, MAIN]],
    ...(process.platform === "linux" ? [["through a shell", shell] as const] : []),
  ] as const)("%s", async (_how, [program, ...args]) => {
    const command = `${JSON.stringify(program)}, ${JSON.stringify(args)}`;
    const npm = `require("node:child_process").spawn(${command}, { stdio: "inherit" });`;
    const parent = runProgram(["-e", npm], { DATA_DIR, PORT: "0", npm_lifecycle_event: "start" });
    await ready(parent);
    parent.process.kill("SIGKILL");
    await parent.says(/SIGTERM: stopping[\s\S]*"stopped"/);
  });
});

describe.concurrent("stopping", () => {
  test("works while the program loads", async () => {
    const started = runProgram(["--import", HOLD_LOADING, MAIN], { PORT: "0" });
    await started.says(/loading/);
    started.process.kill("SIGHUP");
    started.process.kill("SIGTERM");
    expect(await started.exit).toBe(0);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("%s exits with 0", async (signal) => {
    const started = run({ DATA_DIR, PORT: "0" });
    const url = await ready(started);
    await fetch(`${url}/v1/countries`);
    started.process.kill(signal);
    expect(await started.exit).toBe(0);
    expect(started.err()).toBe("");
    const messages = started
      .out()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).msg);
    expect(messages.slice(-4)).toEqual([
      `${signal}: stopping`,
      "not ready from now on; completing requests in progress",
      "all connections are closed",
      "stopped",
    ]);
  });

  test("a request in progress is completed, and a second signal does not wait for it", async () => {
    const started = run({ DATA_DIR, PORT: "0" });
    const url = await ready(started);
    const { response, send } = await slowRequest(url);
    started.process.kill("SIGTERM");
    await rejectsConnections(url);
    send();
    expect(await response).toBe("a@b.example");
    expect(await started.exit).toBe(0);

    const stuck = run({ DATA_DIR, PORT: "0" });
    const stuckUrl = await ready(stuck);
    const lost = (await slowRequest(stuckUrl)).response.catch(() => "lost");
    stuck.process.kill("SIGTERM");
    await rejectsConnections(stuckUrl);
    stuck.process.kill("SIGTERM");
    expect(await stuck.exit).toBe(1);
    expect(await lost).toBe("lost");
  });
});

/** Sends the headers of a request, and its body when `send` is called. */
async function slowRequest(url: string) {
  const headers = { "content-type": "application/json", expect: "100-continue" };
  const outgoing = request(`${url}/v1/sanitizeEmail`, { method: "POST", headers });
  const response = once(outgoing, "response").then(([response]) => text(response));
  outgoing.flushHeaders();
  await once(outgoing, "continue");
  return { response, send: () => outgoing.end('{"email":"A@B.example"}') };
}

async function rejectsConnections(url: string): Promise<void> {
  for (;;) {
    const isRefused = await fetch(`${url}/v1/countries?country=FR`).then(
      () => false,
      () => true,
    );
    if (isRefused) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
