import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { check } from "../../lib/checks.mjs";
import { serve } from "./service.mjs";

const CHROMIUM = "/usr/bin/chromium";

/** Tries Chromium over TLS, where it negotiates HTTP/2 by ALPN. */
export async function tryChromium({ certificate }) {
  if (!existsSync(CHROMIUM)) {
    console.log("skipped: needs Debian's chromium");
    return;
  }
  const service = await serve(certificate);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const failures = [];
    page.on("requestfailed", (request) => failures.push(`${request.url()} ${request.failure()?.errorText}`));
    page.on("pageerror", (error) => failures.push(String(error)));
    const response = await page.goto(`${service.url}/`, { waitUntil: "networkidle" });
    check(
      "chromium: the page loads",
      response?.status() === 200 && failures.length === 0,
      failures.join("\n"),
    );

    const protocols = await page.evaluate(() =>
      performance.getEntries().flatMap(({ nextHopProtocol }) => nextHopProtocol ?? []),
    );
    check(
      `chromium: all ${protocols.length} requests of the page use h2`,
      protocols.length > 2 && protocols.every((each) => each === "h2"),
      protocols,
    );

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
    check("chromium: fetch with POST", posted === "200 janedoe@gmail.com h2", posted);

    const error = await page.evaluate(async () => {
      const response = await fetch("/v1/geoIp?ip_address=nonsense");
      return `${response.status} ${JSON.stringify(await response.json())}`;
    });
    check("chromium: an error with details", /^400 .*INVALID_PARAMETERS/.test(error), error);

    const right = await page.evaluate(async () => {
      const addresses = Array.from({ length: 1_000 }, (_, number) => `8.8.${number >> 8}.${number & 255}`);
      const found = await Promise.all(
        addresses.map((each) => fetch(`/v1/geoIp?ip_address=${each}`).then((response) => response.json())),
      );
      return addresses.filter((each, index) => found[index].ip === each).length;
    });
    check("chromium: 1,000 concurrent requests", right === 1_000, right);

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
    check("chromium: 20 streams are aborted", aborted === '{"status":"SERVING"} AbortError', aborted);
    await browser.close();
  } finally {
    await browser.close();
    const code = await service.stop();
    check("the service has shut down", code === 0, code);
  }
}
