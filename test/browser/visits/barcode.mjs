import { readFileSync } from "node:fs";
import { check } from "../../checks.mjs";
import { decodeQr, openPanel } from "../harness.mjs";

/** Renders a QR code and downloads it. */
export async function visit({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "barcode");
  const text = "https://example.com/?q=Zürich & more";
  await page.getByRole("textbox", { name: "Data", exact: true }).fill(text);
  await page.locator("label", { hasText: "PNG" }).click();
  await page.getByRole("link", { name: "Download PNG" }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.getByRole("img", { name: "The QR code" }).scrollIntoViewIfNeeded();
  check("the code on the screen contains the text", decodeQr(await page.screenshot()) === text);
  const link = page.getByRole("link", { name: "Download PNG" });
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  const file = readFileSync(await download.path());
  check("the downloaded file contains the text", decodeQr(file) === text);
  await finish();
}
