// Uses the API reference of the built service in a real browser. `npm test` does not run it.
import { check, checkEqual, conclude } from "connect-transcoding-testing/checks.mjs";
import {
  checkAxe,
  checkView,
  clipboardOf,
  hashOf,
  inBrowser,
  openPanel,
  press,
  withApiKey,
} from "./harness.mjs";

const TOOLS = ["One-time passwords", "Geo IP", "Countries", "E-mail", "QR code"];
const SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";

/** Opens the reference, and waits until its script has run. */
async function openReference(page, url, hash = "") {
  await page.goto(`${url}/docs${hash}`);
  await page.locator("html.script #start").waitFor();
}

/** The section of a method. */
const sectionOf = (page, id) => page.locator("section.method", { has: page.locator(`[id="${id}"]`) });

/** Opens the form of a method, fills it in, sends it, and returns what the page shows. */
async function tryIt(page, id, path, fillIn = () => {}) {
  const form = sectionOf(page, id).locator(".try");
  if ((await form.getAttribute("open")) === null) {
    await form.locator("summary").click();
  }
  await fillIn(form);
  const responded = page.waitForResponse((response) => new URL(response.url()).pathname === path);
  await form.getByRole("button", { name: "Send" }).click();
  const status = (await responded).status();
  const shown = form.locator(".answer > *");
  await shown.waitFor();
  return { status, shown, text: await shown.innerText() };
}

await inBrowser("the API reference", async ({ url, open }) => {
  const { page, finish } = await open();
  const historyOf = () => page.evaluate(() => [location.href, history.length, JSON.stringify(history.state)]);
  await openReference(page, url);
  const tools = page.getByRole("banner").getByRole("link");
  const names = ["Utility Tools", ...TOOLS, "API"];
  checkEqual("the header is that of the tools", await tools.allInnerTexts(), names);
  const before = await historyOf();
  const { paths } = await (await fetch(`${url}/openapi.json`)).json();
  const operations = Object.values(paths).flatMap((path) => Object.keys(path));
  checkEqual("the page has a form for each operation", await page.locator(".try").count(), operations.length);
  const groups = [
    "One-time passwords",
    "Countries",
    "IP geolocation",
    "E-mail addresses",
    "QR codes",
    "This service",
  ];
  checkEqual("its groups have names for people", await page.locator(".index p").allInnerTexts(), groups);
  checkEqual("the page credits DB-IP", await page.locator('a[href="https://db-ip.com"]').count(), 1);
  const chooseExample = (form) => form.getByLabel("Example").selectOption({ label: "VerifyOtp" });
  const enterNothing = (form) => form.locator('[name="query:ip_address"]').fill("nothing");
  for (const [id, path, expected, shown, fillIn] of [
    ["LookupIp", "/v1/geoIp", 200, /"asn_name": "Google LLC"/],
    ["VerifyOtp", "/v1/otp", 200, new RegExp(`(?=[^]*${SECRET})[^]*"current": "\\d{6}"`), chooseExample],
    ["BatchLookupIps", "/v1/geoIp:batch", 200, /"input": "8\.8\.8\.8"/],
    ["LookupIp", "/v1/geoIp", 400, /"reason": "INVALID_PARAMETERS"/, enterNothing],
  ]) {
    const { status, text } = await tryIt(page, id, path, fillIn);
    checkEqual(`${id} is sent`, status, expected);
    check(`the response of ${id} is shown`, shown.test(text), text);
  }
  const choosePng = (form) => form.locator('[name="query:format"]').selectOption("png");
  const barcode = await tryIt(page, "RenderBarcode", "/v1/barcode", choosePng);
  check("an image is shown", (await barcode.shown.evaluate((image) => image.naturalWidth)) > 100);
  checkEqual("no request is in the URL or in the history", await historyOf(), before);

  const body = sectionOf(page, "VerifyOtp").locator("textarea");
  await body.fill("{}");
  const answer = sectionOf(page, "VerifyOtp").locator(".answer");
  check("an answer goes away with its request", await answer.isHidden());
  await page.reload();
  const kept = await body.inputValue();
  check("the browser does not keep what was entered", kept.includes('"generate"'), kept);
  await page.goto(`${url}/docs/`);
  await page.locator("#start").waitFor();
  checkEqual("/docs/ redirects to the page", page.url(), `${url}/docs`);
  await finish(/400/);
});

