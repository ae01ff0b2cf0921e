// Uses the built service over TLS in a real browser, which negotiates HTTP/2 by ALPN.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../lib/certificate.mjs";
import { check, checkEqual, conclude } from "../lib/checks.mjs";
import { inBrowser } from "./harness.mjs";

const folder = mkdtempSync(join(tmpdir(), "browser-http2-"));
const { cert, key } = makeCertificate(folder);
const env = { TLS_CERT_FILE: cert, TLS_KEY_FILE: key };
await inBrowser("HTTP/2", ({ url, open }) => visit(url, open), env);
rmSync(folder, { recursive: true });
conclude();

async function visit(url, open) {
  const { page, finish } = await open(undefined, { ignoreHTTPSErrors: true });
  const failures = [];
  page.on("requestfailed", (request) => failures.push(`${request.url()} ${request.failure()?.errorText}`));
  const response = await page.goto(`${url}/`, { waitUntil: "networkidle" });
  check("the page loads", response?.status() === 200 && failures.length === 0, failures.join("\n"));

  const protocols = await page.evaluate(() =>
    performance.getEntries().flatMap(({ nextHopProtocol }) => nextHopProtocol ?? []),
  );
  const isHttp2 = protocols.length > 2 && protocols.every((each) => each === "h2");
  check(`all ${protocols.length} requests of the page use h2`, isHttp2, protocols);

  const posted = await page.evaluate(async () => {
    const response = await fetch("/v1/sanitizeEmail", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "Jane.Doe+news@GoogleMail.com" }),
    });
    const email = await response.text();
    const [entry] = performance.getEntriesByName(response.url);
    return `${response.status} ${email} ${entry?.nextHopProtocol}`;
  });
  checkEqual("fetch with POST", posted, "200 janedoe@gmail.com h2");

  const error = await page.evaluate(async () => {
    const response = await fetch("/v1/geoIp?ip_address=nonsense");
    return `${response.status} ${JSON.stringify(await response.json())}`;
  });
  check("an error with details", /^400 .*INVALID_PARAMETERS/.test(error), error);

  const right = await page.evaluate(async () => {
    const addresses = Array.from({ length: 1_000 }, (_, number) => `8.8.${number >> 8}.${number & 255}`);
    const found = await Promise.all(
      addresses.map((each) => fetch(`/v1/geoIp?ip_address=${each}`).then((response) => response.json())),
    );
    return addresses.filter((each, index) => found[index].ip === each).length;
  });
  checkEqual("1,000 concurrent requests", right, 1_000);

  const aborted = await page.evaluate(async () => {
    const watches = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const controller = new AbortController();
        const response = await fetch("/grpc.health.v1.Health/Watch", {
          method: "POST",
          headers: { "content-type": "application/connect+json" },
          body: new Uint8Array([0, 0, 0, 0, 2, 0x7b, 0x7d]),
          signal: controller.signal,
        });
        const reader = response.body.getReader();
        const { value } = await reader.read();
        controller.abort();
        const end = await reader.read().catch(({ name }) => name);
        return `${new TextDecoder().decode(value.subarray(5))} ${end}`;
      }),
    );
    return [...new Set(watches)].join("\n");
  });
  checkEqual("20 streams are aborted", aborted, '{"status":"SERVING"} AbortError');
  await finish(/400/);
}
