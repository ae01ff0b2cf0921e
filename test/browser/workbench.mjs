// Uses the web page of the built service in a real browser, by its visible texts, and compares it with what the service returns
// elsewhere. `npm test` does not run it.
//
// With --pictures it also writes the pictures of README.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { check, conclude } from "../checks.mjs";
import { inBrowser, openPanel, panelIds, withApiKey } from "./harness.mjs";
import {
  accessibility,
  drawer,
  keyboardAndTheme,
  palette,
  serviceDown,
  snippets,
  withKey,
} from "./whole-page.mjs";

/** Visits each panel by the module `visits/<id>.mjs`. */
async function visitPanels(browser) {
  const { context } = await browser.open();
  const page = await context.newPage();
  await openPanel(page, browser.url, "");
  const ids = await panelIds(page);
  await context.close();
  check("the page has panels", ids.length > 1);
  for (const id of ids) {
    console.log(`\n${id}`);
    const isThere = existsSync(join(import.meta.dirname, "visits", `${id}.mjs`));
    check(`the panel ${id} has a visit`, isThere, `add test/browser/visits/${id}.mjs`);
    if (isThere) {
      const { visit } = await import(`./visits/${id}.mjs`);
      await visit(browser);
    }
  }
}

/** Writes the pictures of README. */
async function takePictures({ url, open }, folder) {
  const viewport = { width: 1120, height: 800 };
  for (const [panel, colorScheme] of [
    ["otp", "light"],
    ["geoip", "dark"],
  ]) {
    const { context } = await open({ viewport, colorScheme });
    const page = await context.newPage();
    await openPanel(page, url, panel);
    await page.mouse.wheel(0, panel === "otp" ? 232 : 0);
    // Wait for the animation of the map.
    await page.waitForTimeout(1_000);
    await page.screenshot({ path: join(folder, `${panel}.png`) });
    await context.close();
  }
}

await inBrowser("the page", async (browser) => {
  await visitPanels(browser);
  for (const visit of [snippets, drawer, keyboardAndTheme, palette, serviceDown, accessibility]) {
    console.log(`\n${visit.name}`);
    await visit(browser);
  }
  if (process.argv.includes("--pictures")) {
    await takePictures(browser, join(import.meta.dirname, "..", "..", "docs", "pictures"));
  }
});

await withApiKey("the page with API keys", withKey);
conclude();
