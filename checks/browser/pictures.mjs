// `npm run check -- browser/pictures`: takes the pictures of README, of the web page of the built service.
import { join } from "node:path";
import { conclude } from "../lib/checks.mjs";
import { inBrowser } from "./harness.mjs";

const README = join(import.meta.dirname, "..", "..", "docs", "pictures");
const viewport = { width: 1280, height: 800 };

await inBrowser("pictures", async ({ open }) => {
  for (const [panel, file, colorScheme] of [
    ["otp", "otp.png", "light"],
    ["geoip/8.8.8.8", "geoip.png", "dark"],
  ]) {
    const { context, page } = await open(panel, { viewport, colorScheme, reducedMotion: "reduce" });
    // Images of responses are drawn after the requests.
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(README, file) });
    await context.close();
  }
});
conclude();
