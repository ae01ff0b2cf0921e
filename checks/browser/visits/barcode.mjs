import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import { checkShown, clipboardOf, decodeQr, hashOf, openPanel, press, scanQr } from "../harness.mjs";
import { download } from "../lists.mjs";
import { visitList } from "./barcode-list.mjs";

/** Makes codes of several kinds and of a list, saves and shares them. */
export async function visit(browser) {
  await codes(browser);
  await sharedNetwork(browser);
  await visitList(browser);
}

/** A link to the code of a network has its name and its colors, but not its password. */
async function sharedNetwork({ open }) {
  const { context, page, finish } = await open("barcode");
  await page.getByRole("radio", { name: "Wi-Fi" }).check();
  await page.getByLabel("Network name").fill("Garden");
  await page.getByLabel("Password").fill("rose-garden");
  await page.getByText("Size and colors").click();
  await page.getByLabel("Foreground").fill("#1a4d8f");
  await page.waitForURL(({ hash }) => hash.includes("foreground=1a4d8f"));
  await page.getByRole("button", { name: /link to this page/ }).click();
  const link = await clipboardOf(page);
  check("the link has no password", !link.includes("rose"), link);
  await page.getByText("The link has everything but the password.").waitFor();
  const other = await context.newPage();
  await other.goto(link);
  await other.getByText("Enter the password of the network").waitFor();
  await other.getByLabel("Password").fill("rose-garden");
  const wifi = "WIFI:T:WPA;S:Garden;P:rose-garden;;";
  checkEqual("the link brings the network back", await scanQr(other, (text) => text === wifi), wifi);
  const color = await other.getByLabel("Foreground").inputValue();
  checkEqual("the link brings the colors back", color, "#1a4d8f");
  await finish();
}

async function codes({ url, open }) {
  const { page, finish } = await open("barcode");
  const scan = (text) => scanQr(page, (found) => found === text);
  await page.getByRole("radio", { name: "Wi-Fi" }).check();
  await page.getByText("Enter the name of the network.").waitFor();
  const errors = await page.locator("main .wrong, main .error").allInnerTexts();
  checkEqual("an empty form has a hint, and no error", errors.join(""), "");
  await page.getByLabel("Network name").fill("Café; guests");
  await page.getByLabel("Password").fill("a:b,c\\d;e");
  const wifi = "WIFI:T:WPA;S:Café\\; guests;P:a\\:b\\,c\\\\d\\;e;;";
  checkEqual("a phone can join the Wi-Fi in 3 steps: kind, name, password", await scan(wifi), wifi);
  await page.waitForTimeout(400);
  const withoutPassword = new URLSearchParams({ data: "WIFI:T:WPA;S:Café\\; guests;;" });
  checkEqual("the password is not in the URL", hashOf(page), `#/barcode?${withoutPassword}`);

  await page.getByRole("radio", { name: "Link" }).check();
  const text = "https://example.com/?q=Zürich";
  await page.getByRole("textbox", { name: "Link" }).fill(text);
  checkEqual("the code on the screen contains the link", await scan(text), text);
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
    const { content, name: fileName } = await download(page, `Download ${name}`);
    checkEqual(
      "the file is named after its content",
      fileName,
      `link-example-com-q-zürich.${name.toLowerCase()}`,
    );
    checkEqual(`the downloaded ${name} contains the text in the size`, decode(content), [text, 333]);
  }
  await page.waitForURL(({ hash }) => hash.includes("foreground"));
  const options = "&size=333&errorCorrection=high&foreground=1a4d8f";
  check("the URL has the options", hashOf(page).endsWith(options), hashOf(page));
  await page.reload();
  await page.getByText("Size and colors").click();
  checkEqual("a link brings the size back", await page.getByLabel("Size").inputValue(), "333");
  checkEqual("a link brings the color back", await page.getByLabel("Foreground").inputValue(), "#1a4d8f");
  await scan(text);
  await press(page, "Copy image");
  await page.getByText("Image copied.").first().waitFor();
  const copied = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    return [...new Uint8Array(await (await item.getType("image/png")).arrayBuffer())];
  });
  checkEqual("the copied image contains the text", decodeQr(Buffer.from(copied)), text);
  await page.getByLabel("Foreground").fill("#cccccc");
  const why = page.getByText("The foreground must have a contrast of at least 4:1");
  await checkShown("a low contrast is explained", why);
  await page.getByLabel("Foreground").fill("#000000");
  await page.getByLabel("Size").fill("");
  await page.getByRole("radio", { name: "Auto" }).check();
  await page.waitForTimeout(400);
  const hash = "#/barcode?data=https%3A%2F%2Fexample.com%2F%3Fq%3DZ%C3%BCrich";
  checkEqual("the text is in the URL", hashOf(page), hash);
  await openPanel(page, url, "home");
  await openPanel(page, url, "barcode?data=two+words");
  checkEqual("a link opens a text", await scan("two words"), "two words");
  await openPanel(page, url, "barcode?data=otpauth%3A%2F%2Ftotp%2Fa%3Fsecret%3DJBSWY3DPEHPK3PXP");
  check("a secret in the URL is ignored", !(await page.content()).includes("JBSWY3DPEHPK3PXP"));
  await finish(/40[04]/);
}
