// `npm run check -- clients/http2 [name...]`: tries programs that speak HTTP/2 against the built service, in cleartext and over TLS.
// Without names, all of them. Programs that are not installed are reported and skipped; see docs/reference/conformance.md.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../../lib/certificate.mjs";
import { conclude, mustRun } from "../../lib/checks.mjs";
import { ROOT } from "../programs.mjs";
import { tryCurl } from "./curl.mjs";
import { tryGrpcClients } from "./grpc-clients.mjs";
import { tryGrpcurl } from "./grpcurl.mjs";
import { tryNghttp } from "./nghttp.mjs";
import { tryEnvoy, tryNginx } from "./proxies.mjs";
import { tryTls } from "./tls.mjs";

/** Each name, and the function that tries it. */
const TRIALS = {
  "grpc-js": (context) => tryGrpcClients(["grpc-js"], context),
  grpc: (context) => tryGrpcClients(["grpc-js", "grpc-go", "grpcio", "grpcio aio"], context),
  grpcurl: tryGrpcurl,
  curl: tryCurl,
  nghttp: tryNghttp,
  tls: tryTls,
  nginx: tryNginx,
  envoy: tryEnvoy,
};
const ALL = Object.keys(TRIALS).filter((name) => name !== "grpc-js");

const names = process.argv.length > 2 ? process.argv.slice(2) : ALL;
const folder = mkdtempSync(join(tmpdir(), "utility-tools-http2-"));
try {
  mustRun("npm", ["run", "protos"], { cwd: ROOT });
  const context = { folder, certificate: makeCertificate(folder) };
  for (const name of names) {
    const trial = TRIALS[name];
    if (trial === undefined) {
      throw new Error(`there is no ${name}, but ${Object.keys(TRIALS).join(", ")}`);
    }
    console.log(`\n${name}`);
    await trial(context);
  }
} finally {
  rmSync(folder, { recursive: true });
}
conclude();
