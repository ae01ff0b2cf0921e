// `npm run check -- package`: packs the packages and tries them in empty projects that have nothing but tarballs: the programs of the
// documents with the newest and the oldest peers of the engine, the client in Node and bundled for a browser, and the service.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import {
  check,
  checkEqual,
  checkPrinted,
  conclude,
  mustRun,
  run,
  startService,
  temporaryFolder,
} from "connect-transcoding-testing/checks.mjs";
import { build } from "vite";
import { BILL } from "../../scripts/release/bill-of-materials.mjs";
import { EXAMPLE_CONFIG } from "../../scripts/release/config.mjs";
import { packPackages } from "../../scripts/release/pack.mjs";
import { ROOT, read, readJson } from "../../scripts/release/workspace.mjs";
import { documented, writeDocumented } from "../clients/documented.mjs";
import { checkLookUp, createProject, install, installedSize } from "../lib/projects.mjs";
import { BUNDLER, compile, compileDocuments, NODENEXT, pinned } from "./compile.mjs";

/** Files of a package with a build. */
const BUILT = String.raw`(dist|src)\/.*\.(js|ts|map)`;

/** A package with a build. */
const built = (folder, max, ...needs) => ({
  folder,
  max,
  needs: ["README.md", ...needs.map((file) => `dist/${file}`)],
  allowed: BUILT,
});

/** Each package: its folder, the largest tarball in bytes, the files that it must have, and a pattern of others that it may have. */
const PACKAGES = {
  protos: {
    folder: "gen",
    max: 200_000,
    needs: ["services.js", "protos/utilitytools/v1/geoip.proto", "protos/google/api/http.proto"],
    allowed: String.raw`README\.md|(messages|services|service-loaders|.*_pb)\.(js|d\.ts)|comments\.json|protos\/.*\.(proto|binpb)`,
  },
  client: built("client", 60_000, "node.js", "node.d.ts", "browser.js", "browser.d.ts"),
  httpServer: built("packages/http-server", 230_000, "index.js", "index.d.ts"),
  engine: {
    folder: "packages/connect-transcoding",
    max: 800_000,
    needs: ["dist/index.js", "dist/index.d.ts", "proto/connecttranscoding/v1/options.proto"],
    allowed: String.raw`README\.md|${BUILT}|gen\/.*_pb\.(js|d\.ts)|proto\/.*\.proto`,
  },
  operations: built("packages/operations", 110_000, "access/access.js", "telemetry/log.d.ts"),
  gateway: built("packages/gateway", 120_000, "index.js", "index.d.ts", "main.js"),
  service: {
    folder: "",
    max: 35_000_000,
    needs: [
      "deploy/utility-tools.service",
      "deploy/utility-tools-update.service",
      "deploy/utility-tools-update.timer",
      "dist/src/main.js",
      "dist/workbench/index.html",
      "data/asn.mmdb",
      "data/city.columns",
      "data/country-sources.columns",
      "data/countries.json",
      "data/country-names.json",
      "data/email/disposable-domains.txt",
    ],
    allowed: String.raw`README\.md|dist\/(src|workbench)\/.*|data\/[\w.]+|data\/email\/[\w.-]+|src\/service\/pages\/web\/.*`,
  },
};

/** The largest installation of the client, in bytes, and the largest bundle of it for browsers, compressed. */
const MAX_INSTALLED = 10_000_000;
const MAX_BUNDLE = 52_000;

/** The globals of browsers that the client may use. */
const WEB =
  "fetch Headers URL AbortController AbortSignal TextEncoder TextDecoder btoa atob setTimeout clearTimeout performance";

const { files, prints } = documented();

const temporary = temporaryFolder("package");
const changes = () => mustRun("git", ["status", "--porcelain"], { cwd: ROOT }).stdout;
const before = changes();
mustRun("npm", ["run", "protos"], { cwd: ROOT, seconds: 300 });
const service = pack("service");
checkBill();
const [protos, client, httpServer, engine] = ["protos", "client", "httpServer", "engine"].map(pack);
const others = ["operations", "gateway"].map(pack);
compileDocuments(temporary, [protos, client, httpServer, engine, ...others]);
const clientProject = installClient([protos, client]);
compileExamples(clientProject);
await tryService(service, clientProject);
checkEqual("the checkout is unchanged", changes(), before);
conclude();

