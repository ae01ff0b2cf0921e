/**
 * The programs of this folder. `npm run check -- NAME` runs those whose name is NAME or starts with `NAME/`.
 *
 * @typedef {object} Suite
 * @property {string} name
 * @property {string[]} command The program and its arguments. Those of the command line follow.
 * @property {string[][]} [ci] The arguments of each run in CI. Without it, CI does not run the suite.
 * @property {string[]} [needs] Commands that must be there. Without them, the suite is skipped.
 * @property {string} [debian] The Debian packages with these commands.
 * @property {string | string[]} [packages] The folder with the lock file of the packages that it uses. Default: its own folder.
 * @property {boolean | "packages"} [build] Whether it uses builds: those of the packages, or with `true` also that of the service.
 * @property {boolean} [writes] Whether it changes files of the checkout, so that it needs a copy.
 * @property {boolean} [measures] Whether it measures times, so that CI runs it alone, after the others.
 * @property {boolean} [onlyByName] Whether it must be named in full.
 */

const ENGINE = ["packages/http-server", "packages/connect-transcoding"];
const SERVICE = [...ENGINE, "src", "proto", "data", "client", "packages/operations"];

/** The paths whose change can change the result of a suite, by its name or folder. Default: the service if it is built, otherwise the engine. */
const INPUTS = {
  test: [""],
  lint: [""],
  types: [""],
  nodes: [...SERVICE, "test"],
  gateway: [...ENGINE, "packages/gateway"],
  interop: [...ENGINE, "packages/gateway"],
  peers: [...ENGINE, "packages/gateway"],
  "new-tool": [...SERVICE, "scripts/new-tool", "test", "docs", "CHANGELOG.md", "checks/tool"],
  package: [...SERVICE, "packages", "README.md", "docs", "gen", "scripts"],
  clients: [...SERVICE, "test", "docs", "README.md"],
  deploy: [...SERVICE, "deploy"],
  "deploy/manifests": ["deploy", "src"],
  differential: ["packages/http-server"],
  "fuzz/frames": ["packages/http-server"],
  "fuzz/http1": ["packages/http-server"],
  protos: ["proto", "packages/connect-transcoding", "gen"],
  site: ["README.md", "docs", "packages", "deploy", "release.config.json"],
  data: ["data", "src/tools"],
};

/** Returns the paths whose change can change the result of a suite, with the code of the suite. */
export function inputsOf({ name, build }) {
  const [folder = name] = name.split("/");
  const tested = INPUTS[name] ?? INPUTS[folder] ?? (build ? SERVICE : ENGINE);
  return [
    ...tested,
    folderOf(name),
    "checks/lib",
    "packages/testing",
    "checks/suites.mjs",
    "package-lock.json",
  ];
}

/** The folders of suites that belong to a package, by suite or by the first part of its name. */
const PLACES = {
  differential: "packages/http-server/checks",
  h2spec: "packages/http-server/checks",
  hostile: "packages/http-server/checks",
  "hostile/tools": "checks",
  "fuzz/engine": "packages/connect-transcoding/checks",
  fuzz: "packages/http-server/checks",
  conformance: "packages/connect-transcoding/checks",
  corpus: "packages/connect-transcoding/checks",
  examples: "packages/connect-transcoding/checks",
  mcp: "packages/connect-transcoding/checks",
  "protobuf-conformance": "packages/connect-transcoding/checks",
  protovalidate: "packages/connect-transcoding/checks",
  gateway: "packages/gateway/checks",
  peers: "packages/gateway/checks",
};

const homeOf = (name) => PLACES[name] ?? PLACES[name.split("/")[0]] ?? "checks";
/** Returns the path of a suite's folder. */
export const folderOf = (name) => `${homeOf(name)}/${name.split("/")[0]}`;
/** Returns the path of a suite's program, without its extension. */
const placeOf = (name) => `${homeOf(name)}/${name}`;

const LOADER = ["--import", "./packages/testing/typescript.mjs"];

