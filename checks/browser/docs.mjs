// Tries out the API reference of the built service in a real browser. `npm test` does not run it.
import { check, checkEqual, conclude } from "../lib/checks.mjs";
import { inBrowser, openPanel, withApiKey } from "./harness.mjs";

const SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";

/** Opens an operation, sends one of its examples, and returns the response that the page shows. */
async function tryOut(page, path, { example, parameters = {} } = {}) {
  const operation = page.locator(".opblock", { has: page.locator(`[data-path="${path}"]`) });
  await operation.locator(".opblock-summary").click();
  await operation.locator(".try-out__btn").click();
  if (example !== undefined) {
    await operation.locator(".opblock-section-request-body .examples-select select").selectOption(example);
  }
  for (const [name, value] of Object.entries(parameters)) {
    const row = operation.locator(`tr[data-param-name="${name}"]`);
    await row.locator("select:not(.examples-select-element)").selectOption(value);
  }
  const responded = page.waitForResponse((response) => new URL(response.url()).pathname === path);
  await operation.locator(".execute").click();
  const status = (await responded).status();
  const shown = operation.locator(".live-responses-table tbody .response-col_description");
  await shown.locator("code, img").first().waitFor();
  return { status, text: await shown.innerText(), shown };
}

await inBrowser("the API reference", async ({ url, open }) => {
  const { page, finish } = await open();
  await page.goto(`${url}/docs`);
  await page.locator(".opblock").first().waitFor();
  const { paths } = await (await fetch(`${url}/openapi.json`)).json();
  const operations = Object.values(paths).flatMap((path) => Object.keys(path));
  checkEqual("the page lists the operations", await page.locator(".opblock").count(), operations.length);
  const credits = await page.locator('.info a[href="https://db-ip.com"]').count();
  checkEqual("the page credits DB-IP with a link", credits, 1);
  for (const [path, options, shown] of [
    ["/v1/geoIp", {}, /"asn_name": "Google LLC"/],
    ["/v1/otp", { example: "VerifyOtp" }, new RegExp(`(?=[^]*${SECRET})[^]*"current": "\\d{6}"`)],
    ["/v1/sanitizeEmail", {}, /janedoe@gmail\.com/],
  ]) {
    const { status, text } = await tryOut(page, path, options);
    checkEqual(`${path} returns 200`, status, 200);
    check(`the response of ${path} is shown`, shown.test(text), text);
  }
  const barcode = await tryOut(page, "/v1/barcode", { parameters: { format: "png" } });
  checkEqual("GET barcode returns 200", barcode.status, 200);
  const image = barcode.shown.locator("img");
  check("the image of barcode is shown", (await image.evaluate((shown) => shown.naturalWidth)) > 100);

  await page.goto(`${url}/docs/`);
  await page.locator(".opblock").first().waitFor();
  checkEqual("/docs/ redirects to the page", page.url(), `${url}/docs`);
  await finish();
});

/** The page has the theme that was chosen on the page of the tools, and links in both directions. */
async function themeAndLinks({ url, open }) {
  const viewport = { width: 390, height: 844 };
  const { page, finish } = await open(undefined, { colorScheme: "light", viewport });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.goto(`${url}/docs`);
  await page.locator(".opblock").first().waitFor();
  const light = await background();
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check("the page fits a phone", overflow <= 0, `${overflow} too wide`);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("html.dark-mode").waitFor();
  check("the page follows the theme of the system", (await background()) !== light);
  await page.emulateMedia({ colorScheme: "light" });
  await page.getByRole("link", { name: "Tools", exact: true }).click();
  await page.locator("main h1").waitFor();
  check("a link leads to the tools", new URL(page.url()).pathname === "/");
  await page.getByRole("button", { name: "Dark theme" }).click();
  const dark = await background();
  await page.getByRole("navigation").getByRole("link", { name: "API reference" }).click();
  await page.locator(".opblock").first().waitFor();
  checkEqual("a link leads to the API reference", page.url(), `${url}/docs`);
  checkEqual("the page has the theme of the tools", await background(), dark);
  check("that theme is another one", dark !== light, dark);
  await finish();
}

/** The page of a service that requires an API key. */
async function withKey({ url, open }, key) {
  const { page, finish } = await open();
  await page.goto(`${url}/docs`);
  const field = page.getByLabel("API key", { exact: true });
  await field.fill("not the key");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("This key is not valid").waitFor();
  await field.fill(key);
  await page.keyboard.press("Enter");
  await page.locator(".opblock").first().waitFor();
  const { status } = await tryOut(page, "/v1/about");
  checkEqual("requests are sent with the key", status, 200);
  check("the URL does not contain the key", !page.url().includes(key));
  await openPanel(page, url, "overview");
  checkEqual("the tools use the same key", await page.getByLabel("API key").count(), 0);
  await finish(/401/);
}

await inBrowser("theme and links", themeAndLinks);
await withApiKey("the API reference with API keys", withKey);
conclude();
