import { GraphDrawStyle, VizLegendOptionsBuilder } from "@grafana/grafana-foundation-sdk/common";
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  RowBuilder,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { PanelBuilder as StateTimelineBuilder } from "@grafana/grafana-foundation-sdk/statetimeline";
import { DATASOURCE, labelVariable, lines, query, stacked, stat, thresholds, words } from "./panels.js";
import { FAILURES, increase, quantile, REPLICAS, REQUESTS, rate, requests } from "./queries.js";
import { replicasTable } from "./replicas-table.js";

// The source of deploy/grafana/dashboard.json. `npm run check -- deploy/grafana --write` writes that file.

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
    .withVariable(labelVariable("job", "Job", "label_values(utility_tools_build_info, job)"))
    // Replicas that are down have no other metric.
    .withVariable(
      labelVariable("instance", "Replica", 'label_values(up{job=~"$job"}, instance)').allValue(".*"),
    )
    .withVariable(
      labelVariable(
        "method",
        "Method",
        'label_values(utility_tools_requests_total{job=~"$job"}, method)',
      ).allValue(".*"),
    );
  addOverview(dashboard);
  addRequests(dashboard);
  addLatency(dashboard);
  addClients(dashboard);
  addProcesses(dashboard);
  const built = dashboard.build();
  // Grafana identifies panels in links by their ids.
  return { ...built, panels: built.panels?.map((panel, index) => ({ ...panel, id: index + 1 })) ?? [] };
}

function addOverview(dashboard: DashboardBuilder): void {
  dashboard
    .withRow(new RowBuilder("Overview"))
    .withPanel(
      stat(
        "Replicas down",
        "Replicas that Prometheus cannot scrape.",
        `count(up{${REPLICAS}} == 0) or vector(0)`,
      ).thresholds(thresholds([null, "green"], [1, "red"])),
    )
    .withPanel(
      stat(
        "Services not ready",
        "Services that lack data, counted once per replica. A replica that stops counts with all services.",
        `count(utility_tools_service_ready{${REPLICAS}} == 0) or vector(0)`,
      ).thresholds(thresholds([null, "green"], [1, "red"])),
    )
    .withPanel(
      stat("Requests", "Completed requests per second.", `sum(${requests(REQUESTS)})`)
        .unit("reqps")
        .thresholds(thresholds([null, "blue"])),
    )
    .withPanel(
      stat(
        "Failures",
        "Fraction of requests that failed because of the service itself: INTERNAL, UNKNOWN, DATA_LOSS and UNAVAILABLE.",
        `(sum(${requests(`${REQUESTS}, ${FAILURES}`)}) or vector(0)) / sum(${requests(REQUESTS)})`,
      )
        .unit("percentunit")
        .decimals(2)
        .thresholds(thresholds([null, "green"], [0.001, "yellow"], [0.01, "red"])),
    )
    .withPanel(
      stat(
        "Latency (p99)",
        "99 of 100 requests were faster. Without health checks and reflection, whose streams stay open.",
        quantile(0.99, "le"),
      )
        .unit("s")
        .thresholds(thresholds([null, "green"], [0.1, "yellow"], [0.25, "red"])),
    )
    .withPanel(
      stat(
        "Age of the data",
        "Days since the build of the oldest geolocation file in use. The command update-data downloads newer files.",
        `max(time() - utility_tools_data_build_timestamp_seconds{${REPLICAS}, source!~"IANA.*"}) / 86400`,
      )
        .unit("suffix: d")
        .decimals(0)
        .thresholds(thresholds([null, "green"], [45, "yellow"], [60, "red"])),
    )
    .withPanel(replicasTable());
}

function addRequests(dashboard: DashboardBuilder): void {
  dashboard
    .withRow(new RowBuilder("Requests"))
    .withPanel(
      lines(
        "Requests by method",
        "Completed requests per second. none: requests that match no method, and pages.",
        "reqps",
      )
        .withTarget(query("A", `sum by (method) (${requests(REQUESTS)})`, "{{method}}"))
        .stacking(stacked())
        .fillOpacity(20),
    )
    .withPanel(
      lines(
        "Requests by protocol",
        "Completed requests per second. page: pages, health checks over HTTP, and metrics.",
        "reqps",
      )
        .withTarget(query("A", `sum by (protocol) (${requests(REQUESTS)})`, "{{protocol}}"))
        .stacking(stacked())
        .fillOpacity(20),
    )
    .withPanel(
      lines("Errors by code", "Requests per second that did not succeed, also because of clients.", "reqps")
        .withTarget(query("A", `sum by (code) (${requests(`${REQUESTS}, code!="OK"`)})`, "{{code}}"))
        .noValue("no errors"),
    )
    .withPanel(
      lines(
        "Failures by method",
        "Requests per second that failed because of the service itself. The log has the reason.",
        "reqps",
      )
        .withTarget(
          query(
            "A",
            `sum by (method, code) (${requests(`${REQUESTS}, ${FAILURES}`)})`,
            "{{method}} {{code}}",
          ),
        )
        .noValue("no failures"),
    );
}

