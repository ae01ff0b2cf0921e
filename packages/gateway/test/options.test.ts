import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { UnknownOptionError } from "@utility-tools/http-server";
import { builtProgram } from "connect-transcoding-testing/programs.js";
import { expect, test } from "vitest";
import { parseOptions, USAGE } from "../src/command/parse-options.js";
import { OptionError } from "../src/errors.js";
import { DEFAULTS } from "../src/options.js";
import { startTestGateway } from "./support/upstream.js";

const UPSTREAM = ["--upstream", "http://127.0.0.1:50051"];
const ROOT = join(import.meta.dirname, "..");
const GATEWAY = builtProgram("gateway");

test("reads every option", () => {
  expect(parseOptions(UPSTREAM)).toEqual({
    kind: "serve",
    options: { ...DEFAULTS, upstreams: [{ prefix: "", url: "http://127.0.0.1:50051" }] },
  });
  const args =
    "--upstream shop.v1=https://shop:443/ --upstream http://[::1]:1 --rules r --host :: --port 0 --prefix /api/ --timeout 1.5 --upstream-wait 0 --unknown-parameters ignore --json proto-names,omit-defaults --errors rfc-9457 --system-parameters --method-override --map-parameters --unexpected-bodies ignore --untyped-bodies json --mcp --update-masks leave --ca c --cert d --key e --tls-cert f --tls-key g --openapi-title T --cors-origin https://a.example --api-keys-file k --open-areas docs,metrics --rate-limit 6000/1m --rate-limit-store redis://r --trusted-proxy 10.0.0.0/8 --trusted-proxy ::1 --client-address-header X-Real-IP --proxy-protocol --log-requests all --otlp-endpoint http://o:4318 --max-connections 7 --max-connections-per-client 6 --max-request-bytes 1 --max-response-bytes 2 --reflection-interval 3 --stop-delay 4 --grace-period 5";
  expect(parseOptions(args.split(" "))).toEqual({
    kind: "serve",
    options: {
      descriptors: [],
      upstreams: [
        { prefix: "shop.v1", url: "https://shop" },
        { prefix: "", url: "http://[::1]:1" },
      ],
      rules: "r",
      host: "::",
      port: 0,
      prefix: "/api",
      timeout: 1500,
      upstreamWait: 0,
      unknownParameters: "ignore",
      json: ["proto-names", "omit-defaults"],
      errors: "rfc-9457",
      systemParameters: true,
      methodOverride: true,
      mapParameters: true,
      unexpectedBodies: "ignore",
      untypedBodies: "json",
      mcp: true,
      updateMasks: "leave",
      ca: "c",
      cert: "d",
      key: "e",
      tlsCert: "f",
      tlsKey: "g",
      openApiTitle: "T",
      corsOrigins: ["https://a.example"],
      apiKeysFile: "k",
      openAreas: ["docs", "metrics"],
      rateLimit: { limit: 6000, window: 60 },
      rateLimitStore: "redis://r",
      trustedProxies: ["10.0.0.0/8", "::1"],
      clientAddressHeader: "x-real-ip",
      proxyProtocol: true,
      logRequests: "all",
      otlpEndpoint: "http://o:4318",
      maxConnections: 7,
      maxConnectionsPerClient: 6,
      maxRequestBytes: 1,
      maxResponseBytes: 2,
      reflectionInterval: 3_000,
      fileInterval: DEFAULTS.fileInterval,
      stopDelay: 4_000,
      gracePeriod: 5_000,
    },
  });
  expect(parseOptions([...UPSTREAM, "--descriptor", "a", "--descriptor", "b"])).toMatchObject({
    options: { descriptors: ["a", "b"] },
  });
  for (const flag of [...args.split(" "), "--descriptor"].filter((arg) => arg.startsWith("--"))) {
    expect(USAGE).toMatch(new RegExp(`^  (?:--\\S+ FILE, )?${flag}(?![\\w-])`, "m"));
  }
  expect(parseOptions(["--help"])).toEqual({ kind: "help" });
  expect(parseOptions(["-v"])).toEqual({ kind: "version" });
  expect(parseOptions(["make-key", "ci"])).toEqual({ kind: "make-key", name: "ci" });
});

function expectRejected(args: readonly string[], message: string | RegExp): void {
  expect(() => parseOptions(args)).toThrow(OptionError);
  expect(() => parseOptions(args)).toThrow(message);
}

test.each([
  [[], "--upstream is required"],
  [["--unknown"], "unknown"],
  [["word", ...UPSTREAM], "word"],
  [["--upstream", "127.0.0.1:50051"], "must begin with http://"],
  [["--upstream", "http://a/path"], "a host and a port alone"],
  [["--upstream", "a b=http://a"], "the prefix is"],
  [[...UPSTREAM, ...UPSTREAM], "only one --upstream"],
  [["--upstream", "a=http://a", "--upstream", "a=http://b"], "have the prefix a"],
  [["--upstream", "http://a:b@127.0.0.1:1"], /^--upstream: the URL must have a host and a port alone$/],
  [[...UPSTREAM, "--host", ""], "--host: needs an address or a name"],
  [["make-key"], "make-key needs one name"],
])("rejects %j", expectRejected);

