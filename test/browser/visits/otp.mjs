import { TOTP, URI } from "otpauth";
import { check } from "../../checks.mjs";
import { decodeQr, json, openPanel, shownResponse } from "../harness.mjs";

/** Adds the secret on the screen to an authenticator, and compares the codes. */
export async function visit({ url, open }) {
  const { context, finish } = await open({ colorScheme: "dark" });
  const page = await context.newPage();
  await openPanel(page, url, "otp");
  await page.getByLabel("Issuer").fill("Müller & Söhne: 100%");
  await page.getByLabel("Label").fill("jane@example.com");
  const secretOf = () => page.getByRole("textbox", { name: "Secret", exact: true }).inputValue();
  const before = await secretOf();
  await page.getByRole("button", { name: "Generate" }).click();
  await page.waitForFunction(
    (old) => document.querySelector("main")?.textContent?.includes(old) === false,
    before,
  );
  await page.waitForLoadState("networkidle");

  const { otp_url: otpUrl, secret } = await shownResponse(page, "GenerateOtp");
  const image = page.getByRole("img", { name: "QR code of the OTP URL" });
  await image.scrollIntoViewIfNeeded();
  // Scan the screen, as a phone does, instead of the image file.
  check(
    "the QR code on the screen contains the OTP URL",
    decodeQr(await page.screenshot()) === otpUrl,
    otpUrl,
  );
  check("the URL is on the page", (await page.getByText(otpUrl, { exact: true }).count()) >= 1);

  const authenticator = URI.parse(otpUrl);
  check(
    "an authenticator accepts the URL",
    authenticator instanceof TOTP && authenticator.secret.base32 === secret,
  );
  check("the issuer is preserved", authenticator.issuer === "Müller & Söhne: 100%");
  const codes = page.getByRole("region", { name: "Codes", exact: true });
  const definition = async (term) => {
    const terms = codes.locator("dt", { hasText: term });
    return (await terms.locator("xpath=following-sibling::dd[1]").innerText()).replaceAll(/\s/g, "");
  };
  const next = await definition("+30s");
  const current = authenticator.generate();
  await page.getByLabel("Code from your authenticator").fill(current);
  const verdict = codes.getByRole("status");
  await verdict.filter({ hasText: /\S/ }).waitFor();
  check(
    "the code of the authenticator is recognized",
    /current/i.test(await verdict.innerText()),
    await verdict.innerText(),
  );
  await page.getByLabel("Code from your authenticator").fill(current === "000000" ? "000001" : "000000");
  await verdict.filter({ hasNotText: /current/i }).waitFor();
  check(
    "another code is not recognized",
    !/current/i.test(await verdict.innerText()),
    await verdict.innerText(),
  );

  const left = Number(await codes.getByRole("timer").innerText());
  check("the countdown shows the seconds left", left >= 0 && left <= 30, String(left));
  const compact = next.replaceAll(/\s/g, "");
  await page.waitForFunction(
    (code) =>
      [...document.querySelectorAll("dd")].every(
        (each) => each.textContent?.replaceAll(/\s/g, "") !== code,
      ) && document.querySelector("main")?.textContent?.replaceAll(/\s/g, "").includes(code),
    compact,
    { timeout: 40_000 },
  );
  check("the next code becomes the current one", authenticator.generate() === compact);

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
  await finish((complaint) => complaint.includes("400"));
}