function addLatency(dashboard: DashboardBuilder): void {
  dashboard
    .withRow(new RowBuilder("Latency"))
    .withPanel(
      lines(
        "Latency",
        "Time from the arrival of a request until its response was handed over, of all selected methods.",
        "s",
      )
        .withTarget(query("A", quantile(0.5, "le"), "p50"))
        .withTarget(query("B", quantile(0.95, "le"), "p95"))
        .withTarget(query("C", quantile(0.99, "le"), "p99")),
    )
    .withPanel(
      lines("Latency by method and protocol (p99)", "99 of 100 requests were faster.", "s").withTarget(
        query("A", quantile(0.99, "le, method, protocol"), "{{method}} {{protocol}}"),
      ),
    );
}

function addClients(dashboard: DashboardBuilder): void {
  dashboard
    .withRow(new RowBuilder("Clients and limits"))
    .withPanel(
      lines(
        "Rate limit",
        "Decisions per second. store_unavailable: counted by one process, because it could not reach the shared store.",
        "ops",
      )
        .withTarget(
          query(
            "A",
            `sum by (decision) (${rate("utility_tools_rate_limit_decisions_total", REPLICAS)})`,
            "{{decision}}",
          ),
        )
        .span(8),
    )
    .withPanel(
      new StateTimelineBuilder()
        .title("Shared store of the rate limit")
        .description(
          "While the store is not available, each process counts by itself. Empty without a store.",
        )
        .datasource(DATASOURCE)
        .withTarget(
          query("A", `min by (instance) (utility_tools_rate_limit_store_up{${REPLICAS}})`, "{{instance}}"),
        )
        .mappings([words("in use", "not available")])
        .noValue("no shared store")
        .legend(new VizLegendOptionsBuilder().showLegend(false))
        .span(8)
        .height(8),
    )
    .withPanel(
      lines("Connections", "Open connections, and requests in progress.", "short")
        .withTarget(
          query(
            "A",
            `sum by (instance) (utility_tools_connections{${REPLICAS}})`,
            "connections {{instance}}",
          ),
        )
        .withTarget(
          query(
            "B",
            `sum by (instance) (utility_tools_requests_in_flight{${REPLICAS}})`,
            "requests {{instance}}",
          ),
        )
        .span(8),
    );
}

function addProcesses(dashboard: DashboardBuilder): void {
  dashboard
    .withRow(new RowBuilder("Processes"))
    .withPanel(
      lines(
        "Processor time",
        "100 % is one processor. A process without workers uses little more than one.",
        "percentunit",
      ).withTarget(
        query("A", `sum by (instance) (${rate("process_cpu_seconds_total", REPLICAS)})`, "{{instance}}"),
      ),
    )
    .withPanel(
      lines(
        "Memory",
        "Resident memory of all workers with its limit, and the part of it that is the JavaScript heap.",
        "bytes",
      )
        .withTarget(
          query(
            "A",
            `sum by (instance) (process_resident_memory_bytes{${REPLICAS}})`,
            "resident {{instance}}",
          ),
        )
        .withTarget(
          query("B", `sum by (instance) (nodejs_heap_size_used_bytes{${REPLICAS}})`, "heap {{instance}}"),
        )
        .withTarget(
          query(
            "C",
            `max by (instance) (utility_tools_memory_limit_bytes{${REPLICAS}})`,
            "limit {{instance}}",
          ),
        ),
    )
    .withPanel(
      lines(
        "Delay of the event loop",
        "How late timers run. Idle processes show 10 ms, the interval of the measurement. While it is high, all requests wait.",
        "s",
      )
        .withTarget(
          query("A", `max by (instance) (nodejs_eventloop_lag_p99_seconds{${REPLICAS}})`, "p99 {{instance}}"),
        )
        .withTarget(
          query("B", `max by (instance) (nodejs_eventloop_lag_max_seconds{${REPLICAS}})`, "max {{instance}}"),
        ),
    )
    .withPanel(
      lines("Events", "What should be rare. The log has a line for each.", "short")
        .withTarget(query("A", increase("utility_tools_bugs_total"), "bugs"))
        .withTarget(query("B", increase("utility_tools_worker_exits_total"), "worker exits"))
        .withTarget(
          query("C", `sum(changes(process_start_time_seconds{${REPLICAS}}[$__rate_interval]))`, "restarts"),
        )
        .withTarget(
          query("D", increase("utility_tools_data_loads_total", ', outcome="refused"'), "rejected data"),
        )
        .withTarget(query("E", increase("utility_tools_connections_dropped_total"), "dropped connections"))
        .drawStyle(GraphDrawStyle.Bars)
        .stacking(stacked())
        .fillOpacity(80),
    );
}
