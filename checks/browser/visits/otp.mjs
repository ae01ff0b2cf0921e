import { TOTP, URI } from "otpauth";
import { check, checkEqual } from "../../lib/checks.mjs";
import {
  clipboardOf,
  decodeQr,
  hashOf,
  openDrawer,
  openPanel,
  post,
  press,
  scanQr,
  shownResponse,
} from "../harness.mjs";
import { dropFile, pasteText } from "../lists.mjs";
import { visitList } from "./otp-list.mjs";

const SECRET = "JBSWY3DPEHPK3PXP";

const fieldOf = (page, name) => page.getByRole("textbox", { name, exact: true });
const secretOf = (page) => fieldOf(page, "Secret").inputValue();
const verdictOf = (page, text) => page.locator("#otp-verdict", { hasText: text });

/** Sets up an authenticator, checks codes, reads links and pictures, and shows the codes of a list. */
export async function visit(browser) {
  await enrollment(browser);
  await countdown(browser);
  await setupLinks(browser);
  await mistakes(browser);
  await onPhone(browser);
  await visitList(browser);
}

/** The secret of an account stays when its name changes. */
async function enrollment({ open }) {
  const { page, finish } = await open("otp", { colorScheme: "dark" });
  const account = { issuer: "Müller & Söhne, 100%", label: "ann.lee@example.com", other: "ann@example.com" };
  const scanned = (label) => scanQr(page, (text) => text?.includes(encodeURIComponent(label)));
  await fieldOf(page, "Service name").fill(account.issuer);
  await fieldOf(page, "Account name").fill(account.label);
  const authenticator = URI.parse(await scanned(account.label));
  await page.getByLabel("Code from your authenticator app").fill(authenticator.generate());
  await verdictOf(page, "Correct").waitFor();
  await fieldOf(page, "Account name").fill(account.other);
  const renamed = URI.parse(await scanned(account.other));
  checkEqual("the issuer is preserved", authenticator.issuer, account.issuer);
  checkEqual(
    "another account name keeps the secret",
    [renamed.secret.base32, renamed.label],
    [authenticator.secret.base32, account.other],
  );
  await verdictOf(page, "Correct").waitFor();
  check("the code that was typed is still checked", true);

  const secret = renamed.secret.base32;
  checkEqual("the form has the secret of the QR code", await secretOf(page), secret);
  const isMasked = () =>
    fieldOf(page, "Secret").evaluate((input) => getComputedStyle(input).webkitTextSecurity === "disc");
  check("the secret is masked at first", await isMasked());
  await press(page, "Show");
  check("the secret can be shown", !(await isMasked()));
  await press(page, "Copy Secret");
  checkEqual("the secret can be copied", await clipboardOf(page), secret);
  await press(page, "Copy setup link");
  checkEqual("the setup link can be copied", URI.parse(await clipboardOf(page)).secret.base32, secret);

  await press(page, "New secret");
  await page.getByText("A new secret replaced the one before.").waitFor();
  const other = await secretOf(page);
  check("a button makes a new secret", other !== secret && /^[A-Z2-7]{32}$/.test(other), other);
  checkEqual("the names stay", await fieldOf(page, "Account name").inputValue(), account.other);
  checkEqual("the response is shown in the drawer", (await shownResponse(page, "GenerateOtp")).secret, other);
  await press(page, "Undo");
  await page.getByText("A new secret replaced").waitFor({ state: "detached" });
  checkEqual("the secret before can be brought back", await secretOf(page), secret);
  await fieldOf(page, "Service name").fill("Other");
  const response = await openDrawer(page, "GenerateOtp");
  await response.getByText("No request sent yet.").waitFor();
  check("a response goes away when its request is another one", true);
  checkEqual("the secret is not in the URL", hashOf(page), "#/otp");
  await finish();
}

/** The current code is copied by a click, and becomes the next one. */
async function countdown({ open }) {
  const { page, finish } = await open("otp");
  const now = page.getByRole("region", { name: "Current code" });
  const left = Number(await now.getByRole("timer").innerText());
  check("the countdown shows the seconds left", left >= 1 && left <= 30, String(left));
  const opener = page.getByRole("button", { name: "Open in app" });
  checkEqual("without a touch screen, no button opens an app", await opener.count(), 0);
  const secret = new TOTP({ secret: await secretOf(page) });
  const button = now.getByRole("button", { name: /^Copy the current code/ });
  await button.click();
  const near = [-30, 0].map((seconds) => secret.generate({ timestamp: Date.now() + 1000 * seconds }));
  const copied = await clipboardOf(page);
  check("a click copies the current code", near.includes(copied), `${copied} ${near}`);
  const next = await now
    .locator("dt", { hasText: "Next" })
    .locator("xpath=following-sibling::dd[1]")
    .innerText();
  const compact = next.replaceAll(/\s/g, "");
  await now.getByRole("button", { name: `Copy the current code ${compact}` }).waitFor({ timeout: 40_000 });
  check("the next code becomes the current one", secret.generate() === compact);
  const wrong = ["000000", "000001", "000002", "000003", "000004"].find(
    (code) =>
      ![-90, -60, -30, 0, 30, 60].some((s) => secret.generate({ timestamp: Date.now() + 1000 * s }) === code),
  );
  await page.getByLabel("Code from your authenticator app").fill(wrong);
  await verdictOf(page, "Wrong").waitFor();
  check("another code is wrong", true);
  await finish();
}

