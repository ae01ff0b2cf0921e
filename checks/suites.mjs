/**
 * The programs of this folder. `npm run check -- NAME` runs those whose name is NAME or starts with `NAME/`.
 *
 * @typedef {object} Suite
 * @property {string} name
 * @property {string[]} command The program and its arguments. Those of the command line follow.
 * @property {string[]} inputs Paths whose change can change the result, besides the suite's own folder and `checks/lib`.
 * @property {string[][]} [ci] The arguments of each run in CI. Without it, CI does not run the suite.
 * @property {Record<string, string>} [env]
 * @property {string[]} [needs] Commands that must be there. Without them, the suite is skipped.
 * @property {string} [debian] The Debian packages with these commands.
 * @property {string | string[]} [packages] The folder with the lock file of the packages that it uses. Default: its own folder.
 * @property {boolean} [build] Whether it uses `dist`.
 * @property {boolean} [writes] Whether it changes files of the checkout, so that it needs a copy.
 * @property {boolean} [measures] Whether it measures times, so that CI runs only one of these at a time.
 * @property {boolean} [onlyByName] Whether it must be named in full.
 */

const SERVER = ["packages/http-server/src"];
const ENGINE = [...SERVER, "packages/connect-transcoding/src", "packages/connect-transcoding/proto"];
const SERVICE = [...ENGINE, "src", "proto", "data", "packages/client/src", "packages/operations/src"];
const LOADER = ["--import", "./test/typescript.mjs"];

/** Runs a TypeScript program from its source. */
const typescript = (file, ...flags) => ["node", ...flags, ...LOADER, `checks/${file}.ts`];
const javascript = (file, ...flags) => ["node", ...flags, `checks/${file}.mjs`];
const CONFORMANCE = { command: ["checks/conformance/run.sh"], inputs: ENGINE, needs: ["go"], ci: [[]] };
const BUN = "checks/lib/runtimes/node_modules/.bin/bun run";

/** A suite of the built service. */
const service = (name, command, more) => ({ name, command, inputs: SERVICE, build: true, ...more });
/** A suite of the built service with the files of deploy/, which need Debian packages. */
const deploy = (name, needs, debian, ci = [[]]) =>
  service(`deploy/${name}`, typescript(`deploy/${name}/check`), {
    inputs: [...SERVICE, "deploy"],
    needs,
    debian,
    ci,
  });

