import { TOTP, URI } from "otpauth";
import { check } from "../../lib/checks.mjs";
import { decodeQr, json, openPanel, shownResponse } from "../harness.mjs";

/** Adds an account to an authenticator, and checks codes. */
export async function visit({ url, open }) {
  const { context, finish } = await open({ colorScheme: "dark" });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
  const page = await context.newPage();
  await openPanel(page, url, "otp");
  const started = performance.now();
  await page.getByLabel("Service name").fill("Müller & Söhne: 100%");
  await page.getByLabel("Account name").fill("ann.lee@example.com");
  const otpUrl = await scan(page, (text) => text?.includes("ann.lee%40example.com"));
  const authenticator = URI.parse(otpUrl);
  await page.getByLabel("Code from your authenticator app").fill(authenticator.generate());
  const verdict = page.getByRole("region", { name: "Check a code" }).getByRole("status");
  await verdict.filter({ hasText: "Correct" }).waitFor();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  check(`an account is added in 4 steps: service, account, scan, code; ${seconds} s`, true);
  check("the issuer is preserved", authenticator.issuer === "Müller & Söhne: 100%");

  const response = await shownResponse(page, "GenerateOtp");
  check("the QR code on the screen contains the OTP URL", otpUrl === response.otp_url, otpUrl);
  check(
    "an authenticator accepts the URL",
    authenticator instanceof TOTP && authenticator.secret.base32 === response.secret,
  );
  await page.locator("details.drawer > summary").click();
  const main = page.locator("main");
  check("the secret is hidden at first", !(await main.innerText()).includes(response.secret));
  await page.getByRole("button", { name: "Show", exact: true }).click();
  check("the secret can be shown, once", (await page.getByText(response.secret).count()) === 1);
  await page.getByRole("button", { name: "Copy Secret" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  check("the secret can be copied", copied === response.secret);
  check("the secret is not in the URL", new URL(page.url()).hash === "#/otp", page.url());

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
  const next = await page
    .locator("dt", { hasText: "+30s" })
    .locator("xpath=following-sibling::dd[1]")
    .innerText();
  const compact = next.replaceAll(/\s/g, "");
  await now.filter({ hasText: new RegExp([...compact].join("\\s*")) }).waitFor({ timeout: 40_000 });
  check("the next code becomes the current one", authenticator.generate() === compact);

  const other = new TOTP({ secret: "JBSWY3DPEHPK3PXP", digits: 8 });
  await page.getByRole("textbox", { name: "Secret", exact: true }).fill("JBSWY3DPEHPK3PXP");
  await page.getByLabel("Code from your authenticator app").fill(other.generate());
  await verdict.filter({ hasText: "Correct" }).waitFor();
  check("a code of 8 digits of another secret is correct", true);
  await page.getByRole("textbox", { name: "Secret", exact: true }).fill("JBSWY3DP!");
  const marked = page.locator('input[aria-invalid="true"]');
  await marked.waitFor();
  const description = await marked.evaluate((input) =>
    (input.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent)
      .join(" "),
  );
  const rejected = await json(`${url}/v1/otp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ type: "time_based", action: "verify", secret: "JBSWY3DP!" }),
  });
  const [{ description: words }] = rejected.error.details[0].fieldViolations;
  check(
    "an invalid secret shows the message of the service",
    description.includes(words.slice(1)),
    description,
  );
  await onPhone({ url, open });
  await finish((complaint) => complaint.includes("400"));
}

/** Waits until the QR code on the screen has a text, and returns it: scans the screen, as a phone does, not the image file. */
async function scan(page, isExpected) {
  await page.getByRole("img", { name: "QR code of the OTP URL" }).scrollIntoViewIfNeeded();
  for (let tries = 0; tries < 50; tries++) {
    const text = decodeQr(await page.screenshot());
    if (isExpected(text)) {
      return text;
    }
    await page.waitForTimeout(100);
  }
  throw new Error("the screen shows no expected QR code");
}

/** The panel takes at most two screens of a phone. */
async function onPhone({ url, open }) {
  const { context, finish } = await open({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await openPanel(page, url, "otp");
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  check("on a phone the panel has at most two screens", height <= 2 * 844, `${height}`);
  await finish();
}
