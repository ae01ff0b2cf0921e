import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { check } from "../../checks.mjs";
import { openPanel, PANELS } from "./page.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Every panel in both schemes: what axe finds, and whether a phone has to scroll sideways. */
export async function accessibility({ url, open }) {
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