/** @type {readonly Suite[]} */
export const SUITES = [
  // The longest first, so that CI does not wait for one of them at the end.
  { name: "test", command: ["npx", "vitest", "run"], inputs: [...SERVICE, "test", "packages"], ci: [[]] },
  service("nodes", javascript("nodes/run"), {
    writes: true,
    ci: [["--short", "--node", "26", "--node", "22", "--node", "24"]],
  }),
  service("hostile", typescript("hostile/hostile"), { measures: true, ci: [["--short"]] }),
  { name: "conformance", ...CONFORMANCE },
  { name: "conformance/node", ...CONFORMANCE, env: { CONFORMANCE_HOST: "node" } },
  {
    name: "gateway",
    command: typescript("gateway/upstreams"),
    inputs: [...ENGINE, "packages/gateway"],
    packages: ["checks/browser", "checks/lib/buf"],
    build: true,
    needs: ["go", "mvn", "javac", "python3", "chromium"],
    debian: "maven default-jdk-headless python3-venv chromium",
    ci: [[]],
  },
  service("new-tool", javascript("new-tool/run"), {
    inputs: [...SERVICE, "new-tool", "test", "CHANGELOG.md", "docs", "checks/tool"],
    packages: ["checks/lint", "checks/lib/buf"],
    ci: [[]],
  }),
  // Its parts are in other suites of CI.
  { name: "tool", command: javascript("tool/run"), inputs: [...SERVICE, "test"] },
  service("package", javascript("package/run"), { writes: true, ci: [[]] }),
  service("package/readme", javascript("package/readme"), {
    inputs: [...ENGINE, "packages/connect-transcoding/README.md"],
    needs: ["curl"],
    debian: "curl",
    ci: [[]],
  }),
  { name: "package/checkout", command: javascript("package/checkout"), inputs: SERVICE, ci: [[]] },
  {
    name: "release",
    command: javascript("release/run"),
    inputs: [...SERVICE, "publishing", "release.mjs", "packages", "checks/package/readme.mjs"],
    needs: ["git", "curl"],
    debian: "git curl",
    onlyByName: true,
  },
  {
    ...deploy(
      "container",
      ["podman", "runc", "mmdebstrap", "curl", "openssl"],
      "podman runc mmdebstrap curl openssl",
    ),
    // It builds a base image from Debian's packages. The workflow of a release tries the real image.
    ci: undefined,
    onlyByName: true,
  },
  service("schemathesis", javascript("schemathesis/run"), { ci: [["--examples", "8"]] }),
  {
    name: "corpus",
    command: javascript("corpus/run"),
    inputs: [...ENGINE, "examples"],
    ci: [["--every", "80"]],
  },
  service("examples", javascript("examples/run"), {
    inputs: [...ENGINE, "examples"],
    packages: ["checks/examples", "checks/lib/runtimes"],
    ci: [[]],
  }),
  service("clients/http2", javascript("clients/http2/run", ...LOADER), {
    needs: ["openssl", "curl", "nghttp", "h2load"],
    debian: "openssl curl nghttp2-client",
    ci: [[]],
  }),
  service("clients/documented", javascript("clients/run"), {
    inputs: [...SERVICE, "docs/guide/clients.md"],
    ci: [[]],
  }),
  {
    name: "clients/buf-curl",
    command: ["npx", "vitest", "run", "--root", "checks/clients"],
    inputs: [...SERVICE, "test", "README.md", "docs/reference/access.md", "docs/tools"],
    packages: ["checks/lib/buf"],
    ci: [[]],
  },
  service("clients/openapi", javascript("clients/openapi/run"), {
    packages: ["checks/clients/openapi"],
    ci: [[]],
  }),
  ...["workbench", "long-lists", "docs", "grpc-web", "pictures"].map((name) =>
    service(`browser/${name}`, javascript(`browser/${name}`), {
      needs: ["chromium", "python3"],
      debian: "chromium python3",
      // Other fonts look different.
      ...(name === "pictures" ? {} : { ci: [[]] }),
    }),
  ),
  deploy("proxies", ["nginx", "caddy", "openssl", "python3"], "nginx-light caddy openssl python3-venv"),
  {
    ...deploy("scenarios", ["nginx", "openssl", "python3"], "nginx-light openssl python3-venv", [
      ["--seconds", "5", "--rate", "150"],
    ]),
    measures: true,
  },
  deploy(
    "stack",
    ["openssl", "prometheus", "promtool", "redis-server", "python3"],
    "openssl prometheus redis-server python3-venv",
  ),
  // Not in CI: on a busy machine, requests exceed the deadline of its client.
  service("deploy/path", typescript("deploy/path/check"), {
    inputs: [...SERVICE, "deploy"],
    needs: ["openssl", "curl", "python3"],
    debian: "openssl curl python3-venv",
    onlyByName: true,
  }),
  deploy("units", ["systemd-analyze", "strace"], "systemd strace"),
  {
    name: "deploy/kubernetes",
    command: javascript("deploy/kubernetes/run", ...LOADER),
    inputs: ["deploy", "src"],
    needs: ["go"],
    ci: [[]],
  },
  {
    name: "deploy/compose",
    command: javascript("deploy/compose/run", ...LOADER),
    inputs: ["deploy", "src"],
    needs: ["go"],
    ci: [[]],
  },
  service("redis", typescript("redis/shared-limit"), {
    needs: ["redis-server"],
    debian: "redis-server",
    ci: [[]],
  }),
  {
    name: "differential/http1",
    command: typescript("differential/http1"),
    inputs: SERVER,
    needs: ["nginx"],
    debian: "nginx-light",
    ci: [["--count", "1500", "--seed", "1"]],
  },
  {
    name: "fuzz/frames",
    command: typescript("fuzz/frames", "--expose-gc"),
    inputs: SERVER,
    ci: [["--count", "20000", "--seed", "1"]],
  },
  {
    name: "fuzz/http1",
    command: typescript("fuzz/http1", "--expose-gc"),
    inputs: [...SERVER, "checks/differential"],
    ci: [["--count", "20000", "--seed", "1"]],
  },
  { name: "fuzz/engine", command: typescript("fuzz/engine"), inputs: ENGINE, ci: [["--count", "5000"]] },
  service("protovalidate", javascript("protovalidate/run"), { inputs: ENGINE, ci: [[]] }),
  {
    name: "conformance/bun",
    ...CONFORMANCE,
    env: { CONFORMANCE_HOST: "fetch", CONFORMANCE_RUNTIME: BUN },
    packages: ["checks/lib/runtimes"],
  },
  service("h2spec", javascript("h2spec/run"), { inputs: SERVER, needs: ["go"], ci: [[]] }),
  {
    name: "corpus/foreign",
    command: javascript("corpus/foreign"),
    inputs: ENGINE,
    needs: ["python3"],
    debian: "python3-venv",
    packages: "checks/corpus",
    ci: [["--every", "80"]],
  },
  { name: "protobuf-conformance", command: ["checks/protobuf-conformance/run.sh"], inputs: ENGINE, ci: [[]] },
  {
    name: "generated",
    command: ["checks/generated/run.sh"],
    inputs: ["proto", "packages/connect-transcoding/proto", "gen", "examples"],
    writes: true,
    ci: [[]],
  },
  {
    name: "site",
    command: javascript("site/run"),
    inputs: ["README.md", "docs", "packages", "deploy", "release.config.json"],
    ci: [[]],
  },
  { name: "lint", command: javascript("lint/run"), inputs: [""], ci: [[]] },
  { name: "types", command: ["npm", "run", "typecheck"], inputs: [""], writes: true, ci: [[]] },
  {
    name: "breaking",
    command: javascript("breaking/run"),
    inputs: ["proto", "packages/connect-transcoding/proto"],
    ci: [[]],
  },
  service("bench", typescript("bench/bench"), { onlyByName: true }),
  { name: "data", command: ["checks/data/run.sh"], inputs: SERVICE, packages: ["data/build"], ci: [[]] },
  {
    name: "data/cities",
    command: typescript("data/compare-cities", "--max-old-space-size=8000"),
    inputs: ["data"],
    needs: ["python3"],
    debian: "python3-pip",
    packages: ["data/build"],
    onlyByName: true,
  },
  {
    name: "data/countries",
    command: typescript("data/compare-countries"),
    inputs: ["data", "src/tools/countries"],
    needs: ["python3"],
    debian: "python3-venv",
    ci: [[]],
  },
  { name: "data/asn", command: typescript("data/compare-asn"), inputs: ["data"], onlyByName: true },
  ...["peers", "client"].map((name) => ({
    name: `gateway/${name}`,
    command: typescript(name === "peers" ? "gateway/peers/compare" : "gateway/peers/client"),
    inputs: [...ENGINE, "packages/gateway"],
    packages: ["checks/lib/buf"],
    build: true,
    needs: ["go", "python3"],
    debian: "python3-venv",
    onlyByName: true,
  })),
  {
    name: "gateway/bench",
    command: typescript("gateway/bench"),
    inputs: [...ENGINE, "packages/gateway"],
    packages: ["checks/lib/buf"],
    build: true,
    onlyByName: true,
  },
  service("soak", typescript("soak/soak"), { onlyByName: true }),
];
