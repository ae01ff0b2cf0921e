import { check } from "../../checks.mjs";
import { json, openPanel, shownResponse } from "../harness.mjs";

/** Looks up one address, a reserved one, the client's own, an invalid one, and several. */
export async function visit({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "geoip");
  const address = page.getByRole("textbox", { name: "IP address", exact: true });
  await address.fill("193.0.6.139");
  await page.getByRole("button", { name: "Look up", exact: true }).click();
  const expected = await json(`${url}/v1/geoIp?ip_address=193.0.6.139&view=full`);
  await page.getByRole("region", { name: "Location" }).getByText(expected.metadata.asn_name).waitFor();
  check(
    "the response is that of the service",
    JSON.stringify(await shownResponse(page, "LookupIp")) === JSON.stringify(expected),
  );
  const facts = await page.getByRole("region", { name: "Location" }).innerText();
  const { city, region_code, time_zone } = expected.metadata.details;
  check(
    "the details are shown, and those that are unknown are not",
    [city, region_code, time_zone].every((value) => value !== "" && facts.includes(value)) &&
      !facts.includes("Postal code"),
    facts,
  );
  const map = page.getByRole("img", { name: /^Map: Netherlands, 52\.\d° N, 4\.\d° E$/ });
  check("the map has a description", (await map.count()) === 1);

  await page.getByRole("button", { name: "192.168.1.1" }).click();
  await page.getByText("Private-Use").first().waitFor();
  const rfc = page.getByRole("link", { name: /RFC 1918/ });
  check("a reserved range is explained", /rfc1918/.test((await rfc.first().getAttribute("href")) ?? ""));
  await page.getByRole("button", { name: "My address" }).click();
  await page.getByText("Loopback").first().waitFor();
  check("the client's own address is explained if it is special-purpose", true);
  await address.fill("8.8.8.0/24");
  await page.getByRole("button", { name: "Look up", exact: true }).click();
  await page
    .getByText(/without a prefix length: 8\.8\.8\.0/)
    .first()
    .waitFor();
  check("an invalid address is marked as invalid", (await address.getAttribute("aria-invalid")) === "true");

  await page.getByRole("tab", { name: "Several" }).click();
  await page.getByRole("textbox").first().fill("1.1.1.1\n10.0.0.1\nnonsense\n2001:4860:4860::8888");
  await page.getByRole("button", { name: /Look up/ }).click();
  const rows = page.getByRole("table").getByRole("row");
  await rows.filter({ hasText: "nonsense" }).waitFor();
  check(
    "each of several addresses has its result or its error",
    /New South Wales.*Cloudflare/s.test(await rows.nth(1).innerText()) &&
      /RFC 1918/.test(await rows.nth(2).innerText()),
  );
  await finish((complaint) => /40[04]/.test(complaint));
}
