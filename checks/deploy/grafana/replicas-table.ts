import { PromQueryFormat } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as TableBuilder } from "@grafana/grafana-foundation-sdk/table";
import { DATASOURCE, now, words } from "./panels.js";
import { REPLICAS } from "./queries.js";

/** A table with a row per replica. */
export function replicasTable(): TableBuilder {
  const column = (refId: string, expr: string) => now(refId, expr).format(PromQueryFormat.Table);
  return new TableBuilder()
    .title("Replicas")
    .description("State, version and uptime of each replica.")
    .datasource(DATASOURCE)
    .withTarget(column("A", `max by (instance) (up{${REPLICAS}})`))
    .withTarget(column("B", `min by (instance) (utility_tools_service_ready{${REPLICAS}})`))
    .withTarget(
      column("C", `max by (instance, version, node_version) (utility_tools_build_info{${REPLICAS}})`),
    )
    .withTarget(column("D", `time() - max by (instance) (process_start_time_seconds{${REPLICAS}})`))
    .withTransformation({ id: "merge", options: {} })
    .withTransformation({
      id: "organize",
      options: {
        excludeByName: { Time: true, "Value #C": true },
        indexByName: {
          instance: 0,
          "Value #A": 1,
          "Value #B": 2,
          version: 3,
          node_version: 4,
          "Value #D": 5,
        },
        renameByName: {
          instance: "Replica",
          "Value #A": "Up",
          "Value #B": "Ready",
          version: "Version",
          node_version: "Node",
          "Value #D": "Uptime",
        },
      },
    })
    .overrideByName("Up", [
      { id: "mappings", value: [words("up", "down")] },
      { id: "custom.cellOptions", value: { type: "color-text" } },
    ])
    .overrideByName("Ready", [
      { id: "mappings", value: [words("ready", "not ready")] },
      { id: "custom.cellOptions", value: { type: "color-text" } },
    ])
    .overrideByName("Uptime", [{ id: "unit", value: "s" }])
    .span(24)
    .height(6);
}
