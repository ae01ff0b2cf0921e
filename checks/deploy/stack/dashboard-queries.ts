import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../lib/processes/service.js";
import type { Prometheus } from "../shipped.js";

interface PanelQuery {
  readonly panel: string;
  readonly refId: string;
  /** With the values of variables. */
  readonly expr: string;
  /** Whether the panel shows the present value, instead of values over time. */
  readonly instant?: boolean;
}

/** The values of variables when all jobs, replicas and methods are selected and Prometheus scrapes every second. */
const VARIABLES: Readonly<Record<string, string>> = {
  $job: "(utility-tools)",
  $instance: ".*",
  $method: ".*",
  // Four scrapes.
  $__rate_interval: "4s",
};

/** Returns all queries of `deploy/grafana/dashboard.json`. Prometheus rejects one with a variable that is not known. */
export function readPanelQueries(): PanelQuery[] {
  const file = readFileSync(join(ROOT, "deploy", "grafana", "dashboard.json"), "utf8");
  const { panels }: { panels: { title: string; targets?: PanelQuery[] }[] } = JSON.parse(file);
  const withVariables = (expr: string) => expr.replace(/\$\w+/g, (name) => VARIABLES[name] ?? name);
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map((target) => ({ ...target, panel: title, expr: withVariables(target.expr) })),
  );
}

/** The result of a query: one value, or values over time, for each series. Each is text with its time. */
interface QueryResult {
  readonly result: readonly {
    readonly value?: readonly [number, string];
    readonly values?: readonly (readonly [number, string])[];
  }[];
}

/**
 * Sends a query as Grafana does. Values over time are those of the last eight seconds. Resolves to the number of series, and to the
 * last value that is not NaN.
 */
export async function evaluate(prometheus: Prometheus, { expr: query, instant = false }: PanelQuery) {
  const end = Date.now() / 1000;
  const time = { time: String(end) };
  const range = { start: String(end - 8), end: String(end), step: "1" };
  const path = instant ? "query" : "query_range";
  const { result } = (await prometheus.get(path, { query, ...(instant ? time : range) })) as QueryResult;
  const values = result
    .flatMap(({ value, values = [] }) => (value === undefined ? values : [value]))
    .map(([, text]) => Number(text.replace("Inf", "Infinity")))
    .filter((value) => !Number.isNaN(value));
  return { series: result.length, value: values.at(-1) };
}
