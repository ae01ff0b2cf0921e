import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import { TOTP, URI } from "otpauth";
import {
  accessibilityTree,
  buttonOf,
  checkShown,
  clipboardOf,
  decodeQr,
  descriptionOf,
  fieldOf,
  hashOf,
  historyOf,
  openDrawer,
  openPanel,
  post,
  press,
  scanQr,
  shownResponse,
} from "../harness.mjs";
import { dropFile, pasteText } from "../lists.mjs";
import { codesAt, visitList } from "./otp-list.mjs";

const SECRET = "JBSWY3DPEHPK3PXP";

/** A masked field has no role. */
const secretField = (page) => page.getByLabel("Secret", { exact: true });
const secretOf = (page) => secretField(page).inputValue();
const codeFieldOf = (page) => page.getByLabel("Code from your authenticator app");
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
  const issuer = "Müller & Söhne, 100%";
  const name = fieldOf(page, "Account name");
  /** Names the account, and returns what an app reads from the screen. */
  const enroll = async (label) => {
    await name.fill(label);
    return URI.parse(await scanQr(page, (text) => text?.includes(encodeURIComponent(label))));
  };
  await fieldOf(page, "Service name").fill(issuer);
  const authenticator = await enroll("ann.lee@example.com");
  await codeFieldOf(page).fill(authenticator.generate());
  await verdictOf(page, "Correct").waitFor();
  const renamed = await enroll("ann@example.com");
  const secret = authenticator.secret.base32;
  checkEqual("the issuer is preserved", authenticator.issuer, issuer);
  checkEqual("another account name keeps the secret", renamed.secret.base32, secret);
  checkEqual("the QR code has the other name", renamed.label, "ann@example.com");
  await checkShown("the code that was typed is still checked", verdictOf(page, "Correct"));

  checkEqual("the form has the secret of the QR code", await secretOf(page), secret);
  const masked = await accessibilityTree(page);
  check("the secret is masked at first, also for screen readers", !masked.includes(secret), masked);
  await press(page, "Show");
  check("the secret can be shown", (await accessibilityTree(page)).includes(secret));
  await press(page, "Copy Secret");
  checkEqual("the secret can be copied", await clipboardOf(page), secret);
  await press(page, "Copy setup link");
  checkEqual("the setup link can be copied", URI.parse(await clipboardOf(page)).secret.base32, secret);

  await press(page, "New secret");
  await page.getByText("A new secret replaced the one before.").waitFor();
  const other = await secretOf(page);
  check("a button makes a new secret", other !== secret && /^[A-Z2-7]{32}$/.test(other), other);
  checkEqual("the names stay", await name.inputValue(), "ann@example.com");
  checkEqual("the response is shown in the drawer", (await shownResponse(page, "GenerateOtp")).secret, other);
  await press(page, "Undo");
  await page.getByText("A new secret replaced").waitFor({ state: "detached" });
  checkEqual("the secret before can be brought back", await secretOf(page), secret);
  await fieldOf(page, "Service name").fill("Other");
  const response = await openDrawer(page, "GenerateOtp");
  const hint = response.getByText("No request sent yet.");
  await checkShown("a response goes away when its request is another one", hint);
  checkEqual("the secret is not in the URL", hashOf(page), "#/otp");
  await finish();
}

