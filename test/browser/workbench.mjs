// Uses each panel of the workbench in a real browser, as somebody would who sees the service for the first time: by what
// is on the screen, and held against what the service answers elsewhere. `npm test` does not need it.
//
// With --pictures it also writes the pictures that README shows.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import jsQR from "jsqr";
import { TOTP, URI } from "otpauth";
import { PNG } from "pngjs";
import { check, conclude } from "../checks.mjs";
import { inBrowser, MAIN } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PICTURES = process.argv.includes("--pictures")
  ? join(import.meta.dirname, "..", "..", "docs", "pictures")
  : undefined;
/** All that the page loads, in octets as they come over the network. */
const MAX_BYTES = 200_000;
const PANELS = ["overview", "otp", "geoip", "countries", "email", "barcode"];

const json = async (url, init) => (await fetch(url, init)).json();

/** The text of a QR code in a picture of the screen; undefined where there is none. */
function decodeQr(screenshot) {
  const { data, width, height } = PNG.sync.read(screenshot);
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

/** Opens a panel, and waits for what it answers at once. */
async function openPanel(page, url, id) {
  await page.goto(`${url}/#/${id}`);
  await page.locator("main h1").waitFor();
  await page.waitForLoadState("networkidle");
}

/** The answer that a panel shows for a method, as JSON. */
async function shownAnswer(page, method) {
  const region = page.getByRole("region", { name: `Answer of ${method}` });
  return JSON.parse(await region.locator("pre").innerText());
}

async function firstVisit({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await openPanel(page, url, "overview");
  check("the page has a title", /Utility Tools$/.test(await page.title()), await page.title());
  await page.getByText("US · Google LLC · 8.8.8.0/24").waitFor();
  await page.getByText("janedoe@gmail.com").waitFor();
  check("the start shows answers of the service", true);
  const credit = page.getByRole("contentinfo").getByRole("link", { name: "IP Geolocation by DB-IP" });
  check("DB-IP is credited with a link", (await credit.getAttribute("href")) === "https://db-ip.com");
  for (const id of PANELS) {
    await openPanel(page, url, id);
  }
  check(
    `all panels with their answers are under ${MAX_BYTES} octets`,
    bytes > 50_000 && bytes < MAX_BYTES,
    `${bytes}`,
  );
  console.log(`     ${bytes} octets came over the network for all panels and what they asked the service`);
  const { headers } = await fetch(url);
  const policy = headers.get("content-security-policy") ?? "";
  check(
    "the policy allows no scripts and styles but the service's",
    policy.includes("default-src 'none'") &&
      policy.includes("script-src 'self'") &&
      !policy.includes("unsafe"),
    policy,
  );
  await finish();
}

async function oneTimePasswords({ url, open }) {
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

  const { otp_url: otpUrl, secret } = await shownAnswer(page, "GenerateOtp");
  const image = page.getByRole("img", { name: "QR code of the OTP URL" });
  await image.scrollIntoViewIfNeeded();
  // As a phone sees it: the screen, not the image.
  check("the QR code on the screen is the OTP URL", decodeQr(await page.screenshot()) === otpUrl, otpUrl);
  check("the URL is on the page", (await page.getByText(otpUrl, { exact: true }).count()) >= 1);

  const authenticator = URI.parse(otpUrl);
  check("an authenticator reads it", authenticator instanceof TOTP && authenticator.secret.base32 === secret);
  check("the name of the account survives", authenticator.issuer === "Müller & Söhne: 100%");
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
    "the code of the authenticator is recognised",
    /current/i.test(await verdict.innerText()),
    await verdict.innerText(),
  );
  await page.getByLabel("Code from your authenticator").fill(current === "000000" ? "000001" : "000000");
  await verdict.filter({ hasNotText: /current/i }).waitFor();
  check("another code is not", !/current/i.test(await verdict.innerText()), await verdict.innerText());

  const left = Number(await codes.getByRole("timer").innerText());
  check("the ring has the seconds that are left", left >= 0 && left <= 30, String(left));
  const compact = next.replaceAll(/\s/g, "");
  await page.waitForFunction(
    (code) =>
      [...document.querySelectorAll("dd")].every(
        (each) => each.textContent?.replaceAll(/\s/g, "") !== code,
      ) && document.querySelector("main")?.textContent?.replaceAll(/\s/g, "").includes(code),
    compact,
    { timeout: 40_000 },
  );
  check("the next code is the current one when its time has come", authenticator.generate() === compact);

  await page.getByRole("textbox", { name: "Secret", exact: true }).fill("JBSWY3DP!");
  const marked = page.locator('input[aria-invalid="true"]');
  await marked.waitFor();
  const description = await marked.evaluate((input) =>
    (input.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent)
      .join(" "),
  );
  const refused = await json(`${url}/v1/otp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ type: "time_based", action: "verify", secret: "JBSWY3DP!" }),
  });
  const [{ description: words }] = refused.error.details[0].fieldViolations;
  check("a secret that is none is marked, in the service's words", description.includes(words), description);
  await finish((complaint) => complaint.includes("400"));
}

async function geoIp({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "geoip");
  const address = page.getByRole("textbox", { name: "IP address", exact: true });
  await address.fill("193.0.6.139");
  await page.getByRole("button", { name: "Look up", exact: true }).click();
  const expected = await json(`${url}/v1/geoIp?ip_address=193.0.6.139`);
  await page.getByRole("region", { name: "Location" }).getByText(expected.metadata.asn_name).waitFor();
  check(
    "the answer is the service's",
    JSON.stringify(await shownAnswer(page, "LookupIp")) === JSON.stringify(expected),
  );
  const map = page.getByRole("img", { name: /^Map: Netherlands, 52\.\d° N, 4\.\d° E$/ });
  check("the map names what it shows", (await map.count()) === 1);

  await page.getByRole("button", { name: "192.168.1.1" }).click();
  await page.getByText("Private-Use").first().waitFor();
  const rfc = page.getByRole("link", { name: /RFC 1918/ });
  check("a reserved range is explained", /rfc1918/.test((await rfc.first().getAttribute("href")) ?? ""));
  await page.getByRole("button", { name: "My address" }).click();
  await page.getByText("Loopback").first().waitFor();
  check("one's own address is explained where it is a special one", true);
  await address.fill("8.8.8.0/24");
  await page.getByRole("button", { name: "Look up", exact: true }).click();
  await page
    .getByText(/without a prefix length: 8\.8\.8\.0/)
    .first()
    .waitFor();
  check(
    "what is no address is refused in the service's words",
    (await address.getAttribute("aria-invalid")) === "true",
  );

  await page.getByRole("tab", { name: "Several" }).click();
  await page.getByRole("textbox").first().fill("1.1.1.1\n10.0.0.1\nnonsense\n2001:4860:4860::8888");
  await page.getByRole("button", { name: /Look up/ }).click();
  const rows = page.getByRole("table").getByRole("row");
  await rows.filter({ hasText: "nonsense" }).waitFor();
  check(
    "each of several addresses has its answer or its error",
    /Cloudflare/.test(await rows.nth(1).innerText()) && /RFC 1918/.test(await rows.nth(2).innerText()),
  );
  await finish((complaint) => /40[04]/.test(complaint));
}

async function countries({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "countries");
  const search = page.getByRole("searchbox").or(page.getByPlaceholder("Name, code or capital")).first();
  await search.fill("osterreich");
  const austria = page.getByRole("radio", { name: /Austria/ });
  await austria.waitFor({ state: "attached" });
  check(
    "a country is found by its own name, without diacritics",
    (await page.getByRole("radio").count()) < 5,
  );
  await austria.check({ force: true });
  await page.getByRole("heading", { name: "Austria" }).waitFor();
  await page.waitForLoadState("networkidle");
  const { states } = await json(`${url}/v1/countries?country=AT`);
  const table = page.getByRole("table");
  check(
    "its states are listed",
    (await table.getByRole("row").count()) === states.length + 1,
    `${states.length}`,
  );
  await page.getByPlaceholder("Filter").fill("tirol");
  await table.getByRole("row").nth(2).waitFor({ state: "detached" });
  check("they can be filtered", (await table.innerText()).includes("AT-7"));
  await search.fill("no such country");
  await page.getByText(/^0 of \d+$/).waitFor();
  check("nothing found is said", true);
  await finish();
}

async function email({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "email");
  const field = page.getByRole("textbox", { name: "Email", exact: true });
  await field.fill("");
  await field.pressSequentially("J.Smith+spam@Fastmail.FM");
  await page.getByText("j.smith@fastmail.fm").first().waitFor();
  const steps = page.getByRole("region", { name: "Steps" }).getByRole("heading", { level: 3 });
  check(
    "each rule is shown as one types",
    (await steps.allInnerTexts()).join() === "Normalize domain,Lower case,Remove suffix",
    (await steps.allInnerTexts()).join(),
  );
  await field.fill("jane..doe@example.com");
  await page
    .getByText(/two in a row/)
    .first()
    .waitFor();
  check(
    "what is no address is marked, in the service's words",
    (await field.getAttribute("aria-invalid")) === "true",
  );
  await finish((complaint) => complaint.includes("400"));
}

async function barcode({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "barcode");
  const text = "https://example.com/?q=Zürich & more";
  await page.getByRole("textbox", { name: "Data", exact: true }).fill(text);
  await page.locator("label", { hasText: "PNG" }).click();
  await page.getByText(/image\/png/).waitFor();
  await page.waitForLoadState("networkidle");
  await page.getByRole("img", { name: "The QR code" }).scrollIntoViewIfNeeded();
  check("the code on the screen is the text", decodeQr(await page.screenshot()) === text);
  const link = page.getByRole("link", { name: "Download PNG" });
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  const file = readFileSync(await download.path());
  check("it can be downloaded", decodeQr(file) === text);
  await finish();
}

/** What is copied must work when it is pasted. */
async function snippets({ url, open }) {
  const { context, finish } = await open();
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
  const page = await context.newPage();
  await openPanel(page, url, "geoip");
  const expected = JSON.stringify(await shownAnswer(page, "LookupIp"));
  const request = page.getByRole("region", { name: "Request of LookupIp" });
  await request.getByRole("button", { name: /^Copy/ }).click();
  const curl = await page.evaluate(() => navigator.clipboard.readText());
  const pasted = await promisify(execFile)("bash", ["-c", curl]);
  check("the curl command that is copied gives the same answer", pasted.stdout === expected, curl);
  await request.getByRole("tab", { name: "curl" }).focus();
  await page.keyboard.press("ArrowRight");
  check(
    "tabs move by arrow keys",
    (await request.getByRole("tab", { selected: true }).innerText()) === "gRPC",
  );
  await request.getByRole("button", { name: /^Copy/ }).click();
  const buf = await page.evaluate(() => navigator.clipboard.readText());
  const root = join(import.meta.dirname, "..", "..");
  const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}` };
  const called = await promisify(execFile)("bash", ["-c", buf], { cwd: root, env });
  check("so does the one for gRPC", JSON.parse(called.stdout).metadata.asnName !== "", buf);
  await finish();
}

/** Every panel in both schemes: what axe finds, and whether a phone has to scroll sideways. */
async function accessibility({ url, open }) {
  for (const colorScheme of ["light", "dark"]) {
    const { context, finish } = await open({ colorScheme, bypassCSP: true, reducedMotion: "reduce" });
    const page = await context.newPage();
    for (const id of PANELS) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await openPanel(page, url, id);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      check(
        `axe finds nothing on ${id}, ${colorScheme}`,
        violations.length === 0,
        violations.map(({ id: rule, nodes }) => `${rule}: ${nodes[0]?.html}`).join(" | "),
      );
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 800 });
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(`${id} fits a width of ${width}, ${colorScheme}`, overflow <= 0, `${overflow} too wide`);
      }
    }
    await finish((complaint) => /40[04]/.test(complaint));
  }
}

