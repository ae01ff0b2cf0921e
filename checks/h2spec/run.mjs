// `npm run check -- h2spec`: runs all cases of h2spec, also the strict ones, against the built service, in cleartext and over TLS. Go
// builds h2spec once, into node_modules/.cache/h2spec/; without Go nothing is tested.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../lib/certificate.mjs";
import { check, conclude, mustRun, run, startService } from "../lib/checks.mjs";
import { CLEARTEXT_EXCEPTIONS, PATHS } from "./exceptions.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const MAIN = join(ROOT, "dist", "src", "main.js");
/** The number of cases of the version in go.mod. */
const CASES = 146;

const h2spec = build();
if (h2spec === undefined) {
  console.log("skipped: h2spec is a Go program, and there is no go, 1.26 or later");
  process.exit(0);
}
const temporary = mkdtempSync(join(tmpdir(), "utility-tools-h2spec-"));
try {
  const { cert, key } = makeCertificate(temporary);
  await tryTransport("cleartext", CLEARTEXT_EXCEPTIONS, {}, []);
  await tryTransport("TLS", [], { TLS_CERT_FILE: cert, TLS_KEY_FILE: key }, ["-t", "-k"]);
} finally {
  rmSync(temporary, { recursive: true });
}
conclude();

/** Builds h2spec with the versions in go.sum, unless it has been built from the same. Returns undefined without Go. */
function build() {
  const sums = readFileSync(join(import.meta.dirname, "go.sum"));
  const folder = join(ROOT, "node_modules", ".cache", "h2spec");
  const [program, done] = [join(folder, "h2spec"), join(folder, "go.sum")];
  if (existsSync(done) && readFileSync(done).equals(sums)) {
    return program;
  }
  if (run("sh", ["-c", "go version | grep -Eq 'go(1\\.(2[6-9]|[3-9][0-9])|[2-9])'"]).status !== 0) {
    return undefined;
  }
  console.log("building h2spec, once");
  mkdirSync(folder, { recursive: true });
  const args = ["build", "-mod=readonly", "-o", program, "github.com/summerwind/h2spec/cmd/h2spec"];
  mustRun("go", args, { cwd: import.meta.dirname, seconds: 300 });
  mustRun("cp", [join(import.meta.dirname, "go.sum"), done]);
  return program;
}

/** Runs h2spec for each path. No case may fail without an explained exception. */
async function tryTransport(transport, exceptions, env, options) {
  const service = await startService(process.execPath, [MAIN], env);
  try {
    for (const path of PATHS) {
      const cases = runCases(new URL(service.url).port, path, options);
      const failed = cases.filter(({ failure }) => failure !== undefined);
      const unexplained = failed.filter(({ name }) => !exceptions.includes(name));
      const count = `${cases.length - failed.length} of ${CASES} cases pass`;
      check(
        `${transport} ${path}: ${count}, ${failed.length - unexplained.length} fail as explained`,
        cases.length === CASES && unexplained.length === 0,
        unexplained.map(({ name, failure }) => `\n  ${name}\n${failure}`).join(""),
      );
    }
  } finally {
    await service.stop();
  }
}

/** Runs all cases for a path. Returns the name of each, and what was expected and found if it failed. */
function runCases(port, path, options) {
  const report = join(temporary, "report.xml");
  rmSync(report, { force: true });
  const result = run(h2spec, ["-S", "-h", "127.0.0.1", "-p", port, "-P", path, "-j", report, ...options], {
    seconds: 300,
  });
  if (!existsSync(report)) {
    throw new Error(`h2spec failed: ${result.error ?? ""}${result.stdout}${result.stderr}`);
  }
  const cases = readFileSync(report, "utf8").matchAll(
    /<testcase package="([^"]*)" classname="([^"]*)"[^>]*>([\s\S]*?)<\/testcase>/g,
  );
  return [...cases].map(([, section, title, outcome]) => ({
    name: decoded(`${section} ${title}`),
    failure: outcome === "" ? undefined : decoded(outcome),
  }));
}

function decoded(text) {
  return text
    .replaceAll("&#34;", '"')
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
