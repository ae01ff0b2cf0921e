import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../lib/service.js";
import type { Prometheus } from "../shipped.js";

/** A query of a panel. */
interface PanelQuery {
  /** The title of the panel. */
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

/** Returns all queries of `deploy/grafana/dashboard.json`. */
export function readPanelQueries(): PanelQuery[] {
  const file = readFileSync(join(ROOT, "deploy", "grafana", "dashboard.json"), "utf8");
  const { panels } = JSON.parse(file) as {
    readonly panels: readonly { readonly title: string; readonly targets?: readonly PanelQuery[] }[];
  };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map((target) => ({ ...target, panel: title, expr: withVariables(target.expr) })),
  );
}

function withVariables(expr: string): string {
  return expr.replace(/\$\w+/g, (name) => {
    const value = VARIABLES[name];
    if (value === undefined) {
      throw new Error(`deploy/grafana/dashboard.json uses the unknown variable ${name}`);
    }
    return value;
  });
}

/**
 * Sends a query as Grafana does. Values over time are those of the last eight seconds. Resolves to the number of series, and to the
 * last value that is not NaN.
 */
export async function evaluate(
  prometheus: Prometheus,
  { expr: query, instant = false }: PanelQuery,
): Promise<{ readonly series: number; readonly value: number | undefined }> {
  const end = Date.now() / 1000;
  const data = instant
    ? await prometheus.get("query", { query, time: String(end) })
    : await prometheus.get("query_range", { query, start: String(end - 8), end: String(end), step: "1" });
  // One value, or values over time. Each is text with its time.
  const { result } = data as {
    readonly result: readonly {
      readonly value?: readonly [number, string];
      readonly values?: readonly (readonly [number, string])[];
    }[];
  };
  const values = result
    .flatMap(({ value, values = [] }) => (value === undefined ? values : [value]))
    .map(([, text]) => Number(text.replace("Inf", "Infinity")))
    .filter((value) => !Number.isNaN(value));
  return { series: result.length, value: values.at(-1) };
}
