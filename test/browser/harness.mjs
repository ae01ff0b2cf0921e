// What the tests in a real browser stand on: the built service, Chromium, and a watch on what pages do.
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

/** Starts the service on a free port; its first line says where it is. */
async function startService(env) {
  const service = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, PORT: "0", ...env },
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
 * Runs the service, and a browser beside it, for a test. `run` gets the address of the service, `open` for a new
 * context (with Playwright's options), and `check` for a line of what holds; it fails where one line does not.
 */
export async function inBrowser(name, run, env = {}) {
  if (!existsSync(BROWSER)) {
    console.error(`There is no ${BROWSER}, which this test needs. On Debian: apt-get install chromium`);
    process.exitCode = 1;
    return;
  }
  const problems = [];
  const check = (what, holds, detail = "") => {
    console.log(`${holds ? "ok  " : "FAIL"} ${what}${holds ? "" : ` ${detail}`}`);
    if (!holds) {
      problems.push(what);
    }
  };
  const folder = mkdtempSync(join(tmpdir(), "browser-"));
  const { service, url } = await startService(env);
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
    await run({ url, open, check, screenshots: process.env.SCREENSHOTS ?? folder });
  } finally {
    await browser.close();
    service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(problems.length === 0 ? `${name} works` : `${problems.length} failed`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