test.each([
  ["--port 65536", "--port 65536"],
  ["--timeout 0", "--timeout 0"],
  ["--timeout soon", "--timeout soon"],
  ["--unknown-parameters keep", "--unknown-parameters keep"],
  [
    "--json names",
    "--json names: must be one or more of proto-names, enum-numbers, omit-defaults or number-longs",
  ],
  ["--errors xml", "--errors xml: must be aip-193, rfc-9457 or grpc-gateway"],
  ["--update-masks no", "--update-masks no: must be fill or leave"],
  ["--prefix api", "--prefix api"],
  ["--cors-origin https://a/", "--cors-origin https://a/"],
  ["--port 1 --port 2", "--port must not be given more than once"],
  ["--cert a", "--cert has no effect without --key"],
  ["--key a", "--key has no effect without --cert"],
  ["--tls-cert a", "--tls-cert has no effect without --tls-key"],
  ["--tls-key a", "--tls-key has no effect without --tls-cert"],
  ["--ca a", "--ca has no effect without an --upstream with https://"],
  ["--cert a --key b", "--cert has no effect without an --upstream with https://"],
  ["--proxy-protocol", "--proxy-protocol has no effect without --trusted-proxy"],
  ["--client-address-header x-real-ip", "--client-address-header has no effect without --trusted-proxy"],
  [
    "--client-address-header Forwarded",
    "--client-address-header Forwarded: must be the name of a header that has addresses alone",
  ],
  ["--untyped-bodies ignore", "--untyped-bodies ignore: must be reject or json"],
  ["--unexpected-bodies json", "--unexpected-bodies json: must be reject or ignore"],
  ["--open-areas docs", "--open-areas has no effect without --api-keys-file"],
  ["--rate-limit-store redis://r", "--rate-limit-store has no effect without --rate-limit"],
  ["--descriptor a --reflection-interval 9", "--reflection-interval has no effect with --descriptor"],
  [
    "--max-connections 1 --max-connections-per-client 2",
    "--max-connections-per-client has no effect above --max-connections",
  ],
  ["--max-request-bytes 1e3", "--max-request-bytes 1e3"],
  ["--rate-limit many", "--rate-limit many: must be from 1"],
  ["--open-areas docs,all", "--open-areas docs,all"],
  ["--trusted-proxy 10.0.0.0/33", "--trusted-proxy 10.0.0.0/33"],
  ["--trusted-proxy proxy", "--trusted-proxy proxy"],
  ["--log-requests some", "--log-requests some: must be none, failed or all"],
  ["--otlp-endpoint collector:4318", "--otlp-endpoint: the URL must begin with"],
])("rejects --upstream with %s", (args, message) =>
  expectRejected([...UPSTREAM, ...args.split(" ")], message),
);

test.each([
  [{ descriptors: ["/missing.binpb"] }, "--descriptor /missing.binpb: ENOENT"],
  [{ descriptors: [join(ROOT, "package.json")] }, "not a descriptor set"],
  [{ rules: join(ROOT, "package.json") }, "has no section `http`"],
  [{ ca: join(ROOT, "missing.pem") }, "--ca"],
  [{ apiKeysFile: join(ROOT, "package.json") }, "--api-keys-file"],
  [{ rateLimit: { limit: 1, window: 1 }, rateLimitStore: "http://r" }, "--rate-limit-store"],
  [{ tlsCert: join(ROOT, "package.json"), tlsKey: join(ROOT, "package.json") }, "has no certificate in PEM"],
])("rejects files that cannot be used: %j", async (options, message) => {
  const starting = startTestGateway({ upstreams: [{ prefix: "", url: "http://127.0.0.1:1" }], ...options });
  await expect(starting).rejects.toThrow(OptionError);
  await expect(starting).rejects.toThrow(message);
});

test("rejects an unknown option", async () => {
  const upstreams = [{ prefix: "", url: "http://127.0.0.1:1" }];
  for (const [options, message] of [
    [
      { apiKeyFile: "keys" },
      'startGateway has no option "apiKeyFile"; did you mean apiKeysFile?; allowed: upstreams, ',
    ],
    [{ upstreams: [{ ...upstreams[0], tls: true }] }, 'upstreams has no option "tls"; allowed: prefix, url'],
  ] as const) {
    const starting = startTestGateway({ upstreams, ...options } as never);
    await expect(starting).rejects.toThrow(UnknownOptionError);
    await expect(starting).rejects.toThrow(message);
  }
});

test("make-key prints the key and its line", () => {
  const run = (name: string) =>
    spawnSync(process.execPath, [GATEWAY, "make-key", name], { encoding: "utf8" });
  const { status, stdout, stderr } = run("ci");
  expect(status).toBe(0);
  const digest = createHash("sha256").update(stdout.trim()).digest("hex");
  expect(stderr).toContain(`ci ${digest}\n`);
  expect(run("a b").status).toBe(64);
});

test("the program prints one message and exits with 64", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [GATEWAY, ...UPSTREAM, "--port", "x"], {
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([64, ""]);
  expect(stderr).toBe("connect-transcoding-gateway: --port x: allowed are integers from 0 to 65535\n");
});