/** Runs a TypeScript program from its source. */
const typescript = (file, ...flags) => ["node", ...flags, ...LOADER, `${placeOf(file)}.ts`];
const javascript = (file, ...flags) => ["node", ...flags, `${placeOf(file)}.mjs`];
const PYTHON = { needs: ["python3"], debian: "python3-venv" };
const GO_AND_PYTHON = { needs: ["go", "python3"], debian: "python3-venv" };

const TYPES =
  "tsc -p . && tsc -p src/workbench && tsc -p packages/connect-transcoding/src/reference/browser && tsc -p packages/connect-transcoding/examples";

const service = (name, command, more) => ({ name, command, build: true, ...more });
/** A suite of the built service with the files of deploy/, which need Debian packages. */
const deploy = (name, needs, debian, ci = [[]]) =>
  service(`deploy/${name}`, typescript(`deploy/${name}/check`), { needs, debian, ci });

/** @type {readonly Suite[]} */
export const SUITES = [
  // The longest first, so that CI does not wait for one of them at the end. Go builds for minutes where its cache is empty.
  { name: "test", command: ["npx", "vitest", "run"], ci: [[]] },
  service("nodes", javascript("nodes/run"), {
    writes: true,
    // Other suites of CI run on the oldest version, and what depends on Node also runs on the newest.
    ci: [
      ["--short", "--node", "26"],
      ["--short", "--node", "22", "--node", "24", "--suite", "start"],
      ["--short", "--node", "22", "--suite", "peers"],
    ],
  }),
  { name: "hostile", command: typescript("hostile/hostile"), measures: true, ci: [["--short"]] },
  service("hostile/tools", typescript("hostile/tools"), { measures: true, ci: [["--short"]] }),
  // It compares times, and pauses of a machine count.
  service("waiting/waiting", typescript("waiting/waiting"), { onlyByName: true }),
  {
    name: "conformance",
    command: javascript("conformance/run"),
    needs: ["go"],
    packages: ["packages/testing/src/runtimes"],
    ci: [[], ["--host", "node"], ["--host", "bun"]],
  },
  service("gateway", typescript("gateway/upstreams"), {
    packages: ["packages/gateway/checks/gateway", "packages/testing/src/buf"],
    needs: ["go", "mvn", "javac", "python3", "chromium-headless-shell"],
    debian: "maven default-jdk-headless python3-venv chromium-headless-shell",
    ci: [[]],
  }),
  { name: "deploy/manifests", command: javascript("deploy/manifests", ...LOADER), needs: ["go"], ci: [[]] },
  service("new-tool", javascript("new-tool/run"), {
    packages: ["checks/lint", "packages/testing/src/buf"],
    ci: [[]],
  }),
  // Its parts are in other suites of CI.
  { name: "tool", command: ["checks/tool/run.sh"] },
  service("package", javascript("package/run"), { writes: true, ci: [[]] }),
  service("package/readme", javascript("package/readme", ...LOADER), {
    needs: ["curl"],
    debian: "curl",
    ci: [[]],
  }),
  { name: "package/checkout", command: javascript("package/checkout"), ci: [[]] },
  { name: "package/alone", command: javascript("package/alone"), ci: [[]] },
  {
    name: "release",
    command: javascript("release/run"),
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
  service("schemathesis", javascript("schemathesis/run"), {
    ...PYTHON,
    ci: [["--examples", "6", "--short"]],
  }),
  {
    name: "corpus",
    command: javascript("corpus/run"),
    ...PYTHON,
    ci: [
      ["--every", "160"],
      ["--foreign", "--every", "160"],
    ],
  },
  service("engines", typescript("engines/run"), {
    ...PYTHON,
    debian: "python3-venv postgresql default-jre-headless",
    // Spark takes as long as all others together.
    ci: [
      ["DuckDB", "ClickHouse", "Polars", "PostgreSQL", "Without an export"].flatMap((name) => [
        "--engine",
        name,
      ]),
    ],
  }),
  service("examples", javascript("examples/run"), {
    packages: ["packages/connect-transcoding/checks/examples", "packages/testing/src/runtimes"],
    ci: [[]],
  }),
  service("clients/http2", javascript("clients/http2/run", ...LOADER), {
    needs: ["openssl", "curl", "nghttp", "h2load"],
    debian: "openssl curl nghttp2-client",
    ci: [[]],
  }),
  service("clients/documented", javascript("clients/run"), { ...GO_AND_PYTHON, ci: [[]] }),
  {
    name: "clients/buf-curl",
    command: ["npx", "vitest", "run", "--root", "checks/clients"],
    packages: ["packages/testing/src/buf"],
    ci: [[]],
  },
  service("clients/openapi", javascript("clients/openapi/run"), {
    packages: ["checks/clients/openapi"],
    ...GO_AND_PYTHON,
    ci: [[]],
  }),
  service("browser", javascript("browser/run"), {
    needs: ["chromium-headless-shell", "python3"],
    debian: "chromium-headless-shell python3 fonts-noto-core fonts-noto-color-emoji",
    ci: [[]],
  }),
  deploy(
    "proxies",
    ["nginx", "caddy", "haproxy", "openssl", "python3"],
    "nginx-light caddy haproxy openssl python3-venv",
  ),
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
  deploy("units", ["systemd-analyze", "strace"], "systemd strace"),
  service("redis", typescript("redis/shared-limit"), {
    needs: ["redis-server"],
    debian: "redis-server",
    ci: [[]],
  }),
  {
    name: "differential/http1",
    command: typescript("differential/http1"),
    needs: ["nginx"],
    debian: "nginx-light",
    ci: [["--count", "1500", "--seed", "1"]],
  },
  ...["frames", "http1"].map((name) => ({
    name: `fuzz/${name}`,
    command: typescript(`fuzz/${name}`, "--expose-gc"),
    ci: [["--count", "8000", "--seed", "1"]],
  })),
  { name: "fuzz/engine", command: typescript("fuzz/engine"), ci: [["--count", "2500"]] },
  { name: "mcp", command: typescript("mcp/run"), ...PYTHON, ci: [[]] },
  service("protovalidate", javascript("protovalidate/run"), { ci: [[]] }),
  { name: "h2spec", command: javascript("h2spec/run", ...LOADER), needs: ["go"], ci: [[]] },
  {
    name: "protobuf-conformance",
    command: ["packages/connect-transcoding/checks/protobuf-conformance/run.sh"],
    ci: [[]],
  },
  { name: "protos", command: ["checks/protos/run.sh"], writes: true, ci: [[]] },
  { name: "site", command: javascript("site/run"), ci: [[]] },
  { name: "lint", command: javascript("lint/run"), ci: [[]] },
  { name: "types", command: ["sh", "-c", TYPES], build: "packages", ci: [[]] },
  service("bench", typescript("bench/bench"), { onlyByName: true }),
  { name: "data", command: ["checks/data/run.sh"], packages: ["data/build"], ci: [[]] },
  {
    name: "data/cities",
    command: typescript("data/compare-cities", "--max-old-space-size=8000"),
    needs: ["python3"],
    debian: "python3-pip",
    packages: ["data/build"],
    onlyByName: true,
  },
  { name: "data/countries", command: typescript("data/compare-countries"), ...PYTHON, ci: [[]] },
  { name: "data/asn", command: typescript("data/compare-asn"), onlyByName: true },
  {
    name: "interop",
    command: javascript("interop/run", ...LOADER),
    build: "packages",
    needs: ["go", "python3", "openssl"],
    debian: "python3-venv openssl",
    ci: [[]],
  },
  {
    name: "peers",
    command: typescript("peers/check"),
    build: "packages",
    packages: ["packages/testing/src/buf"],
    needs: ["go"],
    ci: [[]],
  },
  service("gateway/bench", typescript("gateway/bench"), {
    packages: ["packages/testing/src/buf"],
    ...GO_AND_PYTHON,
    onlyByName: true,
  }),
  service("soak", typescript("soak/soak"), { onlyByName: true }),
];