/** Packs a package as it is published, checks the files in it, and returns the path of its tarball. */
function pack(name) {
  const { folder, max, needs, allowed } = PACKAGES[name];
  const [{ tarball, size, unpackedSize, files: packed }] = packPackages(EXAMPLE_CONFIG, temporary, [folder]);
  const filename = basename(tarball);
  const own = packed.filter((path) => !path.startsWith("node_modules/"));
  check(`${filename}: ${kilobytes(size)}, ${kilobytes(unpackedSize)} unpacked`, size < max);
  const bill = folder === "" ? `dist/src/${BILL}` : BILL;
  const required = ["package.json", "LICENSE", "NOTICE", "CHANGELOG.md", bill, ...needs];
  const missing = required.filter((path) => !own.includes(path));
  check(`${filename} has what it needs`, missing.length === 0, missing.join(" "));
  const unmapped = own.filter((path) => path.endsWith(".js") && !hasItsMap(folder, path, own));
  check(`${filename} has the source maps that its files name`, unmapped.length === 0, unmapped.join(" "));
  const others = own.filter((path) => !required.includes(path) || isStale(folder, path));
  const stray = others.filter((path) => !new RegExp(`^(${allowed})$`).test(path) || isStale(folder, path));
  check(`${filename} has nothing else in its ${own.length} files`, stray.length === 0, stray.join(" "));
  return tarball;
}

