// Tries out the API reference of the built service in a real browser. `npm test` does not run it.
import { join } from "node:path";
import { check, conclude } from "../checks.mjs";
import { inBrowser } from "./harness.mjs";

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

await inBrowser("the API reference", async ({ url, open, screenshots }) => {
  const { context, finish } = await open();
  const page = await context.newPage();
  await page.goto(`${url}/docs`);
  await page.locator(".opblock").first().waitFor();
  const { paths } = await (await fetch(`${url}/openapi.json`)).json();
  const operations = Object.values(paths).flatMap((path) => Object.keys(path));
  check("the page lists the operations", (await page.locator(".opblock").count()) === operations.length);
  check(
    "the page credits DB-IP with a link",
    (await page.locator('.info a[href="https://db-ip.com"]').count()) === 1,
  );
  await page.screenshot({ path: join(screenshots, "docs.png"), fullPage: true });

  const geoIp = await tryOut(page, "/v1/geoIp");
  check("GET geoIp returns 200", geoIp.status === 200);
  check("the response of geoIp is shown", geoIp.text.includes('"asn_name": "Google LLC"'));

  const otp = await tryOut(page, "/v1/otp", { example: "VerifyOtp" });
  check("POST otp returns 200", otp.status === 200);
  check("the response of otp is shown", otp.text.includes(SECRET) && /"current": "\d{6}"/.test(otp.text));

  const email = await tryOut(page, "/v1/sanitizeEmail");
  check("POST sanitizeEmail returns 200", email.status === 200);
  check("the response of sanitizeEmail is shown", email.text.includes("janedoe@gmail.com"));

  const barcode = await tryOut(page, "/v1/barcode", { parameters: { format: "png" } });
  check("GET barcode returns 200", barcode.status === 200);
  const image = barcode.shown.locator("img");
  check("the image of barcode is shown", (await image.evaluate((shown) => shown.naturalWidth)) > 100);
  await page.screenshot({ path: join(screenshots, "responses.png"), fullPage: true });

  await page.goto(`${url}/docs/`);
  await page.locator(".opblock").first().waitFor();
  check("/docs/ redirects to the page", page.url() === `${url}/docs`);
  await finish();
});
conclude();
