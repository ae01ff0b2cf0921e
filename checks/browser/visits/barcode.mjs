import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import { PNG } from "pngjs";
import decodeOther from "qr/decode.js";
import { checkShown, clipboardOf, decodeQr, hashOf, openPanel, press, scanQr } from "../harness.mjs";
import { download } from "../lists.mjs";
import { visitList } from "./barcode-list.mjs";

/** Makes codes of several kinds and of a list, saves and shares them. */
export async function visit(browser) {
  await codes(browser);
  await sharedNetwork(browser);
  await logo(browser);
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

/** A logo in PNG: a dark square. */
const SQUARE = PNG.sync.write(
  Object.assign(new PNG({ width: 60, height: 60 }), { data: Buffer.alloc(14_400, "141428ff", "hex") }),
);
/** A logo in SVG, whose script and image would leave the page. */
const DISK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10" onload="noteViolation(1)"><script>noteViolation(2)</script>' +
  '<image href="https://example.com/a.png" width="9" height="9"/><circle cx="5" cy="5" r="5" fill="#c22"/></svg>';

/** A logo is in the code on the screen, in both files and in print. It stays in the page, and takes the highest error correction. */
async function logo({ open }) {
  const { page, finish } = await open("barcode");
  const text = "https://example.com/logo";
  await page.getByRole("textbox", { name: "Link" }).fill(text);
  await page.getByText("Logo, size and colors").click();
  const choose = (name, mimeType, buffer) =>
    page
      .locator('input[type="file"]')
      .first()
      .setInputFiles({ name, mimeType, buffer: Buffer.from(buffer) });
  const requests = [];
  page.on("request", (request) => requests.push(`${request.url()} ${request.postData()}`));
  for (const [name, type, content, color] of [
    ["square.png", "image/png", SQUARE, "141428"],
    ["disk.svg", "image/svg+xml", DISK, "cc2222"],
  ]) {
    await choose(name, type, content);
    await page.getByText(name).waitFor();
    checkEqual(
      `a code with ${name} is read from the screen`,
      await scanQr(page, (found) => found === text),
      text,
    );
    const png = await download(page, "Download PNG");
    const svg = await download(page, "Download SVG");
    const shown = await page.evaluate(async (markup) => {
      const image = new Image();
      image.src = URL.createObjectURL(new Blob([markup], { type: "image/svg+xml" }));
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: 600, height: 600 });
      canvas.getContext("2d").drawImage(image, 0, 0, 600, 600);
      return canvas.toDataURL().split(",")[1];
    }, svg.text);
    for (const [format, file] of [
      ["PNG", png.content],
      ["SVG", Buffer.from(shown, "base64")],
    ]) {
      checkEqual(
        `two readers read the ${format} with ${name}`,
        [decodeQr(file), otherReader(file)],
        [text, text],
      );
      checkEqual(`the logo is in the middle of the ${format}`, middleOf(file), color);
    }
    check("the file has no script", !/script|onload|example\.com\/a/.test(svg.text));
  }
  await page.emulateMedia({ media: "print" });
  checkEqual("a printed code is read", await scanQr(page, (found) => found === text), text);
  await page.emulateMedia({ media: "screen" });
  const correction = page.getByRole("group", { name: "Error correction" }).getByRole("radio");
  checkEqual("the highest error correction is the only choice", await correction.count(), 1);
  await page.getByText("The link has everything but the logo.").waitFor();
  check(
    "the logo does not leave the page",
    requests.every((each) => !/image\/png|disk|square/.test(each)),
  );
  for (const [name, type, content, problem] of [
    ["notes.txt", "text/plain", "no picture", "A logo is a PNG, JPEG, SVG or WebP file."],
    ["broken.png", "image/png", "no picture", "This file is not a picture that the browser can show."],
    ["large.png", "image/png", Buffer.alloc(10_000_001), "This file is larger than 10 MB."],
  ]) {
    await choose(name, type, content);
    await checkShown(`${name} is explained`, page.getByText(problem));
  }
  const target =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-7 -7 14 14"><circle r="6" fill="none" stroke="#000" stroke-width="2"/><circle r="3"/></svg>';
  await choose("target.svg", "image/svg+xml", target);
  await page.getByRole("textbox", { name: "Link" }).fill("https://example.com/a-page-of-34");
  const confusing = page.getByRole("alert").getByText("Choose another picture.");
  await checkShown("a logo that looks like the corners of the code is reported", confusing);
  await choose("disk.svg", "image/svg+xml", DISK);
  await confusing.waitFor({ state: "detached" });
  await page.getByRole("textbox", { name: "Link" }).fill(`${text}?${"x".repeat(1_300)}`);
  const tooLong = page.getByText("This is too long for a code with a logo.");
  await checkShown("a text that is too long is explained", tooLong);
  await press(page, "Remove the logo");
  await tooLong.waitFor({ state: "detached" });
  checkEqual("without the logo, error correction can be chosen", await correction.count(), 5);
  await finish(/400/);
}

/** The text of a code by a reader that shares nothing with {@link decodeQr}. */
function otherReader(file) {
  const { data, width, height } = PNG.sync.read(file);
  return decodeOther({ data, width, height });
}

/** The color of the pixel in the middle of an image. */
function middleOf(file) {
  const { data, width, height } = PNG.sync.read(file);
  return data.subarray(4 * ((height >> 1) * width + (width >> 1))).toString("hex", 0, 3);
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
