import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  RowBuilder,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { type Change, labelVariable, lines, replicasTable, stat, states } from "./panels.js";

// The source of deploy/grafana/dashboard.json. `npm run check -- deploy/grafana --write` writes that file.

/** The selectors of all queries: of replicas, of their requests, and of requests with a response of limited duration. */
const REPLICAS = 'job=~"$job", instance=~"$instance"';
const REQUESTS = `${REPLICAS}, method=~"$method"`;
const LIMITED = `${REQUESTS}, method!~"grpc[.].*"`;
/** The codes of failures of the service itself; clients cause the others. */
const FAILURES = `${REQUESTS}, code=~"INTERNAL|UNKNOWN|DATA_LOSS|UNAVAILABLE"`;

/** The rate of a counter, and of requests, per second. */
const rate = (metric: string, selectors: string) => `rate(${metric}{${selectors}}[$__rate_interval])`;
const requests = (selectors: string) => rate("utility_tools_requests_total", selectors);
/** A quantile of the latency: 0.99 for the duration that 99 of 100 requests do not exceed. `by` always has `le`. */
const quantile = (q: number, by: string) =>
  `histogram_quantile(${q}, sum by (${by}) (${rate("utility_tools_request_duration_seconds_bucket", LIMITED)}))`;
/** The increase of a counter, of all replicas. */
const increase = (metric: string, selectors = "") =>
  `sum(increase(${metric}{${REPLICAS}${selectors}}[$__rate_interval]))`;
/** A value of each replica. */
const each = (metric: string, by = "sum") => `${by} by (instance) (${metric}{${REPLICAS}})`;

const STACKED: Change = { isStacked: true };
const THIRD: Change = { span: 8 };

