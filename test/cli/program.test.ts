import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContextValues } from "@connectrpc/connect";
import { quotaKey } from "connect-transcoding-operations/access/quota";
import { limitRate, memoryStore } from "connect-transcoding-operations/access/rate-limit";
import { endPrograms } from "connect-transcoding-testing/run-program.js";
import { afterEach, describe, expect, test } from "vitest";
import { useServer } from "../contract/support/serve.js";
import { useFolder } from "./folder.js";
import { runHere, runProcess } from "./run-tools.js";

const server = useServer();
const { path: folder, file } = useFolder();
afterEach(endPrograms);

describe("a command responds like the service", () => {
  const get = async (path: string) => `${await (await fetch(`${server.url}${path}`)).text()}\n`;

  test.each<[string[], string]>([
    [["geoip", "8.8.8.8"], "/v1/geoIp?ip_address=8.8.8.8"],
    [["country", "FR"], "/v1/countries?country=FR"],
    [["countries"], "/v1/countries"],
    [["countries", "search", "guinea", "--limit", "2"], "/v1/countries:search?query=guinea&limit=2"],
    [["country", "Germany"], "/v1/countries?country=DE"],
    [["about"], "/v1/about"],
  ])("%j", async (args, path) => {
    const env = { PUBLIC_BASE_URL: server.url };
    const response = await get(path);
    const [local, remote] = await Promise.all([
      runHere([...args, "--json"], { env }),
      runHere([...args, "--json", "--url", server.url]),
    ]);
    for (const result of [local, remote]) {
      expect(result).toEqual({ status: 0, out: response, err: "" });
    }
  });

  test("in a process of its own", async () => {
    const [args, response] = [["geoip", "8.8.8.8", "--json"], await get("/v1/geoIp?ip_address=8.8.8.8")];
    expect(await runProcess(args)).toEqual({ status: 0, out: response, err: "" });
  });

  test.each<[string, string]>([
    ["svg", "image/svg+xml"],
    ["png", "image/png"],
  ])("with the bytes of a QR code in %s", async (format) => {
    const path = join(folder, `code.${format}`);
    const response = await fetch(`${server.url}/v1/barcode?type=qr_code&data=a%0Ab&format=${format}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    for (const where of [[], ["--url", server.url]]) {
      const args = ["barcode", "-f", "-", "--output", path, ...where];
      expect(await runHere(args, { input: "a\nb\n" })).toEqual({ status: 0, out: "", err: "" });
      // The suffix of the file selects the format.
      expect(readFileSync(path).equals(bytes)).toBe(true);
    }
  });

  test.each<[string, string[], string, string]>([
    ["geoip", ["8.8.8.8", "10.0.0.1", "2001:4860:4860::8888", "x"], "/v1/geoIp:batch", "ip_addresses"],
    ["email", ["A.B+c@gmail.com", "nothing", "é@例え.jp"], "/v1/sanitizeEmail:batch", "emails"],
  ])("%s, with one line per input", async (command, inputs, path, member) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ [member]: inputs });
    const text = await (await fetch(`${server.url}${path}`, { method: "POST", headers, body })).text();
    const args = [command, "--json"];
    const outputs = await Promise.all([
      runHere([...args, ...inputs]),
      runHere(args, { input: inputs.join("\n") }),
      runHere([...args, inputs[0] ?? "", "-"], { input: `${inputs.slice(1).join("\r\n")}\r\n` }),
      runHere([...args, "--url", server.url], { input: inputs.join("\n") }),
    ]);
    for (const { status, out, err } of outputs) {
      expect([status, err]).toEqual([1, ""]);
      // The lines are exactly the items between the brackets of the response.
      expect(`{"results":[${out.trimEnd().split("\n").join(",")}]}`).toBe(text);
    }
  });

  test.each<[string[]]>([
    [["geoip", "8.8.8.8", "1.1.1.1", "--view", "full"]],
    [["geoip", "8.8.8.8", "1.1.1.1", "--view", "full", "--json"]],
    [["geoip", "10.0.0.1"]],
    [["geoip", "10.0.0.1", "--json"]],
    [["country", "ZZ", "--json"]],
    [["country", "FR", "", "fra"]],
    [["country", "FR", "ZZZZ", "--json"]],
    [["otp", "verify", "hunter2hunter2", "--digits", "7"]],
    [["otp", "verify", "hunter2hunter2", "--digits=7", "--json"]],
    [["email", "explain", "Jane.Doe+news@GoogleMail.com"]],
    [["email", "explain", "a@b.example", "@"]],
    [["otp", "generate", "--label", "\u0001"]],
  ])("%j, locally and remotely", async (args) => {
    const [local, remote] = await Promise.all([
      runHere(args, { env: { PUBLIC_BASE_URL: server.url } }),
      runHere([...args, "--url", server.url]),
    ]);
    expect(remote).toEqual(local);
    expect(local.out + local.err).not.toBe("");
    expect(local.out + local.err).not.toContain("hunter2");
  });
});

describe("the API key", () => {
  const key = `ut_${"k".repeat(43)}`;
  const seen: (string | undefined)[] = [];
  const guarded = useServer({ onRequest: (request) => void seen.push(request.header("authorization")) });

  test.each<[string, string[], Record<string, string>]>([
    ["the environment", [], { UTILITY_TOOLS_API_KEY: key }],
    ["a file", ["--api-key-file", file("key", `${key}\n`)], { UTILITY_TOOLS_API_KEY: "another" }],
    ["an argument", [`--api-key=${key}`], { UTILITY_TOOLS_API_KEY: "another" }],
  ])("comes from %s", async (_, args, env) => {
    seen.length = 0;
    const result = await runHere(["email", "A@b.example", "--url", guarded.url, ...args], { env });
    expect(result).toEqual({ status: 0, out: "a@b.example\n", err: "" });
    expect(seen).toEqual([`Bearer ${key}`]);
  });
});

describe("the rate limit of a service", () => {
  const limit = limitRate({ limit: 200, window: 1, store: memoryStore(1), now: () => performance.now() });
  const limited = useServer({
    onRequest: limit.onRequest,
    contextValues: (request) => createContextValues().set(quotaKey, limit.quotaOf(request)),
  });

  test("makes batches smaller, and calls wait", async () => {
    const input = Array.from({ length: 450 }, (_, index) => `9.9.${index >> 8}.${index & 255}\n`).join("");
    const local = await runHere(["geoip"], { input });
    expect(local.out.match(/\n/g)).toHaveLength(450);
    expect(await runHere(["geoip", "--url", limited.url], { input })).toEqual(local);
  });
});

describe("help", () => {
  test.each([[["--help"]], [["-h"]]])("%j lists all commands", async (args) => {
    const { status, out, err } = await runProcess(args);
    expect([status, err]).toEqual([0, ""]);
    const names = "about,barcode,country,email explain,geoip self,otp verify,serve,make-key".split(",");
    expect(names.filter((name) => !out.includes(`\n  ${name} `))).toEqual([]);
  });

  test.each<[string, string, RegExp]>([
    [
      "",
      "8.8.8.8",
      /\nCommon flags:\n[\s\S]* {2}--url <URL> [\s\S]*\nExit status:\n {2}0 {4}success for all inputs\n/,
    ],
    [
      "geoip",
      "geoip 8.8.8.8",
      /^(?![\s\S]*(?:Exit status|\n {2}--url))[\s\S]*\nCommon flags, which utility-tools --help explains: --file /,
    ],
    [
      "barcode",
      "barcode https://example.com/ --output barcode.svg",
      /\nUsage: .* barcode \[options\] \[DATA\]\n[\s\S]*--format <FORMAT> +the image format \(choices: svg, png/,
    ],
    ["otp generate", "otp generate --label jane@example.com --issuer Example", /--label <LABEL>/],
    ["otp", "otp generate --label jane@example.com --issuer Example", /otp generate[\s\S]*otp verify/],
    ["export", "export geoip --format parquet --output geoip.parquet", /export geoip[\s\S]*export countries/],
    ["otp verify", "otp verify --secret-file secret.txt", /--secret-file <FILE>/],
    ["geoip self", "geoip self --url https://tools.example.com", /--view <VIEW>/],
    ["serve", "serve --port 8080", /\nUsage: [\s\S]*\n {2}--port <NUMBER> /],
    ["update-data", "update-data", /--check/],
    ["make-key", "make-key alice", /\nUsage: utility-tools make-key \[options\] <NAME>/],
  ])("of '%s' begins with examples", async (command, example, pattern) => {
    const args = [...command.split(" "), "--help"].filter(Boolean);
    // The service is a part of the program of its own.
    const { status, out } = await (command === "serve" ? runProcess(args) : runHere(args));
    expect([status, out.split("\n").slice(0, 2)]).toEqual([0, ["Examples:", `  utility-tools ${example}`]]);
    expect(out).toMatch(pattern);
    expect(command === "serve" ? [] : out.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });
});
