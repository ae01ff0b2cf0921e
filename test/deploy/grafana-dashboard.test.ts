import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
  readonly targets?: readonly { readonly expr: string }[];
}

const text = readFileSync(join(import.meta.dirname, "../../deploy/grafana/dashboard.json"), "utf8");
const dashboard: { readonly uid: string; readonly schemaVersion: number; readonly panels: readonly Panel[] } =
  JSON.parse(text);
const all = dashboard.panels;
const panels = all.filter(({ targets }) => targets !== undefined);

describe("the dashboard", () => {
  test("can be imported into any Grafana", () => {
    expect(dashboard).toMatchObject({ uid: "utility-tools", schemaVersion: 42 });
    expect(dashboard).not.toHaveProperty("id");
    const sources = new Set([...text.matchAll(/"uid": "(.*)"/g)].map(([, uid]) => uid));
    expect([...sources].toSorted()).toEqual([`\${datasource}`, "utility-tools"]);
  });

  test("has at most 20 panels, with different titles and ids", () => {
    expect(panels.length).toBeGreaterThan(10);
    expect(panels.length).toBeLessThanOrEqual(20);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });

  test.each(panels)("describes $title, and restricts its queries to a job and replicas", (panel) => {
    expect(panel.description).toMatch(/\.$/);
    for (const { expr } of panel.targets ?? []) {
      expect(expr).toContain('job=~"$job", instance=~"$instance"');
    }
  });

  test("has no panel that covers another, or is outside", () => {
    const cells = all.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => [x + (index % w), y + Math.floor(index / w)] as const),
    );
    expect(new Set(cells.map(String)).size).toBe(cells.length);
    expect(cells.filter(([x]) => x >= 24)).toEqual([]);
  });
});
