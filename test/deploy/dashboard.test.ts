import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDashboard } from "../../deploy/grafana/dashboard.js";

const FILE = join(import.meta.dirname, "../../deploy/grafana/dashboard.json");
const dashboard = createDashboard();
const panels = (dashboard.panels ?? []).flatMap((panel) => ("targets" in panel ? [panel] : []));

test("the file is current", async () => {
  await expect(`${JSON.stringify(dashboard, null, 2)}\n`).toMatchFileSnapshot(FILE);
});

test("it can be imported into any Grafana", () => {
  expect(dashboard).toMatchObject({ uid: "utility-tools", schemaVersion: 42 });
  expect(dashboard).not.toHaveProperty("id");
  const sources = [...readFileSync(FILE, "utf8").matchAll(/"uid": "(.*)"/g)].map(([, uid]) => uid);
  expect(new Set(sources)).toEqual(new Set(["utility-tools", `\${datasource}`]));
});

test("every panel has a title, a description and an id", () => {
  expect(panels.length).toBeLessThanOrEqual(20);
  expect(panels.filter(({ description = "" }) => !description.endsWith("."))).toEqual([]);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  expect(new Set(dashboard.panels?.map(({ id }) => id)).size).toBe(dashboard.panels?.length);
});

test("no panel covers another", () => {
  const cells = (dashboard.panels ?? []).flatMap(
    ({ gridPos: { x, y, w, h } = { x: 0, y: 0, w: 0, h: 0 } }) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`);
    },
  );
  expect(new Set(cells).size).toBe(cells.length);
});
