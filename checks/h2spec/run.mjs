// Runs all cases of h2spec, also the strict ones, against the built service, in cleartext and over TLS.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAIN } from "../clients/programs.mjs";
import { makeCertificate } from "../lib/certificate.mjs";
import { check, conclude, run, startService } from "../lib/checks.mjs";
import { goPrograms } from "../lib/go.mjs";

/** A path that serves GET, and one that serves POST. h2spec sends one or the other depending on the case. */
const PATHS = ["/v1/countries", "/v1/otp"];

/** The cases that may fail in cleartext, and why. The names begin with h2spec's section. */
const CLEARTEXT_EXCEPTIONS = [
  // The port also serves HTTP/1.1, so the bytes are a malformed request, which gets a 400 before the connection is closed.
  // h2spec expects a connection that is closed without a response.
  "http2/3.5 Sends invalid connection preface",
];

/** The number of cases of the version in go.mod. */
const CASES = 146;

const programs = goPrograms("h2spec", import.meta.dirname, ["github.com/summerwind/h2spec/cmd/h2spec"]);
const temporary = mkdtempSync(join(tmpdir(), "utility-tools-h2spec-"));
try {
  const { cert, key } = makeCertificate(temporary);
  await tryTransport("cleartext", CLEARTEXT_EXCEPTIONS, {}, []);
  await tryTransport("TLS", [], { TLS_CERT_FILE: cert, TLS_KEY_FILE: key }, ["-t", "-k"]);
} finally {
  rmSync(temporary, { recursive: true });
}
conclude();

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
  const result = run(
    join(programs, "h2spec"),
    ["-S", "-h", "127.0.0.1", "-p", port, "-P", path, "-j", report, ...options],
    {
      seconds: 300,
    },
  );
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
