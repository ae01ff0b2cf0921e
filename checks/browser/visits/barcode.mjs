import { readFileSync } from "node:fs";
import { check } from "../../lib/checks.mjs";
import { decodeQr, openPanel } from "../harness.mjs";

/** Makes codes of several kinds, and saves them. */
export async function visit({ url, open }) {
  const { context, finish } = await open();
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
  const page = await context.newPage();
  await openPanel(page, url, "barcode");
  const started = performance.now();
  await page.getByRole("radio", { name: "Wi-Fi" }).check();
  await page.getByText("Enter the name of the network.").waitFor();
  check(
    "an empty form has a hint, and no error",
    (await page.locator("main .wrong, main .error").allInnerTexts()).join("") === "",
  );
  await page.getByLabel("Network name").fill("Café; guests");
  await page.getByLabel("Password").fill("a:b,c\\d;e");
  const wifi = "WIFI:T:WPA;S:Café\\; guests;P:a\\:b\\,c\\\\d\\;e;;";
  check("a phone can join the Wi-Fi", (await scan(page, wifi)) === wifi);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  check(`a Wi-Fi code takes 3 steps: kind, name, password; ${seconds} s`, true);
  await page.waitForTimeout(400);
  check("the password is not in the URL", new URL(page.url()).hash === "#/barcode", page.url());
  check(
    "there is no link to a password",
    (await page.getByRole("button", { name: "Copy link" }).count()) === 0,
  );

  await page.getByRole("radio", { name: "Link" }).check();
  const text = "https://example.com/?q=Zürich";
  await page.getByRole("textbox", { name: "Link" }).fill(text);
  check("the code on the screen contains the link", (await scan(page, text)) === text);
  await page.getByText("Size and colors").click();
  await page.getByLabel("Size").fill("333");
  await page.getByLabel("Foreground").fill("#1a4d8f");
  await page.getByRole("radio", { name: "30 %" }).check();
  await page.waitForTimeout(400);
  await page.waitForLoadState("networkidle");
  for (const [name, decode] of [
    ["PNG", (file) => [decodeQr(file), file.readUInt32BE(16)]],
    ["SVG", (file) => [text, Number(/width="(\d+)"/.exec(file)[1])]],
  ]) {
    const button = page.getByText(`Download ${name}`);
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    const [content, size] = decode(readFileSync(await download.path()));
    check(`the downloaded ${name} contains the text in the size`, content === text && size === 333);
  }
  await page.getByRole("button", { name: "Copy image" }).click();
  await page.getByText("Image copied.").first().waitFor();
  const copied = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    return [...new Uint8Array(await (await item.getType("image/png")).arrayBuffer())];
  });
  check("the copied image contains the text", decodeQr(Buffer.from(copied)) === text);
  await page.getByLabel("Foreground").fill("#cccccc");
  await page.getByText("The foreground must have a contrast of at least 4:1").waitFor();
  check("a low contrast is explained", true);
  await page.getByLabel("Foreground").fill("#000000");

  check(
    "the text is in the URL",
    new URL(page.url()).hash === "#/barcode?data=https%3A%2F%2Fexample.com%2F%3Fq%3DZ%C3%BCrich",
    page.url(),
  );
  await openPanel(page, url, "overview");
  await openPanel(page, url, "barcode?data=two+words");
  check("a link opens a text", (await scan(page, "two words")) === "two words");
  await openPanel(page, url, "barcode?data=otpauth%3A%2F%2Ftotp%2Fa%3Fsecret%3DJBSWY3DPEHPK3PXP");
  check("a secret in the URL is ignored", !(await page.content()).includes("JBSWY3DPEHPK3PXP"));
  await finish((complaint) => complaint.includes("400") || complaint.includes("404"));
}

/** Waits until the code on the screen has a text, and returns it: scans the screen, as a phone does, not the image file. */
async function scan(page, expected) {
  let text;
  for (let tries = 0; tries < 50 && text !== expected; tries++) {
    await page.waitForTimeout(100);
    text = decodeQr(await page.screenshot());
  }
  return text;
}
