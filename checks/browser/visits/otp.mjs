import { TOTP, URI } from "otpauth";
import { check, checkEqual } from "../../lib/checks.mjs";
import { clipboardOf, hashOf, post, press, scanQr, shownResponse } from "../harness.mjs";

/** Adds an account to an authenticator, and checks codes. */
export async function visit({ url, open }) {
  const { page, finish } = await open("otp", { colorScheme: "dark" });
  await page.getByLabel("Service name").fill("Müller & Söhne, 100%");
  await page.getByLabel("Account name").fill("ann.lee@example.com");
  await page.getByRole("img", { name: "QR code of the OTP URL" }).scrollIntoViewIfNeeded();
  const otpUrl = await scanQr(page, (text) => text?.includes("ann.lee%40example.com"));
  const authenticator = URI.parse(otpUrl);
  await page.getByLabel("Code from your authenticator app").fill(authenticator.generate());
  const verdict = page.getByRole("region", { name: "Check a code" }).getByRole("status");
  await verdict.filter({ hasText: "Correct" }).waitFor();
  check("an account is added in 4 steps: service, account, scan, code", true);
  checkEqual("the issuer is preserved", authenticator.issuer, "Müller & Söhne, 100%");

  const response = await shownResponse(page, "GenerateOtp");
  checkEqual("the QR code on the screen contains the OTP URL", otpUrl, response.otp_url);
  check(
    "an authenticator accepts the URL",
    authenticator instanceof TOTP && authenticator.secret.base32 === response.secret,
  );
  await page.locator("details.drawer > summary").click();
  const main = page.locator("main");
  check("the secret is hidden at first", !(await main.innerText()).includes(response.secret));
  await press(page, "Show");
  checkEqual("the secret can be shown, once", await page.getByText(response.secret).count(), 1);
  await page.getByRole("button", { name: "Copy Secret" }).click();
  checkEqual("the secret can be copied", await clipboardOf(page), response.secret);
  checkEqual("the secret is not in the URL", hashOf(page), "#/otp");

  const current = authenticator.generate();
  const wrong = ["000000", "000001", "000002", "000003", "000004"].find(
    (code) =>
      ![-60, -30, 0, 30].some((s) => authenticator.generate({ timestamp: Date.now() + 1000 * s }) === code),
  );
  await page.getByLabel("Code from your authenticator app").fill(wrong);
  await verdict.filter({ hasText: "Wrong" }).waitFor();
  check("another code is wrong", current !== wrong);

  const now = page.getByRole("region", { name: "Current code" });
  const left = Number(await now.getByRole("timer").innerText());
  check("the countdown shows the seconds left", left >= 1 && left <= 30, String(left));
  await page.getByRole("region", { name: "Check a code" }).getByText("More options").click();
  const next = page.locator("dt", { hasText: "+30s" }).locator("xpath=following-sibling::dd[1]");
  const compact = (await next.innerText()).replaceAll(/\s/g, "");
  await now.filter({ hasText: new RegExp([...compact].join("\\s*")) }).waitFor({ timeout: 40_000 });
  check("the next code becomes the current one", authenticator.generate() === compact);

  const other = new TOTP({ secret: "JBSWY3DPEHPK3PXP", digits: 8 });
  await page.getByRole("textbox", { name: "Secret", exact: true }).fill("JBSWY3DPEHPK3PXP");
  await page.getByLabel("Code from your authenticator app").fill(other.generate());
  await verdict.filter({ hasText: "Correct" }).waitFor();
  check("a code of 8 digits of another secret is correct", true);
  const secret = page.getByRole("textbox", { name: "Secret", exact: true });
  await secret.fill(other.toString());
  await verdict.filter({ hasText: "Correct" }).waitFor();
  await secret.fill(
    "otpauth-migration://offline?data=CjEKCkhlbGxvId6tvu8SGEV4YW1wbGU6YWxpY2VAZ29vZ2xlLmNvbRoHRXhhbXBsZTAC",
  );
  await page.getByRole("button", { name: "Example: alice@google.com" }).click();
  await page
    .getByLabel("Code from your authenticator app")
    .fill(new TOTP({ secret: "JBSWY3DPEHPK3PXP" }).generate());
  await verdict.filter({ hasText: "Correct" }).waitFor();
  check(
    "an account of an export is chosen",
    (await secret.inputValue()).startsWith("otpauth://totp/Example:alice"),
  );
  await page.getByLabel("Code from your authenticator app").fill("12345a");
  await verdict.filter({ hasText: "This is no code" }).waitFor();
  check("other characters than digits are no code", true);
  await secret.fill("JBSWY3DP!");
  const marked = page.locator('input[aria-invalid="true"]');
  await marked.waitFor();
  const description = await marked.evaluate((input) =>
    (input.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent)
      .join(" "),
  );
  const invalid = { type: "time_based", action: "verify", secret: "JBSWY3DP!" };
  const { error } = await post(`${url}/v1/otp`, invalid);
  const words = error.details[0].fieldViolations[0].description.slice(1);
  check("an invalid secret shows the message of the service", description.includes(words), description);
  await onPhone({ url, open });
  await finish(/400/);
}

/** The panel takes at most two screens of a phone. */
async function onPhone({ open }) {
  const { page, finish } = await open("otp", { viewport: { width: 390, height: 844 } });
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  check("on a phone the panel has at most two screens", height <= 2 * 844, `${height}`);
  await finish();
}