/** A setup link, as text or as a picture of its QR code, fills in the form. */
async function setupLinks({ url, open }) {
  const { page, finish } = await open("otp");
  const link = new TOTP({ issuer: "Shop", label: "jane", secret: SECRET, digits: 8, period: 60 });
  const shown = async () => [await secretOf(page), await fieldOf(page, "Account name").inputValue()];
  await fieldOf(page, "Service name").focus();
  await pasteText(page, "input:focus", link.toString());
  await page.getByText("The account of the link replaced").waitFor();
  checkEqual("a pasted link fills in the form", await shown(), [SECRET, "jane"]);
  await page.getByLabel("Code from your authenticator app").fill(link.generate());
  await verdictOf(page, "Correct").waitFor();
  check("a code of 8 digits in 60 seconds is correct", true);

  const { secret } = await post(`${url}/v1/otp`, { type: "time_based", action: "generate", label: "x" });
  for (const format of ["png", "svg"]) {
    const data = new TOTP({ issuer: "Bank", label: `by ${format}`, secret }).toString();
    const response = await fetch(
      `${url}/v1/barcode?type=qr_code&format=${format}&data=${encodeURIComponent(data)}`,
    );
    const image = Buffer.from(await response.arrayBuffer());
    if (format === "png") {
      checkEqual("the picture has the link", decodeQr(image), data);
    }
    await dropFile(page, `code.${format}`, image, response.headers.get("content-type"), ".otp");
    await page.waitForFunction(
      (label) => [...document.querySelectorAll("input")].some(({ value }) => value === label),
      `by ${format}`,
    );
    checkEqual(`a picture in ${format} fills in the form`, await shown(), [secret, `by ${format}`]);
  }
  const other = await fetch(`${url}/v1/barcode?type=qr_code&format=png&data=hello`);
  await dropFile(page, "hello.png", Buffer.from(await other.arrayBuffer()), "image/png", ".otp");
  await page.getByText("This QR code has no setup link").waitFor();
  await dropFile(page, "notes.txt", Buffer.from("no picture"), "text/plain", ".otp");
  await page.getByText("This file is not a picture").waitFor();
  check("other pictures and files are explained beside the field", true);

  await fieldOf(page, "Secret").fill(
    "otpauth-migration://offline?data=CjEKCkhlbGxvId6tvu8SGEV4YW1wbGU6YWxpY2VAZ29vZ2xlLmNvbRoHRXhhbXBsZTAC",
  );
  await page.getByRole("button", { name: "Example: alice@google.com" }).click();
  await page.getByText("The account of the link replaced").waitFor();
  checkEqual("an account of an export is chosen", (await shown())[1], "alice@google.com");
  const entries = await page.evaluate(() => navigation.entries().map((entry) => entry.url));
  check(
    "no link and no secret is in the history",
    entries.every((entry) => entry.endsWith("#/otp")),
    entries,
  );
  await openPanel(page, url, "otp/GEZDGNBVGY3TQOJQ?secret=GEZDGNBVGY3TQOJQ");
  check("a secret in the URL is ignored", (await secretOf(page)) !== "GEZDGNBVGY3TQOJQ");
  checkEqual("the title has no secret", await page.title(), "One-time passwords – Utility Tools");
  await finish();
}

/** Each mistake is explained beside its field. */
async function mistakes({ url, open }) {
  const { page, finish } = await open("otp");
  const code = page.getByLabel("Code from your authenticator app");
  for (const [typed, verdict] of [
    ["12ab", "a code has only digits"],
    ["1234567", "too long"],
  ]) {
    await code.fill(typed);
    await verdictOf(page, verdict).waitFor();
    checkEqual(`"${typed}" is marked`, await code.getAttribute("aria-invalid"), "true");
  }
  await fieldOf(page, "Account name").fill("a:b");
  await page.getByText("Must not contain a colon").waitFor();
  checkEqual(
    "there is no QR code for an invalid name",
    await page.getByRole("img", { name: /^QR/ }).count(),
    0,
  );
  await fieldOf(page, "Account name").fill("a");
  const secret = fieldOf(page, "Secret");
  await secret.fill("otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP&counter=1");
  await page.getByText("This setup link is for codes by counter").waitFor();
  await secret.fill("JBSWY3DP!");
  const words = await descriptionOf(page, url);
  check(
    "an invalid secret shows the message of the service",
    words.shown.includes(words.expected),
    words.shown,
  );
  await finish(/400/);
}

async function descriptionOf(page, url) {
  const marked = page.locator('.otp-account input[aria-invalid="true"]');
  await page
    .getByText(/base32/i)
    .first()
    .waitFor();
  const shown = await marked.evaluate((input) =>
    (input.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent)
      .join(" "),
  );
  const { error } = await post(`${url}/v1/otp`, {
    type: "time_based",
    action: "verify",
    secret: "JBSWY3DP!",
  });
  return { shown, expected: error.details[0].fieldViolations[0].description.slice(1) };
}

/** The panel takes at most two screens of a phone. */
async function onPhone({ open }) {
  const viewport = { width: 390, height: 844 };
  const { page, finish } = await open("otp", { viewport, hasTouch: true, isMobile: true });
  await page.getByRole("button", { name: "Open in app" }).waitFor();
  check("on a phone the setup link opens an app", true);
  const height = await page.evaluate(() => document.querySelector("main").scrollHeight);
  check("on a phone the panel has at most two screens", height <= 2 * 844, `${height}`);
  await finish();
}
