import { check } from "../../checks.mjs";
import { openPanel } from "./page.mjs";

/** The page of a service that wants a key. */
export async function withKeys({ url, open }, key) {
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
