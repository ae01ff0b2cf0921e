import { join } from "node:path";
import { openPanel } from "./page.mjs";

/** The pictures that README shows. */
export async function pictures({ url, open }, folder) {
  const viewport = { width: 1120, height: 800 };
  for (const [panel, colorScheme] of [
    ["otp", "light"],
    ["geoip", "dark"],
  ]) {
    const { context } = await open({ viewport, colorScheme });
    const page = await context.newPage();
    await openPanel(page, url, panel);
    await page.mouse.wheel(0, panel === "otp" ? 232 : 0);
    // The map moves to where the answer is.
    await page.waitForTimeout(1_000);
    await page.screenshot({ path: join(folder, `${panel}.png`) });
    await context.close();
  }
}
