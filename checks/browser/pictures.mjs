// Visits every state of the page on a desktop and a phone, light and dark: axe finds nothing, nothing scrolls sideways, and it looks
// as in pictures/. `--write` takes new pictures, also those of the documents. `--only NAME` takes one state, `--documents` only the latter.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, conclude } from "connect-transcoding-testing/checks.mjs";
import { checkAxe, checkView, inBrowser } from "./harness.mjs";
import { difference, fromPng, shrink, sideBySide, toPng } from "./picture.mjs";
import { CHANGING, SCENES } from "./scenes.mjs";

const PICTURES = join(import.meta.dirname, "pictures");
const DOCUMENTS = join(import.meta.dirname, "..", "..", "docs", "pictures");

const DESKTOP = { width: 1280, height: 1000 };
const PHONE = { width: 390, height: 1400 };

/** The share of a picture that may differ: other fonts, dates and times of day do. */
const ACCEPTED = 0.04;

const args = process.argv.slice(2);
const isWriting = args.includes("--write");
const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : undefined;

/** Takes the pictures of a state: desktop and phone in light, then in dark. */
async function takeScene({ open }, [name, hash, ...acts]) {
  const pictures = [];
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [DESKTOP, PHONE]) {
      const options = { viewport, colorScheme, bypassCSP: true, reducedMotion: "reduce" };
      const { context, page } = await open(hash, options);
      for (const act of acts) {
        await act(page, context);
      }
      // Images are drawn after their requests.
      await page.waitForTimeout(300);
      const masked = { mask: [page.locator(CHANGING)], maskColor: "#808080" };
      pictures.push(shrink(await page.screenshot(masked)));
      if (viewport === DESKTOP) {
        await checkView(page, `${name}, ${colorScheme}`);
      } else {
        await checkAxe(page, `${name} on a phone, ${colorScheme}`);
      }
      await context.close();
    }
  }
  return sideBySide(pictures);
}

/** Compares a picture with that of the last time. */
function compare(name, picture, folder) {
  const file = join(PICTURES, `${name}.png`);
  if (isWriting) {
    writeFileSync(file, toPng(picture));
    return;
  }
  const share = existsSync(file) ? difference(picture, fromPng(readFileSync(file))) : 1;
  const percent = `${(100 * share).toFixed(1)} %`;
  if (share > ACCEPTED) {
    writeFileSync(join(folder, `${name}.png`), toPng(picture));
  }
  check(
    `${name} looks as before (${percent} differ)`,
    share <= ACCEPTED,
    `compare ${file} with ${join(folder, `${name}.png`)}. If the change is meant: npm run check -- browser/pictures --write`,
  );
}

/** A font of the page's list that Debian has. By default it chooses another one. Flags need fonts-noto-color-emoji. */
const FONT = ':root { --sans: "Noto Sans", sans-serif; --mono: "Noto Sans Mono", monospace }';

/** Takes the pictures of the documents. */
async function takeDocuments({ open }) {
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
}

await inBrowser("pictures", async (browser) => {
  if (args.includes("--documents")) {
    return takeDocuments(browser);
  }
  mkdirSync(PICTURES, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "pictures-"));
  for (const scene of SCENES.filter(([name]) => only === undefined || name === only)) {
    compare(scene[0], await takeScene(browser, scene), folder);
  }
  if (isWriting && only === undefined) {
    await takeDocuments(browser);
  }
});
conclude();
