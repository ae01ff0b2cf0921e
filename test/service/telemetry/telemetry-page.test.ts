import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createLog } from "connect-transcoding-operations/telemetry/log";
import { createRequestLog } from "connect-transcoding-operations/telemetry/request-log";
import { describeSpan } from "connect-transcoding-operations/telemetry/spans";
import { expect, test } from "vitest";
import { memoryDestination } from "../../../packages/operations/test/telemetry/memory-destination.js";
import { METHODS, requestRecord } from "../../../packages/operations/test/telemetry/request-record.js";
import { createPrimaryMetrics } from "../../../src/service/telemetry/cluster-metrics.js";
import { createMetrics } from "../../../src/service/telemetry/metrics.js";

const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/telemetry.md"), "utf8");

/** Returns the cells of the rows of the table under a heading. */
function rowsOf(heading: string): string[][] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? "";
  const [, , ...rows] = section.split("\n").filter((line) => line.startsWith("|"));
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Returns the code in a cell. */
const codeIn = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

/** A record with all fields. */
const record = requestRecord(
  { protocol: "grpc", principal: "billing", status: 500 },
  { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, "user-agent": "curl" },
);

test("the page documents all metrics", async () => {
  const metrics = createMetrics({
    version: "1",
    dataBuilds: () => [{ source: "city", builtAt: new Date(0) }],
    connections: () => 1,
    readiness: () => [{ service: "utilitytools.v1.GeoIpService", isReady: true }],
    certificateExpiry: () => undefined,
    countsKeys: true,
    warnings: ["WORKERS is 9"],
  });
  metrics.observer.onEnd(record);
  metrics.apiKeyChecked("accepted", "ci");
  metrics.filesOutdated("utilitytools.v1.GeoIpService", 0);
  metrics.dataLoaded("utilitytools.v1.GeoIpService", "loaded");
  const all: { name: string; type: unknown; aggregator: string; values: { labels: object }[] }[] = [
    ...(await metrics.registry.getMetricsAsJSON()),
    ...(await createPrimaryMetrics().getMetricsAsJSON()).map((each) => ({ ...each, aggregator: "primary" })),
  ];
  const own = all.filter(({ name }) => name.startsWith("utility_tools_"));
  const documented = rowsOf("Metrics").map(([name, type, labels, , aggregator]) => ({
    name: codeIn(name)[0],
    type,
    labels: codeIn(labels).sort(),
    aggregator,
  }));
  const actual = own.map(({ name, type, aggregator, values }) => ({
    name,
    type,
    labels: [...new Set(values.flatMap(({ labels }) => Object.keys(labels)))]
      .filter((label) => label !== "le")
      .sort(),
    aggregator,
  }));
  const byName = (a: { name: unknown }, b: { name: unknown }) => String(a.name).localeCompare(String(b.name));
  expect(documented.sort(byName)).toEqual(actual.sort(byName));
  const defaults = rowsOf("Default metrics").flatMap(([names, aggregators = ""]) =>
    codeIn(names).flatMap((name) => aggregators.split(", ").map((aggregator) => [name, aggregator])),
  );
  const others = all.filter((metric) => !own.includes(metric));
  expect(defaults.sort()).toEqual(others.map(({ name, aggregator }) => [name, aggregator]).sort());
});

test("the page documents all fields of request lines", () => {
  const destination = memoryDestination();
  const { logger } = createLog({ level: "info", destination });
  createRequestLog("all", logger)?.onEnd(record);
  const common = ["level", "time", "pid", "msg"];
  const members = Object.keys(destination.entries()[0] ?? {}).filter((name) => !common.includes(name));
  const documented = rowsOf("Logs").map(([name]) => codeIn(name)[0]);
  expect(documented).toEqual(members);
});

test("the page documents all attributes of spans", () => {
  const { attributes } = describeSpan(record, "utility_tools");
  const spans = [
    describeSpan({ ...record, method: METHODS.second, protocol: "rest" }, "utility_tools").attributes,
    attributes,
  ];
  const there = new Set(
    spans.flatMap((each) =>
      Object.entries(each).flatMap(([name, value]) => (value === undefined ? [] : [name])),
    ),
  );
  expect(new Set(rowsOf("Spans").flatMap(([names]) => codeIn(names)))).toEqual(there);
});
