// What the tests in a real browser stand on: the built service, Chromium, and a watch on what pages do.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { check, startService } from "../checks.mjs";

const BROWSER = "/usr/bin/chromium";
/** The built program. */
export const MAIN = join(import.meta.dirname, "..", "..", "dist", "src", "main.js");
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Notes what pages of a context must never do: requests to other hosts, violations of their policy, and complaints. */
async function watch(context, url) {
  const seen = { foreign: [], violations: [], complaints: [] };
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && origin !== url) {
      seen.foreign.push(request.url());
    }
  });
  context.on("page", (page) => {
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) {
        seen.complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`);
      }
    });
    page.on("pageerror", (error) => seen.complaints.push(`exception: ${error.message}`));
  });
  await context.exposeFunction("noteViolation", (text) => seen.violations.push(text));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      globalThis.noteViolation(`${violatedDirective} ${blockedURI}`),
    );
  });
  return seen;
}

/**
 * Runs the service, and a browser beside it, for a test. `run` gets the address of the service, and `open` for a new context
 * (with Playwright's options), whose `finish` checks what no page may do.
 */
export async function inBrowser(name, run, env = {}) {
  if (!existsSync(BROWSER)) {
    console.error(`There is no ${BROWSER}, which this test needs. On Debian: apt-get install chromium`);
    process.exitCode = 1;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "browser-"));
  const { url, stop } = await startService(process.execPath, [MAIN], env);
  const browser = await chromium.launch({ executablePath: BROWSER, headless: true, args: FLAGS });
  try {
    const open = async (options) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      const seen = await watch(context, url);
      const finish = async (expected = () => false) => {
        const complaints = seen.complaints.filter((each) => !expected(each));
        check("no request left the host", seen.foreign.length === 0, seen.foreign.join(" "));
        check(
          "no content security policy was violated",
          seen.violations.length === 0,
          seen.violations.join(" "),
        );
        check("the console has no complaint", complaints.length === 0, complaints.join(" | "));
        await context.close();
      };
      return { context, finish };
    };
    console.log(`\n${name}`);
    await run({ url, open, screenshots: process.env.SCREENSHOTS ?? folder });
  } finally {
    await browser.close();
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
