// `npm run check -- clients/http1 [-- NAME …]`: tries clients and proxies over the less usual parts of HTTP/1.x against the built service, in
// cleartext and over TLS. Without names, all of them. Programs that are not installed are reported and skipped.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../../lib/certificate.mjs";
import { conclude } from "../../lib/checks.mjs";
import { serve } from "../http2/service.mjs";
import { lookUp, tryClient } from "./clients.mjs";
import { tryCurl } from "./curl.mjs";
import { tryAb, tryWrk } from "./load.mjs";
import { tryEnvoy, tryNginx } from "./proxies.mjs";
import { tryRaw } from "./raw.mjs";

/** Each name, and the function that tries it. */
const TRIALS = {
  raw: tryRaw,
  "http.client": (context) => tryClient("http.client", context),
  httpx: (context) => tryClient("httpx", context),
  go: (context) => tryClient("go", context),
  java: (context) => tryClient("java", context),
  curl: tryCurl,
  ab: tryAb,
  wrk: tryWrk,
  nginx: tryNginx,
  envoy: tryEnvoy,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TRIALS);
const folder = mkdtempSync(join(tmpdir(), "utility-tools-http1-"));
try {
  const service = await serve();
  const lookup = await lookUp(service.url);
  await service.stop();
  const context = { folder, certificate: makeCertificate(folder), lookup };
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
