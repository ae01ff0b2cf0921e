// What visits to the workbench share.
import jsQR from "jsqr";
import { PNG } from "pngjs";

/** The panels, by what follows the hash. */
export const PANELS = ["overview", "otp", "geoip", "countries", "email", "barcode"];

/** What the service answers elsewhere. */
export const json = async (url, init) => (await fetch(url, init)).json();

/** The text of a QR code in a picture of the screen; undefined where there is none. */
export function decodeQr(screenshot) {
  const { data, width, height } = PNG.sync.read(screenshot);
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

/** Opens a panel, and waits for what it answers at once. */
export async function openPanel(page, url, id) {
  await page.goto(`${url}/#/${id}`);
  await page.locator("main h1").waitFor();
  await page.waitForLoadState("networkidle");
}

/** The answer that a panel shows for a method, as JSON. */
export async function shownAnswer(page, method) {
  const region = page.getByRole("region", { name: `Answer of ${method}` });
  return JSON.parse(await region.locator("pre").innerText());
}
