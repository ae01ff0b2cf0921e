// `npm run check -- browser pictures`: takes the pictures of the documents.
import { join } from "node:path";
import { inBrowser } from "./harness.mjs";

const DOCUMENTS = join(import.meta.dirname, "..", "..", "docs", "pictures");

/** A font of the page's list that Debian has. By default it chooses another one. Flags need fonts-noto-color-emoji. */
const FONT = ':root { --sans: "Noto Sans", sans-serif; --mono: "Noto Sans Mono", monospace }';

await inBrowser("pictures", async ({ open }) => {
  const viewport = { width: 1280, height: 800 };
  for (const [panel, file, colorScheme] of [
    ["home", "home.png", "light"],
    ["otp", "otp.png", "light"],
    ["geoip/8.8.8.8", "geoip.png", "dark"],
  ]) {
    const { context, page } = await open(panel, {
      viewport,
      colorScheme,
      reducedMotion: "reduce",
      bypassCSP: true,
    });
    await page.addStyleTag({ content: FONT });
    if (panel === "home") {
      await page.getByLabel("Look up", { exact: true }).fill("8.8.8.8");
      await page.getByText("Mountain View, California").waitFor();
    }
    await page.waitForTimeout(700);
    await page.screenshot({ path: join(DOCUMENTS, file) });
    await context.close();
  }
});