async function keyboardAndTheme({ url, open }) {
  const { context, finish } = await open({ colorScheme: "light" });
  const page = await context.newPage();
  await openPanel(page, url, "overview");
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => document.activeElement?.textContent ?? "");
  check("the first stop of the keyboard leads to the content", /skip|content/i.test(first), first);
  await page.getByRole("navigation").getByRole("link", { name: "E-mail" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "E-mail" }).waitFor();
  check("panels are links", page.url().endsWith("#/email"));
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  const toggle = page.getByRole("banner").getByRole("button").last();
  for (let tries = 0; tries < 3 && (await ground()) === light; tries++) {
    await toggle.click();
  }
  const dark = await ground();
  await page.reload();
  await page.locator("main h1").waitFor();
  check(
    "the theme can be changed, and stays",
    dark !== light && (await ground()) === dark,
    `${light} ${dark}`,
  );
  await finish();
}

/** The pictures that README shows. */
async function pictures({ url, open }) {
  const viewport = { width: 1120, height: 800 };
  for (const [panel, colorScheme] of [
    ["otp", "light"],
    ["geoip", "dark"],
  ]) {
    const { context } = await open({ viewport, colorScheme });
    const page = await context.newPage();
    await openPanel(page, url, panel);
    await page.mouse.wheel(0, panel === "otp" ? 232 : 0);
    // The map moves to where the answer is.
    await page.waitForTimeout(1_000);
    await page.screenshot({ path: join(PICTURES, `${panel}.png`) });
    await context.close();
  }
}

