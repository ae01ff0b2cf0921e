import { check } from "../../checks.mjs";
import { openPanel, PANELS } from "./page.mjs";

/** All that the page loads, in octets as they come over the network. */
const MAX_BYTES = 200_000;

/** What somebody sees first, and how much of it comes over the network. */
export async function firstVisit({ url, open }) {
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
