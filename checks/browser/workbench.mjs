// Uses the web page of the built service in a real browser, by its visible texts, and compares it with what the service returns
// elsewhere. `npm test` does not run it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { check, conclude } from "connect-transcoding-testing/checks.mjs";
import { firstPaint, firstVisit, withoutService } from "./arrival.mjs";
import { inBrowser, panelIds, withApiKey } from "./harness.mjs";
import {
  accessibility,
  drawer,
  firstLoads,
  keyboardAndTheme,
  palette,
  serviceDown,
  snippets,
  withKey,
} from "./whole-page.mjs";

/** Visits each panel by the module `visits/<id>.mjs`. */
async function visitPanels(browser) {
  const { context, page } = await browser.open("");
  const ids = await panelIds(page);
  await context.close();
  check("the page has panels", ids.length > 1);
  for (const id of ids) {
    console.log(`\n${id}`);
    const isThere = existsSync(join(import.meta.dirname, "visits", `${id}.mjs`));
    check(`the panel ${id} has a visit`, isThere, `add checks/browser/visits/${id}.mjs`);
    if (isThere) {
      const { visit } = await import(`./visits/${id}.mjs`);
      await visit(browser);
    }
  }
}

await inBrowser("the page", async (browser) => {
  await visitPanels(browser);
  for (const visit of [
    firstVisit,
    firstPaint,
    firstLoads,
    snippets,
    drawer,
    keyboardAndTheme,
    palette,
    serviceDown,
    accessibility,
    withoutService,
  ]) {
    console.log(`\n${visit.name}`);
    await visit(browser);
  }
});

await withApiKey("the page with API keys", withKey);
conclude();