/** Checks that the bill of materials of the service has the packages whose licenses the bundler has collected. */
function checkBill() {
  const licensed = ["dist/src/licenses.md", "dist/workbench/workbench/licenses.md"].flatMap((file) =>
    [...read(file).matchAll(/^## (\S+) - (\d\S*) \(/gm)].map(([, name, version]) => `${name}@${version}`),
  );
  const listed = readJson(`dist/src/${BILL}`).components.map(({ name, version }) => `${name}@${version}`);
  checkEqual(
    "the bill of materials has all bundled packages",
    listed.toSorted(),
    [...new Set(licensed)].toSorted(),
  );
}

/** Whether the source map that a program names at its end is packed; true if it names none. */
function hasItsMap(folder, path, packed) {
  const map = /\n\/\/# sourceMappingURL=(\S+)\s*$/.exec(read(join(folder, path)))?.[1];
  return map === undefined || packed.includes(posix.join(posix.dirname(path), map));
}

/** Whether a file in the `dist` of a package was compiled from a source that no longer exists. */
function isStale(folder, path) {
  const source = /^dist\/(.*?)(\.d\.ts|\.js)$/.exec(path)?.[1];
  return folder !== "" && source !== undefined && !existsSync(join(ROOT, folder, "src", `${source}.ts`));
}

function kilobytes(bytes) {
  return `${(bytes / 1e3).toFixed(0)} kB`;
}

/** Installs the client alone to measure it, and then what its examples need. */
function installClient(tarballs) {
  const project = createProject(join(temporary, "client"), tarballs);
  const size = 1_024 * installedSize(project);
  check(`the client installs in ${kilobytes(size)}`, size > 0 && size < MAX_INSTALLED);
  install(project, pinned("@types/node", "@grpc/grpc-js", "@grpc/proto-loader"));
  writeDocumented(files, "", project);
  return project;
}

/** Compiles the examples of docs/guide/clients.md with several settings, and code that must not compile. */
function compileExamples(project) {
  const examples = ["lookup.ts", "page.ts"];
  // TypeScript's DOM library declares HeadersInit itself.
  const withoutDom = [...examples, "globals.d.ts"];
  writeFileSync(
    join(project, "wrong.ts"),
    `import { createUtilityToolsClient } from "@utility-tools/client/browser";
// @ts-expect-error browsers do not support gRPC
createUtilityToolsClient("/", { protocol: "grpc" });
// @ts-expect-error unknown service
createUtilityToolsClient("/").weather;
// @ts-expect-error unknown field
void createUtilityToolsClient("/").geoIp.lookupIp({ ip: "8.8.8.8" });
`,
  );
  writeFileSync(
    join(project, "browser-condition.ts"),
    `import { createUtilityToolsClient } from "@utility-tools/client";
// @ts-expect-error browsers do not support gRPC
createUtilityToolsClient("/", { protocol: "grpc" });
`,
  );
  const dom = { lib: ["es2023", "dom"] };
  compile("client, nodenext, Node's types only", project, { ...NODENEXT, lib: ["es2023"] }, withoutDom);
  compile("client, nodenext, with DOM", project, { ...NODENEXT, ...dom, noEmit: true }, examples);
  compile("client, bundler, Node's types only", project, { ...BUNDLER, lib: ["es2023"] }, withoutDom);
  const browserOnly = { ...BUNDLER, ...dom, types: [] };
  compile("client, bundler, DOM only", project, browserOnly, ["page.ts", "wrong.ts"]);
  compile("client, bundler, condition browser", project, { ...browserOnly, customConditions: ["browser"] }, [
    "page.ts",
    "browser-condition.ts",
  ]);
}

/** Installs the service and starts it with its command. Runs the client's examples against it. */
async function tryService(tarball, clientProject) {
  const project = createProject(join(temporary, "service"), [tarball]);
  const installed = readdirSync(join(project, "node_modules"), { recursive: true }).filter((path) =>
    path.endsWith("package.json"),
  );
  const only = "@utility-tools/server/package.json";
  check("the service installs without dependencies", installed.join() === only, installed.join());
  const service = await startService(join(project, "node_modules/.bin/utility-tools"), ["serve"]);
  await checkLookUp("utility-tools serve: GET /v1/geoIp", service.url);
  for (const path of ["/docs", "/openapi.json", "/"]) {
    check(`utility-tools serve: GET ${path}`, (await fetch(`${service.url}${path}`)).status === 200);
  }
  runExamples(clientProject, service);
  await bundleAndRun(clientProject, service.url);
  await service.stop();
}

function runExamples(project, { url, target }) {
  const env = { PATH: process.env.PATH, UTILITY_TOOLS_URL: url, UTILITY_TOOLS_TARGET: target };
  const example = (name, program, shown = name) =>
    checkPrinted(`runs: ${name}`, run(process.execPath, [program], { cwd: project, env }), prints.get(shown));
  example("lookup.ts", "out/lookup.js");
  example("grpc-js.mjs", "grpc-js.mjs");
  const lookup = readFileSync(join(project, "out/lookup.js"), "utf8");
  for (const protocol of ["grpc", "grpc-web"]) {
    const program = lookup.replace("apiKey:", `protocol: "${protocol}", apiKey:`);
    check(`lookup.ts can use ${protocol}`, program !== lookup);
    writeFileSync(join(project, `out/${protocol}.js`), program);
    example(`lookup.ts over ${protocol}`, `out/${protocol}.js`, "lookup.ts");
  }
}

/** Bundles the example for browsers, and runs it in a context with a browser's globals only. */
async function bundleAndRun(project, url) {
  const page = readFileSync(join(project, "page.ts"), "utf8");
  const plain = page.replace("@utility-tools/client/browser", "@utility-tools/client");
  check("page.ts imports the entry for browsers", plain !== page);
  writeFileSync(join(project, "plain-page.ts"), plain);
  for (const entry of ["page.ts", "plain-page.ts"]) {
    const code = await bundle(project, entry);
    const compressed = gzipSync(code).length;
    const size = `${kilobytes(code.length)}, ${(compressed / 1e3).toFixed(1)} kB compressed`;
    check(`bundled for browsers: ${entry}: ${size}`, compressed < MAX_BUNDLE);
    check(`${entry} bundles no module of Node`, !/\bnode:|__vite-browser-external|\brequire\(/.test(code));
    const { whereIs } = runInContext(`${code}; page`, browserContext(`${url}/somewhere`));
    const found = [await whereIs("8.8.8.8"), await whereIs("10.0.0.1")].join();
    check(`runs: bundle of ${entry}`, found === "8.8.8.8: US,10.0.0.1: Private-Use", found);
  }
}

/** Bundles a file of a project into a script that sets `page`. */
async function bundle(project, entry) {
  const [{ output }] = await build({
    root: project,
    configFile: false,
    logLevel: "warn",
    build: { write: false, lib: { entry: join(project, entry), formats: ["iife"], name: "page" } },
  });
  return output[0].code;
}

function browserContext(href) {
  const web = WEB.split(" ").map((name) => [name, globalThis[name]]);
  return createContext({ ...Object.fromEntries(web), location: { href } });
}
