// Writes pictures of the web page of the built service:
//
//   npm run check -- browser/pictures FOLDER    every panel on a desktop and on a phone, light and dark
//   npm run check -- browser/pictures              those of README
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { conclude } from "../lib/checks.mjs";
import { inBrowser, panelIds } from "./harness.mjs";

const VIEWPORTS = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const README = join(import.meta.dirname, "..", "..", "docs", "pictures");

/** Takes a picture of a panel: of what the screen shows, or of the whole page. */
async function takePicture({ open }, panel, path, { viewport, colorScheme, fullPage = false }) {
  const { context, page } = await open(panel, { viewport, colorScheme, reducedMotion: "reduce" });
  // Images of responses are drawn after the requests.
  await page.waitForTimeout(500);
  await page.screenshot({ path, fullPage });
  await context.close();
}

/** Takes pictures of all panels. */
async function takeAll(browser, folder) {
  mkdirSync(folder, { recursive: true });
  const { context, page } = await browser.open("");
  const ids = await panelIds(page);
  await context.close();
  for (const id of ids) {
    for (const [device, viewport] of Object.entries(VIEWPORTS)) {
      for (const colorScheme of ["light", "dark"]) {
        const path = join(folder, `${id}-${device}-${colorScheme}.png`);
        await takePicture(browser, id, path, { viewport, colorScheme, fullPage: true });
        console.log(path);
      }
    }
  }
}

const [folder] = process.argv.slice(2);
await inBrowser("pictures", async (browser) => {
  if (folder !== undefined) {
    await takeAll(browser, folder);
    return;
  }
  const viewport = VIEWPORTS.desktop;
  await takePicture(browser, "otp", join(README, "otp.png"), { viewport, colorScheme: "light" });
  await takePicture(browser, "geoip/8.8.8.8", join(README, "geoip.png"), { viewport, colorScheme: "dark" });
});
conclude();
