import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../service-process.js";
import type { Prometheus } from "./prometheus.js";

/** A query of a panel. */
export interface PanelQuery {
  /** The title of the panel. */
  readonly panel: string;
  readonly refId: string;
  /** With the values of variables. */
  readonly expr: string;
  /** Whether the panel shows the present value, instead of values over time. */
  readonly isInstant: boolean;
}

/** The result of a query. */
export interface QueryResult {
  /** The number of series. */
  readonly series: number;
  /** The last value that is not NaN; undefined if there is none. */
  readonly value: number | undefined;
}

/** The members of the dashboard that this module reads. */
interface DashboardFile {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly {
      readonly refId: string;
      readonly expr: string;
      readonly instant?: boolean;
    }[];
  }[];
}

/**
 * Returns all queries of `deploy/grafana/dashboard.json`. Variables have the values that Grafana gives them when all jobs,
 * replicas and methods are selected and Prometheus scrapes every second: `$__rate_interval` is four scrapes.
 */
export function readPanelQueries(): PanelQuery[] {
  const file = readFileSync(join(ROOT, "deploy", "grafana", "dashboard.json"), "utf8");
  const { panels } = JSON.parse(file) as DashboardFile;
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ refId, expr, instant = false }) => ({
      panel: title,
      refId,
      expr: withVariables(expr),
      isInstant: instant,
    })),
  );
}

const VARIABLES: ReadonlyMap<string, string> = new Map([
  ["$job", "(utility-tools)"],
  ["$instance", ".*"],
  ["$method", ".*"],
  ["$__rate_interval", "4s"],
]);

function withVariables(expr: string): string {
  return expr.replace(/\$\w+/g, (name) => {
    const value = VARIABLES.get(name);
    if (value === undefined) {
      throw new Error(
        `deploy/grafana/dashboard.json uses the variable ${name}, which this test does not know`,
      );
    }
    return value;
  });
}

/** A series in the response of Prometheus: one value, or values over time. Each value is text with its time. */
interface Series {
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
}

/** Sends a query as Grafana does. Values over time are those of the last eight seconds. */
export async function evaluate(
  prometheus: Prometheus,
  { expr, isInstant }: PanelQuery,
): Promise<QueryResult> {
  const end = Date.now() / 1000;
  const data = isInstant
    ? await prometheus.get("query", { query: expr, time: String(end) })
    : await prometheus.get("query_range", {
        query: expr,
        start: String(end - 8),
        end: String(end),
        step: "1",
      });
  const { result } = data as { readonly result: readonly Series[] };
  const values = result
    .flatMap(({ value, values = [] }) => (value === undefined ? values : [value]))
    .map(([, text]) => Number(text.replace("Inf", "Infinity")))
    .filter((value) => !Number.isNaN(value));
  return { series: result.length, value: values.at(-1) };
}
