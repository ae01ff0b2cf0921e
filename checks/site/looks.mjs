import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "playwright-core";

const BROWSER = "/usr/bin/chromium-headless-shell";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PAGES = ["", "docs/", "docs/guide/clients", "docs/guide/more-than-one-machine", "docs/architecture"];
const SCREENS = [
  { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  { viewport: { width: 390, height: 800 }, colorScheme: "dark" },
];

/**
 * Returns a message for each problem that axe finds on pages, for those wider than their screen, and for errors in the console.
 *
 * @param {string} site the folder of the built site
 * @param {string} base the path of the site, with slashes around it
 */
export async function visibleProblems(site, base) {
  if (!existsSync(BROWSER)) {
    console.log(`no page is opened, because there is no ${BROWSER}`);
    return [];
  }
  const browser = await chromium.launch({ executablePath: BROWSER });
  try {
    const found = await Promise.all(SCREENS.map((screen) => problemsOn(browser, screen, site, base)));
    return found.flat();
  } finally {
    await browser.close();
  }
}

async function problemsOn(browser, screen, site, base) {
  const context = await browser.newContext(screen);
  context.setDefaultTimeout(120_000);
  await context.route("http://site.test/**", (route) => {
    const path = join(site, new URL(route.request().url()).pathname.slice(base.length));
    const file = [path, join(path, "index.html"), `${path}.html`].find(
      (each) => /\.\w+$/.test(each) && existsSync(each),
    );
    return file === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ path: file });
  });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", ({ message }) => problems.push(message));
  for (const name of PAGES) {
    await page.goto(`http://site.test${base}${name}`, { waitUntil: "networkidle" });
    await page.evaluate(AXE);
    const { violations, excess } = await page.evaluate(async () => ({
      violations: (await globalThis.axe.run()).violations,
      excess: document.documentElement.scrollWidth - innerWidth,
    }));
    const where = `/${name}, ${screen.viewport.width} pixels wide`;
    problems.push(...violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0]?.html}`));
    if (excess > 0) {
      problems.push(`${where}: ${excess} pixels too wide`);
    }
  }
  return problems;
}
