import { readFileSync } from "node:fs";
import { check } from "../../checks.mjs";
import { decodeQr, openPanel } from "./page.mjs";

/** The code on the screen, and the file that is downloaded. */
export async function barcode({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "barcode");
  const text = "https://example.com/?q=Zürich & more";
  await page.getByRole("textbox", { name: "Data", exact: true }).fill(text);
  await page.locator("label", { hasText: "PNG" }).click();
  await page.getByText(/image\/png/).waitFor();
  await page.waitForLoadState("networkidle");
  await page.getByRole("img", { name: "The QR code" }).scrollIntoViewIfNeeded();
  check("the code on the screen is the text", decodeQr(await page.screenshot()) === text);
  const link = page.getByRole("link", { name: "Download PNG" });
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  const file = readFileSync(await download.path());
  check("it can be downloaded", decodeQr(file) === text);
  await finish();
}
