// Shared by the browser tests: starts the built service and Chromium, and watches what the pages do.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { check, checkEqual, startService, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import jsQR from "jsqr";
import { chromium } from "playwright-core";
import { PNG } from "pngjs";
import { MAIN, makeKey } from "../lib/service.mjs";

/** Hosts besides 127.0.0.1 that lead to the service: one of a private network, and one with a name. */
export const HOSTS = { network: "192.168.7.7", name: "tools.test" };

/** Besides those of Playwright. */
const FLAGS = [
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--js-flags=--expose-gc",
  `--host-resolver-rules=${Object.values(HOSTS).map((host) => `MAP ${host} 127.0.0.1`)}`,
];

/** Records what pages must never do: request other hosts, violate the content security policy, log errors. */
async function watch(context, url) {
  const seen = { foreign: [], violations: [], complaints: [] };
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && origin !== url) {
      seen.foreign.push(request.url());
    }
  });
  context.on("console", (message) => {
    const isBlocked = /^Service Worker registration blocked by Playwright/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !isBlocked) {
      seen.complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`);
    }
  });
  context.on("weberror", (each) => {
    const complaint = `exception: ${each.error().message}`;
    // The visit may wait in vain for what the exception prevents.
    console.log(complaint);
    seen.complaints.push(complaint);
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
 * Runs the service and a browser for a test. `run` is called with the URL of the service and with `open`, which opens a page in a
 * browser context with Playwright's options, and a panel of the web page if it is called with one. `stop` and `restart` end and start the
 * service. The option `host` is one of {@link HOSTS}. The `finish` of a page checks what pages must never do; its argument matches expected console messages.
 */
export async function inBrowser(name, run, env = {}) {
  let service = await startService(process.execPath, [MAIN], env);
  const { url } = service;
  const stop = () => service.stop();
  const restart = async () => {
    service = await startService(process.execPath, [MAIN], { ...env, PORT: new URL(url).port });
  };
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: FLAGS });
  try {
    const open = async (panel, { host = new URL(url).hostname, ...options } = {}) => {
      const origin = url.replace(new URL(url).hostname, host);
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        // Playwright sees no request that a service worker answers.
        serviceWorkers: "block",
        ...options,
      });
      await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
      const seen = await watch(context, origin);
      const page = await context.newPage();
      if (panel !== undefined) {
        await openPanel(page, origin, panel);
      }
      const finish = async (expected = /^$/) => {
        const complaints = seen.complaints.filter((each) => !expected.test(each));
        checkEqual("no request left the host", seen.foreign, []);
        checkEqual("no content security policy was violated", seen.violations, []);
        checkEqual("the console has no errors", complaints, []);
        await context.close();
      };
      return { context, page, finish };
    };
    console.log(`\n${name}`);
    await run({ url, open, stop, restart });
  } finally {
    await browser.close();
    await stop();
  }
}

/** As {@link inBrowser}, with a service that requires an API key. `run` is called with the key as well. */
export async function withApiKey(name, run) {
  const { key, keysFile } = makeKey(temporaryFolder("browser-keys"));
  await inBrowser(name, (browser) => run(browser, key), { API_KEYS_FILE: keysFile });
}

/** Fetches JSON from the service. */
export const json = async (url, init) => (await fetch(url, init)).json();

/** Posts JSON to the service, and fetches JSON. */
export const post = (url, body) =>
  json(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** The button with a name. */
export const buttonOf = (page, name) => page.getByRole("button", { name, exact: true });

/** Presses the button with a name. */
export const press = (page, name) => buttonOf(page, name).click();

/** The text field with a name. */
export const fieldOf = (page, name) => page.getByRole("textbox", { name, exact: true });

/** Waits until an element is visible, which is a check. */
export async function checkShown(what, locator) {
  await locator.waitFor();
  check(what, true);
}

/** Returns the fragment of the URL of a page. */
export const hashOf = (page) => new URL(page.url()).hash;

/** Returns the URLs in the history of a page. */
export const historyOf = (page) => page.evaluate(() => navigation.entries().map((entry) => entry.url));

/** Returns the texts that describe a field. */
export const descriptionOf = (field) =>
  field.evaluate((element) => element.ariaDescribedByElements.map((each) => each.textContent).join(" "));

/** Returns what screen readers get of a page. */
export async function accessibilityTree(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return JSON.stringify(nodes.map(({ name, value }) => [name?.value, value?.value]));
}

/** Returns the text in the clipboard. */
export const clipboardOf = (page) => page.evaluate(() => navigator.clipboard.readText());

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Checks that axe finds no problem on a page. Needs `bypassCSP`. */
export async function checkAxe(page, what) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run({ rules: { "target-size": { enabled: true } } }),
  );
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  checkEqual(`axe finds no problem in ${what}`, found, []);
}

/** Checks that axe finds no problem on a page, also on a phone, where it does not scroll sideways. */
export async function checkView(page, what) {
  await checkAxe(page, what);
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(`${what} fits a width of ${width}`, overflow <= 0, `${overflow} too wide`);
  }
  await checkAxe(page, `${what}, on a phone`);
}

/** Returns the text of a QR code in a screenshot; undefined without one. */
export function decodeQr(screenshot) {
  const { data, width, height } = PNG.sync.read(screenshot);
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

/** Waits until the screen shows a QR code with the expected text, and returns it: scans the screen, as a phone does, not the file. */
export async function scanQr(page, isExpected) {
  let text;
  for (let tries = 0; tries < 50 && !isExpected(text); tries++) {
    await page.waitForTimeout(100);
    text = decodeQr(await page.screenshot());
  }
  return text;
}

/** Opens a panel and waits for its first responses. */
export async function openPanel(page, url, id) {
  await page.goto(`${url}/#/${id}`);
  await page.locator("main h1").waitFor();
  await page.waitForLoadState("networkidle");
}

/** Returns the ids of all panels: the home, and the links of the navigation. */
export async function panelIds(page) {
  const links = page.getByRole("navigation", { name: "Tools" }).getByRole("link");
  const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  return ["home", ...hrefs.filter((href) => href.startsWith("#/")).map((href) => href.slice(2))];
}

/** Opens the drawer of a panel, if it is closed, at a method. Returns the region with the method's request or response. */
export async function openDrawer(page, method, part = "Response") {
  const drawer = page.locator("details.drawer");
  if ((await drawer.getAttribute("open")) === null) {
    await drawer.locator("> summary").click();
  }
  const tab = drawer.getByRole("tab", { name: method, exact: true });
  const region = page.getByRole("region", { name: `${part} of ${method}`, exact: true });
  await tab.or(region).first().waitFor();
  if ((await tab.count()) > 0) {
    await tab.click();
  }
  return region;
}

/** Returns the response that a panel shows for a method, as JSON. */
export async function shownResponse(page, method) {
  const region = await openDrawer(page, method);
  return JSON.parse(await region.locator("pre").innerText());
}

/** Counts the compressed bytes that a page loads from now on: all, and without the map. */
export async function countBytes(context, page) {
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  const counted = { all: 0, withoutMap: 0 };
  const urls = new Map();
  session.on("Network.requestWillBeSent", ({ requestId, request }) => urls.set(requestId, request.url));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    counted.all += encodedDataLength;
    counted.withoutMap += /\/world-map-[^/]*\.js$/.test(urls.get(requestId)) ? 0 : encodedDataLength;
  });
  return counted;
}