/** The panels by row. */
const ROWS = {
  Overview: [
    stat("Replicas down", "Replicas that Prometheus cannot scrape.", {
      expr: `count(up{${REPLICAS}} == 0) or vector(0)`,
      steps: { green: null, red: 1 },
    }),
    stat(
      "Services not ready",
      "Services that lack data, counted once per replica. A replica that stops counts with all services.",
      {
        expr: `count(utility_tools_service_ready{${REPLICAS}} == 0) or vector(0)`,
        steps: { green: null, red: 1 },
      },
    ),
    stat("Requests", "Completed requests per second.", {
      expr: `sum(${requests(REQUESTS)})`,
      unit: "reqps",
      steps: { blue: null },
    }),
    stat(
      "Failures",
      "Fraction of requests that failed because of the service itself: INTERNAL, UNKNOWN, DATA_LOSS and UNAVAILABLE.",
      {
        expr: `(sum(${requests(FAILURES)}) or vector(0)) / sum(${requests(REQUESTS)})`,
        unit: "percentunit",
        decimals: 2,
        steps: { green: null, yellow: 0.001, red: 0.01 },
      },
    ),
    stat(
      "Latency (p99)",
      "99 of 100 requests were faster. Without health checks and reflection, whose streams stay open.",
      { expr: quantile(0.99, "le"), unit: "s", steps: { green: null, yellow: 0.1, red: 0.25 } },
    ),
    stat(
      "Age of the data",
      "Days since the build of the oldest geolocation file in use. The command update-data downloads newer files.",
      {
        expr: `max(time() - utility_tools_data_build_timestamp_seconds{${REPLICAS}, source!~"IANA.*"}) / 86400`,
        unit: "suffix: d",
        decimals: 0,
        steps: { green: null, yellow: 45, red: 60 },
      },
    ),
    replicasTable([
      `max by (instance) (up{${REPLICAS}})`,
      each("utility_tools_service_ready", "min"),
      `max by (instance, version, node_version) (utility_tools_build_info{${REPLICAS}})`,
      `time() - ${each("process_start_time_seconds", "max")}`,
    ]),
  ],
  Requests: [
    lines(
      "Requests by method",
      "Completed requests per second. none: requests that match no method, and pages.",
      "reqps",
      { "{{method}}": `sum by (method) (${requests(REQUESTS)})` },
      STACKED,
    ),
    lines(
      "Requests by protocol",
      "Completed requests per second. page: pages, health checks over HTTP, and metrics.",
      "reqps",
      { "{{protocol}}": `sum by (protocol) (${requests(REQUESTS)})` },
      STACKED,
    ),
    lines(
      "Errors by code",
      "Requests per second that did not succeed, also because of clients.",
      "reqps",
      { "{{code}}": `sum by (code) (${requests(`${REQUESTS}, code!="OK"`)})` },
      { noValue: "no errors" },
    ),
    lines(
      "Failures by method",
      "Requests per second that failed because of the service itself. The log has the reason.",
      "reqps",
      { "{{method}} {{code}}": `sum by (method, code) (${requests(FAILURES)})` },
      { noValue: "no failures" },
    ),
  ],
  Latency: [
    lines(
      "Latency",
      "Time from the arrival of a request until its response was handed over, of all selected methods.",
      "s",
      { p50: quantile(0.5, "le"), p95: quantile(0.95, "le"), p99: quantile(0.99, "le") },
    ),
    lines("Latency by method and protocol (p99)", "99 of 100 requests were faster.", "s", {
      "{{method}} {{protocol}}": quantile(0.99, "le, method, protocol"),
    }),
  ],
  "Clients and limits": [
    lines(
      "Rate limit",
      "Decisions per second. store_unavailable: counted by one process, because it could not reach the shared store.",
      "ops",
      { "{{decision}}": `sum by (decision) (${rate("utility_tools_rate_limit_decisions_total", REPLICAS)})` },
      THIRD,
    ),
    states(
      "Shared store of the rate limit",
      "While the store is not available, each process counts by itself. Empty without a store.",
      each("utility_tools_rate_limit_store_up", "min"),
    ),
    lines(
      "Connections",
      "Open connections, and requests in progress.",
      "short",
      {
        "connections {{instance}}": each("utility_tools_connections"),
        "requests {{instance}}": each("utility_tools_requests_in_flight"),
      },
      THIRD,
    ),
  ],
  Processes: [
    lines(
      "Processor time",
      "100 % is one processor. A process without workers uses little more than one.",
      "percentunit",
      { "{{instance}}": `sum by (instance) (${rate("process_cpu_seconds_total", REPLICAS)})` },
    ),
    lines(
      "Memory",
      "Resident memory of all workers with its limit, and the part of it that is the JavaScript heap.",
      "bytes",
      {
        "resident {{instance}}": each("process_resident_memory_bytes"),
        "heap {{instance}}": each("nodejs_heap_size_used_bytes"),
        "limit {{instance}}": each("utility_tools_memory_limit_bytes", "max"),
      },
    ),
    lines(
      "Delay of the event loop",
      "How late timers run. Idle processes show 10 ms, the interval of the measurement. While it is high, all requests wait.",
      "s",
      {
        "p99 {{instance}}": each("nodejs_eventloop_lag_p99_seconds", "max"),
        "max {{instance}}": each("nodejs_eventloop_lag_max_seconds", "max"),
      },
    ),
    lines(
      "Events",
      "What should be rare. The log has a line for each.",
      "short",
      {
        bugs: increase("utility_tools_bugs_total"),
        "worker exits": increase("utility_tools_worker_exits_total"),
        restarts: `sum(changes(process_start_time_seconds{${REPLICAS}}[$__rate_interval]))`,
        "rejected data": increase("utility_tools_data_loads_total", ', outcome="refused"'),
        "dropped connections": increase("utility_tools_connections_dropped_total"),
      },
      { isStacked: true, isBars: true },
    ),
  ],
};

/** Returns the dashboard for operators. */
export function createDashboard(): Dashboard {
  const dashboard = new DashboardBuilder("Utility Tools")
    .uid("utility-tools")
    .description("Requests, latency, data, limits and processes of Utility Tools.")
    .tags(["utility-tools"])
    .time({ from: "now-1h", to: "now" })
    .refresh("30s")
    .timezone("browser")
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder("datasource").label("Data source").type("prometheus"))
    .withVariable(labelVariable("job", "Job", "utility_tools_build_info"))
    // Replicas that are down have no other metric.
    .withVariable(labelVariable("instance", "Replica", 'up{job=~"$job"}').allValue(".*"))
    .withVariable(
      labelVariable("method", "Method", 'utility_tools_requests_total{job=~"$job"}').allValue(".*"),
    );
  for (const [title, panels] of Object.entries(ROWS)) {
    dashboard.withRow(new RowBuilder(title));
    for (const panel of panels) {
      dashboard.withPanel(panel);
    }
  }
  const built = dashboard.build();
  // Grafana identifies panels in links by their ids.
  return { ...built, panels: built.panels?.map((panel, index) => ({ ...panel, id: index + 1 })) ?? [] };
}