/** The current code is copied by a click, and becomes the next one. */
async function countdown({ open }) {
  const { page, finish } = await open("otp");
  const now = page.getByRole("region", { name: "Current code" });
  const left = Number(await now.getByRole("timer").innerText());
  check("the countdown shows the seconds left", left >= 1 && left <= 30, String(left));
  const openers = await buttonOf(page, "Open in app").count();
  checkEqual("without a touch screen, no button opens an app", openers, 0);
  const secret = new TOTP({ secret: await secretOf(page) });
  await now.getByRole("button", { name: /^Copy the current code/ }).click();
  const near = codesAt(secret, [-30, 0]);
  const copied = await clipboardOf(page);
  check("a click copies the current code", near.includes(copied), `${copied} ${near}`);
  const next = (await now.locator('dt:has-text("Next") + dd').innerText()).replaceAll(/\s/g, "");
  await now.getByRole("button", { name: `Copy the current code ${next}` }).waitFor({ timeout: 40_000 });
  check("the next code becomes the current one", secret.generate() === next);
  const right = codesAt(secret, [-90, -60, -30, 0, 30, 60]);
  const codes = ["000000", "000001", "000002", "000003", "000004", "000005", "000006"];
  await codeFieldOf(page).fill(codes.find((code) => !right.includes(code)));
  await checkShown("another code is wrong", verdictOf(page, "Wrong"));
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
  await codeFieldOf(page).fill(link.generate());
  await checkShown("a code of 8 digits in 60 seconds is correct", verdictOf(page, "Correct"));

  const { secret } = await post(`${url}/v1/otp`, { type: "time_based", action: "generate", label: "x" });
  /** Drops a QR code as a picture, and returns the picture. */
  const dropCode = async (format, data) => {
    const query = new URLSearchParams({ type: "qr_code", format, data });
    const response = await fetch(`${url}/v1/barcode?${query}`);
    const image = Buffer.from(await response.arrayBuffer());
    await dropFile(page, `code.${format}`, image, response.headers.get("content-type"), ".otp");
    return image;
  };
  for (const format of ["png", "svg"]) {
    const label = `by ${format}`;
    const data = new TOTP({ issuer: "Bank", label, secret }).toString();
    const image = await dropCode(format, data);
    if (format === "png") {
      checkEqual("the picture has the link", decodeQr(image), data);
    }
    const isFilled = (name) => [...document.querySelectorAll("input")].some(({ value }) => value === name);
    await page.waitForFunction(isFilled, label);
    checkEqual(`a picture in ${format} fills in the form`, await shown(), [secret, label]);
  }
  await dropCode("png", "hello");
  await page.getByText("This QR code has no setup link").waitFor();
  await dropFile(page, "notes.txt", "no picture", "text/plain", ".otp");
  const problem = page.getByText("This file is not a picture");
  await checkShown("other pictures and files are explained beside the field", problem);

  await secretField(page).fill(
    "otpauth-migration://offline?data=CjEKCkhlbGxvId6tvu8SGEV4YW1wbGU6YWxpY2VAZ29vZ2xlLmNvbRoHRXhhbXBsZTAC",
  );
  await page.getByRole("button", { name: "Example: alice@google.com" }).click();
  await page.getByText("The account of the link replaced").waitFor();
  checkEqual("an account of an export is chosen", (await shown())[1], "alice@google.com");
  const others = (await historyOf(page)).filter((entry) => !entry.endsWith("#/otp"));
  checkEqual("no link and no secret is in the history", others, []);
  await openPanel(page, url, "otp/GEZDGNBVGY3TQOJQ?secret=GEZDGNBVGY3TQOJQ");
  check("a secret in the URL is ignored", (await secretOf(page)) !== "GEZDGNBVGY3TQOJQ");
  checkEqual("the title has no secret", await page.title(), "One-time passwords – Utility Tools");
  await finish();
}

/** Each mistake is explained beside its field. */
async function mistakes({ open }) {
  const { page, finish } = await open("otp");
  await fieldOf(page, "Account name").fill("a:b");
  await page.getByText("Must not contain a colon").waitFor();
  const images = await page.getByRole("img", { name: /^QR/ }).count();
  checkEqual("there is no QR code for an invalid name", images, 0);
  await fieldOf(page, "Account name").fill("a");
  const secret = secretField(page);
  await secret.fill("otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP&counter=1");
  await page.getByText("This setup link is for codes by counter").waitFor();
  await secret.fill("JBSWY3DP!");
  const problem = "Letters A–Z and digits 2–7 only.";
  await page.getByText(problem).waitFor();
  const shown = await descriptionOf(page.locator('.otp-account input[aria-invalid="true"]'));
  check("an invalid secret is explained in plain words", shown.startsWith(problem), shown);
  const hints = page.getByText(/^(Correct the account to see its code|The QR code appears here)\.$/);
  checkEqual("the places of the codes say what they wait for", await hints.count(), 2);
  await secret.fill("");
  await checkShown("without a secret, too", page.getByText("Enter the secret to see its code."));
  await finish();
}

/** The panel takes at most two screens of a phone. */
async function onPhone({ open }) {
  const viewport = { width: 390, height: 844 };
  const { page, finish } = await open("otp", { viewport, hasTouch: true, isMobile: true });
  await checkShown("on a phone the setup link opens an app", buttonOf(page, "Open in app"));
  const height = await page.evaluate(() => document.querySelector("main").scrollHeight);
  check("on a phone the panel has at most two screens", height <= 2 * 844, `${height}`);
  await finish();
}
