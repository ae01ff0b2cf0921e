import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, conclude, run } from "../../lib/checks.mjs";
import { ROOT } from "../../lib/service.js";
import { createDashboard } from "./dashboard.js";

// Checks the types of the generator, that deploy/grafana/dashboard.json is current, and that the dashboard is well-formed. With
// --write, writes the file instead.
const FILE = join(ROOT, "deploy", "grafana", "dashboard.json");

const dashboard = createDashboard();
const text = `${JSON.stringify(dashboard, null, 2)}\n`;
if (process.argv.includes("--write")) {
  writeFileSync(FILE, text);
  process.exit();
}
const types = run("tsc", ["-p", import.meta.dirname]);
check("the generator has correct types", types.status === 0, types.stdout);
check("deploy/grafana/dashboard.json is current", readFileSync(FILE, "utf8") === text, "use --write");

const { panels: all = [] } = dashboard;
const panels = all.flatMap((panel) => ("targets" in panel ? [panel] : []));
const sources = new Set([...text.matchAll(/"uid": "(.*)"/g)].map(([, uid]) => uid));
check(
  "it can be imported into any Grafana",
  dashboard.uid === "utility-tools" &&
    dashboard.schemaVersion === 42 &&
    !("id" in dashboard) &&
    [...sources].sort().join() === `\${datasource},utility-tools`,
  [...sources],
);
check("it has at most 20 panels", panels.length <= 20, panels.length);
const isDescribed = panels.every(({ description = "" }) => description.endsWith("."));
const titles = new Set(panels.map(({ title }) => title));
const ids = new Set(all.map(({ id }) => id));
check(
  "every panel has a title, a description and an id",
  isDescribed && titles.size === panels.length && ids.size === all.length,
);
const cells = all.flatMap(({ gridPos: { x, y, w, h } = { x: 24, y: 0, w: 1, h: 1 } }) =>
  Array.from({ length: w * h }, (_, index) => [x + (index % w), y + Math.floor(index / w)] as const),
);
check(
  "no panel covers another, or is outside",
  new Set(cells.map(String)).size === cells.length && cells.every(([x]) => x < 24),
);
conclude();
