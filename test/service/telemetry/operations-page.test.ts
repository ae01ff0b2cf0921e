import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLog } from "../../../src/service/telemetry/logger.js";
import { createMetrics } from "../../../src/service/telemetry/metrics.js";
import { createRequestLog } from "../../../src/service/telemetry/request-log.js";
import { describeSpan } from "../../../src/service/telemetry/span-attributes.js";
import { memoryDestination } from "./memory-destination.js";
import { METHODS, requestRecord } from "./request-record.js";

const page = readFileSync(join(import.meta.dirname, "../../../docs/operations.md"), "utf8");

/** The rows of the table under a heading: their cells, without the marks of code. */
function rowsOf(heading: string): string[][] {
  const section = page.split(/^### /m).find((each) => each.startsWith(`${heading}\n`)) ?? "";
  const [, , ...rows] = section.split("\n").filter((line) => line.startsWith("|"));
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** What is written as code in a cell. */
const codeIn = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

/** Everything that can be told of a request. */
const record = requestRecord(
  { protocol: "grpc", principal: "billing", status: 500 },
  { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, "user-agent": "curl" },
);

test("the page has the metrics that there are", async () => {
  const metrics = createMetrics({
    version: "1",
    dataBuilds: () => [{ source: "city", builtAt: new Date(0) }],
    connections: () => 1,
  });
  metrics.observer.onEnd(record);
  metrics.dataLoaded("utilitytools.v1.GeoIpService", "loaded");
  const there = (await metrics.snapshot()) as {
    name: string;
    type: string;
    aggregator: string;
    values: { labels: Record<string, string> }[];
  }[];
  metrics.stop();
  const labelsOf = (values: { labels: Record<string, string> }[]) => [
    ...new Set(values.flatMap(({ labels }) => Object.keys(labels)).filter((label) => label !== "le")),
  ];
  const documented = rowsOf("Metrics").map(([name, type, labels, , aggregator]) => ({
    name: codeIn(name)[0],
    type,
    // Whether garbage has been collected is chance.
    labels: name?.includes("_gc_") ? "any" : codeIn(labels).sort(),
    aggregator,
  }));
  expect(documented).toEqual(
    expect.arrayContaining(
      there.map(({ name, type, aggregator, values }) => ({
        name,
        type,
        labels: name.includes("_gc_") ? "any" : labelsOf(values).sort(),
        aggregator,
      })),
    ),
  );
  expect(documented).toHaveLength(there.length);
});

test("the page has the members that lines of requests have", () => {
  const destination = memoryDestination();
  const { requests } = createLog({ level: "info", destination });
  createRequestLog({ requests: "all", logger: requests })?.onEnd(record);
  const common = ["level", "time", "pid", "msg"];
  const members = Object.keys(destination.entries()[0] ?? {}).filter((name) => !common.includes(name));
  const documented = rowsOf("Logs").map(([name]) => codeIn(name)[0]);
  expect(documented).toEqual(members);
});

test("the page has the attributes that spans have", () => {
  const { attributes } = describeSpan(record);
  const spans = [describeSpan({ ...record, method: METHODS.second, protocol: "rest" }).attributes, attributes];
  const there = new Set(
    spans.flatMap((each) =>
      Object.entries(each).flatMap(([name, value]) => (value === undefined ? [] : [name])),
    ),
  );
  expect(new Set(rowsOf("Spans").flatMap(([names]) => codeIn(names)))).toEqual(there);
});
