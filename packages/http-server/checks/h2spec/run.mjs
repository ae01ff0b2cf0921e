// Runs all cases of h2spec, also the strict ones, against the server with a service of the engine, in cleartext and over TLS.
import { join } from "node:path";
import { makeCertificate } from "connect-transcoding-testing/certificate.mjs";
import { check, conclude, run, startService, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { goPrograms } from "connect-transcoding-testing/go.mjs";
import { SHELF_SERVER } from "connect-transcoding-testing/typescript-flags.js";

/** A path that serves GET, and one that serves POST. h2spec sends one or the other depending on the case. */
const PATHS = ["/v1/shelves/1/books/long", "/v1/shelves/1/books"];

/** The cases that may fail in cleartext, and why. */
const CLEARTEXT_EXCEPTIONS = [
  // The port also serves HTTP/1.1, so the bytes are a malformed request, which gets a 400 before the connection is closed.
  // h2spec expects a connection that is closed without a response.
  "Sends invalid connection preface",
];

/** The number of cases of the version in go.mod. */
const CASES = 146;

const programs = goPrograms("h2spec", import.meta.dirname, ["github.com/summerwind/h2spec/cmd/h2spec"]);
const { cert, key } = makeCertificate(temporaryFolder("h2spec"));
await tryTransport("cleartext", CLEARTEXT_EXCEPTIONS, {}, []);
await tryTransport("TLS", [], { TLS_CERT_FILE: cert, TLS_KEY_FILE: key }, ["-t", "-k"]);
conclude();

/** Runs h2spec for each path. No case may fail without an explained exception. */
async function tryTransport(transport, exceptions, env, options) {
  const server = await startService(process.execPath, SHELF_SERVER, env);
  try {
    for (const path of PATHS) {
      const args = ["-S", "-h", "127.0.0.1", "-p", new URL(server.url).port, "-P", path, ...options];
      const { stdout, stderr } = run(join(programs, "h2spec"), args, { seconds: 300 });
      // The list of failures repeats what is printed for each case.
      const failed = [...new Set([...stdout.matchAll(/× (?:\d+: )?(.*)/g)].map(([, name]) => name))];
      const count = `${CASES} tests, ${CASES - failed.length} passed, 0 skipped, ${failed.length} failed`;
      const isExplained = failed.every((name) => exceptions.includes(name));
      check(`${transport} ${path}: ${count}`, stdout.includes(count) && isExplained, stdout + stderr);
    }
  } finally {
    await server.stop();
  }
}