/** Links, languages and the index, with the keyboard alone. */
async function linksAndKeys({ url, open }) {
  const { page, finish } = await open();
  await openReference(page, url, "#GetCountry");
  const inView = (id) =>
    page.evaluate((each) => {
      const { top } = document.getElementById(each).getBoundingClientRect();
      return top >= 0 && top < innerHeight;
    }, id);
  check("a link leads to a method", await inView("GetCountry"));
  await page.goto(`${url}/docs#LookupIp.ADDRESS_NOT_FOUND`);
  check("a link leads to an error, and opens the list", await inView("LookupIp.ADDRESS_NOT_FOUND"));
  await page.goto(`${url}/docs#type-Country`);
  check("a link leads to a type, and opens it", await page.locator("#type-Country .rows").isVisible());
  await page.keyboard.press("/");
  await page.keyboard.type("lookup");
  const found = await page.locator(".index li:not(.top):visible").allInnerTexts();
  checkEqual("the filter also finds names, and shows what methods do", found, [
    "GET Locates an IP address and finds its network",
    "GET Looks up the client's own address",
    "POST Looks up 1 to 1,000 IP addresses",
    "GET Summarizes the networks of an autonomous system",
  ]);
  for (const key of ["Tab", "Tab", "Enter"]) {
    await page.keyboard.press(key);
  }
  checkEqual("the index is used by keys", hashOf(page), "#LookupIp");
  const section = sectionOf(page, "LookupIp");
  const focused = section.getByRole("tab", { selected: true });
  await focused.focus();
  for (const [language, text] of [
    ["buf curl", `${url}/utilitytools.v1.GeoIpService/LookupIp`],
    ["TypeScript", `fetch("${url}/v1/geoIp?`],
    ["Python", `requests.get(\n    "${url}/v1/geoIp"`],
    ["curl", `curl '${url}/v1/geoIp?`],
  ]) {
    await page.keyboard.press("ArrowRight");
    checkEqual(`an arrow key selects ${language}`, await focused.innerText(), language);
    await section.getByRole("button", { name: "Copy" }).first().click();
    await focused.focus();
    const copied = await clipboardOf(page);
    check(`${language} has the URL of the page`, copied.includes(text), copied);
  }
  await finish();
}

/** The page has the theme that was chosen on the page of the tools, and axe finds nothing in either. */
async function themeAndView({ url, open }) {
  const { page, finish } = await open(undefined, { colorScheme: "light", bypassCSP: true });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await openReference(page, url);
  const light = await background();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await background();
  check("the page follows the theme of the system", dark !== light, dark);
  await page.evaluate(() => {
    for (const each of document.querySelectorAll("details")) {
      each.open = true;
    }
  });
  await tryIt(page, "LookupIp", "/v1/geoIp");
  await checkAxe(page, "the dark reference");
  await page.emulateMedia({ colorScheme: "light" });
  await checkView(page, "the light reference");
  await press(page, "Dark theme");
  checkEqual("a button changes the theme", await background(), dark);
  await openPanel(page, url, "geoip");
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  checkEqual("the tools have that theme", theme, "dark");
  await finish();
}

/** The page of a service that requires an API key. */
async function withKey({ url, open }, key) {
  const { page, finish } = await open();
  await page.goto(`${url}/docs#LookupIp`);
  const field = page.getByLabel("API key", { exact: true });
  await field.fill("not the key");
  await press(page, "Continue");
  await page.getByText("This key is not valid").waitFor();
  checkEqual("without a key, nothing of the API is shown", await page.locator("section").count(), 0);
  await field.fill(key);
  await page.keyboard.press("Enter");
  await page.locator("#start").waitFor();
  const { status } = await tryIt(page, "LookupIp", "/v1/geoIp");
  checkEqual("requests are sent with the key", status, 200);
  checkEqual("the URL does not contain the key", page.url(), `${url}/docs#LookupIp`);
  check("no example contains the key", !(await page.locator("main").innerHTML()).includes(key));
  await page.reload();
  await page.locator("#start").waitFor();
  await openPanel(page, url, "geoip");
  checkEqual("the tools use the same key", await page.getByLabel("API key").count(), 0);
  await finish(/401/);
}

await inBrowser("links and keys", linksAndKeys);
await inBrowser("theme and view", themeAndView);
await withApiKey("the API reference with API keys", withKey);
conclude();
