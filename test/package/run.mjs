// `npm run test:package`: packs the package, installs it in an empty project, and uses it there as docs/clients.md shows: the
// command, the types, the client in Node and bundled for a browser.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { check, checkPrinted, conclude, mustRun, run, startService } from "../checks.mjs";
import { documented, writeDocumented } from "../clients/documented.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const TSC = join(ROOT, "node_modules", ".bin", "tsc");

/** The longest tarball, and the longest bundle of a client compressed, in octets. */
const MAX_TARBALL = 16_000_000;
const MAX_BUNDLE = 50_000;

const { files, prints } = documented();
const { devDependencies, dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const project = mkdtempSync(join(tmpdir(), "utility-tools-package-"));
try {
  const tarball = pack();
  install(tarball);
  compile();
  await use();
} finally {
  rmSync(project, { recursive: true, force: true });
}
conclude();

function pack() {
  const { stdout } = mustRun("npm", ["pack", "--json", "--pack-destination", project], {
    cwd: ROOT,
    seconds: 300,
  });
  const [{ filename, size, files: packed }] = JSON.parse(stdout.slice(stdout.indexOf("\n[") + 1));
  const own = packed.map(({ path }) => path).filter((path) => !path.startsWith("node_modules/"));
  const stray = own.filter((path) =>
    /^(dist\/)?test\/|\bbench|\.map$|^\.|^proto\/|^src\/(?!web\/)/.test(path),
  );
  check(`the tarball has ${(size / 1e6).toFixed(1)} MB`, size < MAX_TARBALL);
  check(`its ${own.length} files are neither tests nor sources: ${stray.join(" ")}`, stray.length === 0);
  return join(project, filename);
}

function install(tarball) {
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module", private: true }));
  const beside = ["@connectrpc/connect", "@connectrpc/connect-node", "@bufbuild/protobuf"].map(
    (name) => `${name}@${dependencies[name]}`,
  );
  const forTypes = ["@types/node", "@grpc/grpc-js", "@grpc/proto-loader"].map(
    (name) => `${name}@${devDependencies[name]}`,
  );
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  mustRun("npm", ["install", ...flags, tarball, ...beside, ...forTypes], { cwd: project, seconds: 300 });
  const scarf = JSON.parse(
    readFileSync(join(project, "node_modules/utility-tools/node_modules/@scarf/scarf/package.json"), "utf8"),
  );
  check("what reports installations is not installed", scarf.name === "empty-npm-package");
  writeDocumented(files, "", project);
  cpSync(join(project, "node_modules/utility-tools/dist/protos"), join(project, "protos"), {
    recursive: true,
  });
}

/** Compiles the examples as a careful project would, and tries what must not compile. */
function compile() {
  const strictest = {
    target: "es2023",
    strict: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    types: ["node"],
  };
  const nodenext = { ...strictest, module: "nodenext", moduleResolution: "nodenext", outDir: "out" };
  const bundler = { ...strictest, module: "esnext", moduleResolution: "bundler", noEmit: true };
  const forNode = ["lookup.ts", "generated.ts", "page.ts", "globals.d.ts"];
  // With DOM, TypeScript has HeadersInit itself.
  const forBrowser = ["lookup.ts", "generated.ts", "page.ts"];

  writeFileSync(
    join(project, "wrong.ts"),
    `import { createUtilityToolsClient } from "utility-tools/browser";
// @ts-expect-error a browser cannot
createUtilityToolsClient("/", { protocol: "grpc" });
// @ts-expect-error there is no such service
createUtilityToolsClient("/").weather;
// @ts-expect-error there is no such field
void createUtilityToolsClient("/").geoIp.lookupIp({ ip: "8.8.8.8" });
`,
  );
  writeFileSync(
    join(project, "browser-condition.ts"),
    `import { createUtilityToolsClient } from "utility-tools";
// @ts-expect-error a browser cannot
createUtilityToolsClient("/", { protocol: "grpc" });
`,
  );
  compileWith("nodenext, with Node's types alone", { ...nodenext, lib: ["es2023"] }, forNode);
  compileWith("nodenext, with DOM", { ...nodenext, noEmit: true, lib: ["es2023", "dom"] }, forBrowser);
  compileWith("bundler, with Node's types alone", { ...bundler, lib: ["es2023"] }, forNode);
  compileWith("bundler, with DOM and no types of Node's", { ...bundler, lib: ["es2023", "dom"], types: [] }, [
    "page.ts",
    "wrong.ts",
  ]);
  compileWith(
    "bundler, with the condition browser",
    { ...bundler, lib: ["es2023", "dom"], types: [], customConditions: ["browser"] },
    ["page.ts", "browser-condition.ts"],
  );
}

function compileWith(what, compilerOptions, files) {
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const { status, stdout, stderr } = run(TSC, ["-p", "tsconfig.json"], { cwd: project });
  check(`compiles: ${what}`, status === 0);
  if (status !== 0) {
    console.log(`${stdout}${stderr}`);
  }
}

/** Runs the service from the command of the package, and the examples against it. */
async function use() {
  const service = await startService(join(project, "node_modules/.bin/utility-tools"), ["serve"]);
  const env = {
    PATH: process.env.PATH,
    UTILITY_TOOLS_URL: service.url,
    UTILITY_TOOLS_TARGET: service.target,
  };
  const example = (name, program) =>
    checkPrinted(`runs: ${name}`, run(process.execPath, program, { cwd: project, env }), prints.get(name));
  try {
    check("the command serves the reference page", (await fetch(`${service.url}/docs`)).status === 200);
    example("lookup.ts", ["out/lookup.js"]);
    example("generated.ts", ["out/generated.js"]);
    example("grpc-js.mjs", ["grpc-js.mjs"]);
    for (const protocol of ["grpc", "grpc-web"]) {
      const program = readFileSync(join(project, "out/lookup.js"), "utf8").replace(
        "apiKey:",
        `protocol: "${protocol}", apiKey:`,
      );
      writeFileSync(join(project, "out", `${protocol}.js`), program);
      const result = run(process.execPath, [`out/${protocol}.js`], { cwd: project, env });
      checkPrinted(`runs: lookup.ts over ${protocol}`, result, prints.get("lookup.ts"));
    }
    await bundleAndUse(service.url);
  } finally {
    await service.stop();
  }
}

/** Bundles the example for browsers, and runs it with nothing but what browsers have. */
async function bundleAndUse(url) {
  const page = readFileSync(join(project, "page.ts"), "utf8");
  // A bundler finds the browser's client behind the plain name as well.
  writeFileSync(join(project, "plain-page.ts"), page.replace("utility-tools/browser", "utility-tools"));
  for (const entry of ["page.ts", "plain-page.ts"]) {
    const code = await bundle(entry);
    const compressed = gzipSync(code).length;
    const size = `${(code.length / 1e3).toFixed(0)} kB, ${(compressed / 1e3).toFixed(1)} kB compressed`;
    check(`bundled for browsers: ${entry}: ${size}`, compressed < MAX_BUNDLE);
    check(`its bundle asks for nothing of Node`, !/\bnode:|__vite-browser-external|\brequire\(/.test(code));
    const { whereIs } = runInContext(`${code}; page`, browserLike(`${url}/somewhere`));
    const answers = [await whereIs("8.8.8.8"), await whereIs("10.0.0.1")];
    check(
      `its bundle answers: ${answers.join(", ")}`,
      answers.join() === "8.8.8.8: US,10.0.0.1: Private-Use",
    );
  }
}

async function bundle(entry) {
  const [{ output }] = await build({
    root: project,
    configFile: false,
    logLevel: "warn",
    build: { write: false, lib: { entry: join(project, entry), formats: ["iife"], name: "page" } },
  });
  return output[0].code;
}

function browserLike(href) {
  const { fetch, Headers, URL, AbortController, AbortSignal, TextEncoder, TextDecoder, btoa, atob } =
    globalThis;
  const web = { fetch, Headers, URL, AbortController, AbortSignal, TextEncoder, TextDecoder, btoa, atob };
  return createContext({ ...web, setTimeout, clearTimeout, performance, location: { href } });
}
