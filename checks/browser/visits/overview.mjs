import { check, checkEqual } from "../../lib/checks.mjs";
import { openPanel, panelIds } from "../harness.mjs";

/** The limit for everything that the page loads, in compressed bytes. */
const MAX_BYTES = 200_000;

/** Opens the page for the first time, and measures what all panels load. */
export async function visit({ url, open }) {
  const { context, page, finish } = await open();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await openPanel(page, url, "overview");
  check("the page has a title", /Utility Tools$/.test(await page.title()), await page.title());
  await page.getByText("US · Google LLC").waitFor();
  await page.getByText("janedoe@gmail.com").waitFor();
  check("the overview shows responses of the service", true);
  const cards = page.getByRole("main").getByRole("listitem").getByRole("link");
  const leads = await cards.evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  const tools = (await panelIds(page)).filter((id) => id !== "overview");
  const expected = [...tools.map((id) => `#/${id}`), "docs"];
  check(
    "each card leads to its panel",
    leads.length === expected.length && expected.every((start, index) => leads[index].startsWith(start)),
    leads.join(" "),
  );
  check("a card leads to its example if that has a URL", leads.includes("#/geoip/8.8.8.8"));
  const credit = page.getByRole("contentinfo").getByRole("link", { name: "IP Geolocation by DB-IP" });
  checkEqual("DB-IP is credited with a link", await credit.getAttribute("href"), "https://db-ip.com");
  for (const id of await panelIds(page)) {
    await openPanel(page, url, id);
  }
  check(
    `all panels with their responses load less than ${MAX_BYTES} bytes`,
    bytes > 50_000 && bytes < MAX_BYTES,
    `${bytes}`,
  );
  console.log(`     ${bytes} bytes loaded by all panels and their requests`);
  const { headers } = await fetch(url);
  const policy = headers.get("content-security-policy") ?? "";
  check(
    "the policy allows only scripts and styles of the service",
    policy.includes("default-src 'none'") &&
      policy.includes("script-src 'self'") &&
      !policy.includes("unsafe"),
    policy,
  );
  await finish();
}