async function withKeys({ url, open }, key) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "email");
  const field = page.getByLabel("API key");
  await field.waitFor();
  check("the page asks for the key that the service wants", true);
  await field.fill("not-the-key");
  await page.getByRole("button", { name: "Use" }).click();
  const refusal = page.getByText(/key/i).filter({ hasText: /not valid|unknown|no key/i });
  await refusal.first().waitFor();
  check("a wrong one is refused in the service's words", true);
  await field.fill(key);
  await page.getByRole("button", { name: "Use" }).click();
  await page.getByText("janedoe@gmail.com").first().waitFor();
  const text = await page.locator("body").innerText();
  check("with the right one it answers", text.includes("janedoe@gmail.com"));
  check(
    "snippets name the key's variable, not the key",
    text.includes("$UTILITY_TOOLS_API_KEY") && !text.includes(key),
  );
  check("the key is in no address", !page.url().includes(key));
  await finish((complaint) => complaint.includes("401"));
}

await inBrowser("the workbench", async (world) => {
  for (const visit of [
    firstVisit,
    oneTimePasswords,
    geoIp,
    countries,
    email,
    barcode,
    snippets,
    keyboardAndTheme,
    accessibility,
  ]) {
    console.log(`\n${visit.name}`);
    await visit(world);
  }
  if (PICTURES !== undefined) {
    await pictures(world);
  }
});

const folder = mkdtempSync(join(tmpdir(), "browser-keys-"));
const keys = join(folder, "keys.txt");
const { stdout } = await promisify(execFile)(process.execPath, [
  MAIN,
  "make-key",
  "browser",
  "--append",
  keys,
]);
const [key] = stdout.trim().split(/\s+/);
await inBrowser("the workbench with keys", (world) => withKeys(world, key), {
  API_KEYS_FILE: keys,
  OPEN_AREAS: "docs",
});
rmSync(folder, { recursive: true });
conclude();
