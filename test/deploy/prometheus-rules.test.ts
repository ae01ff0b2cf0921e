import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { metricsOf } from "../../packages/operations/test/telemetry/scraped.js";
import { createPrimaryMetrics } from "../../src/service/telemetry/cluster-metrics.js";
import { createMetrics } from "../../src/service/telemetry/metrics.js";

// promtool tests the expressions: check.ts.
const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8");
const rules = read("deploy/prometheus/rules.yaml");

describe("the metrics of the service", async () => {
  const metrics = createMetrics({
    version: "1",
    dataBuilds: () => [],
    connections: () => 0,
    readiness: () => [],
    certificateExpiry: () => undefined,
  });
  const text = (await metrics.registry.metrics()) + (await createPrimaryMetrics().metrics());
  const names = new Set(metricsOf(text).map(({ name }) => name));

  test.each(["deploy/prometheus/rules.yaml", "deploy/grafana/dashboard.json"])(
    "include those in %s",
    (file) => {
      const used = read(file).match(/\b(?:utility_tools|process|nodejs)_[a-z0-9_]+/g) ?? [];
      expect(used.length).toBeGreaterThan(10);
      expect(used.filter((name) => !names.has(name.replace(/_bucket$/, "")))).toEqual([]);
    },
  );
});

describe("every alert", () => {
  const alerts = rules
    .split("- alert: ")
    .slice(1)
    .map((body) => ({ name: body.slice(0, body.indexOf("\n")), body }));
  const page = read("docs/guide/alerts.md");
  const cases = read("checks/deploy/stack/rules.test.yaml");

  test("is found", () => {
    expect(alerts.length).toBeGreaterThan(10);
  });

  test.each(alerts)("has a section of the documentation and a severity: $name", ({ name, body }) => {
    expect(page).toContain(`\n## ${name}\n`);
    expect(body).toMatch(new RegExp(`runbook_url: https://[^ #]+/alerts(?:\\.md)?#${name.toLowerCase()}\n`));
    expect(body).toMatch(/severity: (critical|warning)\n/);
  });

  test.each(alerts)("has a case in which it fires: $name", ({ name }) => {
    expect(cases).toMatch(new RegExp(`alertname: ${name}\\n +exp_alerts:\\n`));
  });
});
