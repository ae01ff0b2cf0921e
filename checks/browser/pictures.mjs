// `npm run check -- browser pictures`: takes the pictures of the documents.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { inBrowser } from "./harness.mjs";

const DOCUMENTS = join(import.meta.dirname, "..", "..", "docs", "pictures");

/** What pictures show in place of the fonts of a desktop, and the packages of Debian that have them. */
const FONTS = [
  ["Inter", "fonts-inter"],
  ["Noto Color Emoji", "fonts-noto-color-emoji"],
];
const FONT = ':root { --sans: "Inter"; --mono: "DejaVu Sans Mono" }';

for (const [family, name] of FONTS) {
  if (!execFileSync("fc-list", ["--format", "%{family}\n", family], { encoding: "utf8" }).includes(family)) {
    throw new Error(`install Debian's ${name}: without ${family}, pictures have other letters, or no flags`);
  }
}

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
