// Opens the API reference of the built service in a real browser and tries it out. `npm test` does not need it.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const BROWSER = "/usr/bin/chromium";
const MAIN = join(import.meta.dirname, "..", "..", "dist", "src", "main.js");
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";

/** What is wrong, one line each. */
const problems = [];

function check(what, holds) {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}`);
  if (!holds) {
    problems.push(what);
  }
}

/** Starts the service on a free port; its first line says where it is. */
async function startService() {
  const service = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(service.stdout)) {
    const url = /ready on (\S+)/.exec(line)?.[1];
    if (url !== undefined) {
      return { service, url };
    }
  }
  throw new Error("the service did not start; run npm run build first");
}

/** Opens an operation, sends one of its examples and returns the answer as it is shown. */
async function tryOut(page, path, { example, parameters = {} } = {}) {
  const operation = page.locator(".opblock", { has: page.locator(`[data-path="${path}"]`) });
  await operation.locator(".opblock-summary").click();
  await operation.locator(".try-out__btn").click();
  if (example !== undefined) {
    await operation.locator(".opblock-section-request-body .examples-select select").selectOption(example);
  }
  for (const [name, value] of Object.entries(parameters)) {
    const row = operation.locator(`tr[data-param-name="${name}"]`);
    await row.locator("select:not(.examples-select-element)").selectOption(value);
  }
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === path);
  await operation.locator(".execute").click();
  const status = (await answered).status();
  const shown = operation.locator(".live-responses-table tbody .response-col_description");
  await shown.locator("code, img").first().waitFor();
  return { status, text: await shown.innerText(), shown };
}

async function checkPage(context, url, screenshots) {
  const page = await context.newPage();
  const foreign = [];
  const complaints = [];
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && origin !== url) {
      foreign.push(request.url());
    }
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      complaints.push(`${message.type()}: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  await page.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
      globalThis.violations.push(`${violatedDirective} ${blockedURI}`);
    });
  });

  await page.goto(`${url}/docs`);
  await page.locator(".opblock").first().waitFor();
  const { paths } = await (await fetch(`${url}/openapi.json`)).json();
  const operations = Object.values(paths).flatMap((path) => Object.keys(path));
  check("the page lists the operations", (await page.locator(".opblock").count()) === operations.length);
  check(
    "the page credits DB-IP with a link",
    (await page.locator('.info a[href="https://db-ip.com"]').count()) === 1,
  );
  await page.screenshot({ path: join(screenshots, "docs.png"), fullPage: true });

  const geoIp = await tryOut(page, "/v1/geoIp");
  check("GET geoIp answers with 200", geoIp.status === 200);
  check("the answer of geoIp is shown", geoIp.text.includes('"asn_name": "Google LLC"'));

  const otp = await tryOut(page, "/v1/otp", { example: "VerifyOtp" });
  check("POST otp answers with 200", otp.status === 200);
  check("the answer of otp is shown", otp.text.includes(SECRET) && /"current": "\d{6}"/.test(otp.text));

  const email = await tryOut(page, "/v1/sanitizeEmail");
  check("POST sanitizeEmail answers with 200", email.status === 200);
  check("the answer of sanitizeEmail is shown", email.text.includes("janedoe@gmail.com"));

  const barcode = await tryOut(page, "/v1/barcode", { parameters: { format: "png" } });
  check("GET barcode answers with 200", barcode.status === 200);
  const image = barcode.shown.locator("img");
  check("the image of barcode is shown", (await image.evaluate((shown) => shown.naturalWidth)) > 100);
  await page.screenshot({ path: join(screenshots, "answers.png"), fullPage: true });

  await page.goto(`${url}/docs/`);
  await page.locator(".opblock").first().waitFor();
  check("/docs/ leads to the page", page.url() === `${url}/docs`);

  const violations = await page.evaluate(() => globalThis.violations);
  check(`no request left the host ${foreign.join(" ")}`, foreign.length === 0);
  check(`no content security policy was violated ${violations.join(" ")}`, violations.length === 0);
  check(`the console has no complaint ${complaints.join(" | ")}`, complaints.length === 0);
}

async function main() {
  if (!existsSync(BROWSER)) {
    console.error(`There is no ${BROWSER}, which this test needs. On Debian: apt-get install chromium`);
    process.exitCode = 1;
    return;
  }
  const profile = mkdtempSync(join(tmpdir(), "docs-browser-"));
  const { service, url } = await startService();
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: BROWSER,
    headless: true,
    args: FLAGS,
    viewport: { width: 1280, height: 900 },
  });
  try {
    await checkPage(context, url, process.env.SCREENSHOTS ?? profile);
  } finally {
    await context.close();
    service.kill();
    rmSync(profile, { recursive: true, force: true });
  }
  console.log(problems.length === 0 ? "the API reference works" : `${problems.length} failed`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

await main();
