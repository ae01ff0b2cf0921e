import {
  BigValueColorMode,
  BigValueGraphMode,
  GraphDrawStyle,
  ReduceDataOptionsBuilder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import {
  MappingType,
  QueryVariableBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
  VariableRefresh,
  VariableSort,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder, PromQueryFormat } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as StateTimelineBuilder } from "@grafana/grafana-foundation-sdk/statetimeline";
import { PanelBuilder as TableBuilder } from "@grafana/grafana-foundation-sdk/table";
import { PanelBuilder as TimeSeriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";

/** The Prometheus that the operator selects. */
const DATASOURCE = { type: "prometheus", uid: `\${datasource}` };
const QUERY_IDS = "ABCDEFG";

/** A query of the present value. */
const now = (refId: string, expr: string) =>
  new DataqueryBuilder().refId(refId).datasource(DATASOURCE).expr(expr).instant();

/** A query of a panel with time on the x axis. */
const overTime = (refId: string, expr: string, legend: string) =>
  new DataqueryBuilder().refId(refId).datasource(DATASOURCE).expr(expr).legendFormat(legend).range();

/** Shows 1 and 0 as words. */
const words = (one: string, zero: string): ValueMapping => ({
  type: MappingType.ValueToText,
  options: { "0": { text: zero, color: "red", index: 0 }, "1": { text: one, color: "green", index: 1 } },
});

/** What a panel with one number shows. */
interface Value {
  readonly expr: string;
  readonly unit?: string;
  readonly decimals?: number;
  /** From which value on it has which color. */
  readonly steps: Readonly<Record<string, number | null>>;
}

/** One number, of a sixth of the width. */
export function stat(title: string, description: string, { expr, unit, decimals, steps }: Value) {
  const panel = new StatBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .withTarget(now("A", expr))
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(["lastNotNull"]))
    .colorMode(BigValueColorMode.Background)
    .graphMode(BigValueGraphMode.None)
    .span(4)
    .height(4);
  if (unit !== undefined) {
    panel.unit(unit);
  }
  if (decimals !== undefined) {
    panel.decimals(decimals);
  }
  const colors = Object.entries(steps).map(([color, value]) => ({ value, color }));
  return panel.thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(colors));
}

/** How a panel with lines differs from others. */
export interface Change {
  /** Default: half of the width, 12. */
  readonly span?: number;
  readonly isStacked?: boolean;
  readonly isBars?: boolean;
  /** What it shows without a value. */
  readonly noValue?: string;
}

/** Lines over time: a query for each legend. */
export function lines(
  title: string,
  description: string,
  unit: string,
  queries: Readonly<Record<string, string>>,
  { span = 12, isStacked = false, isBars = false, noValue }: Change = {},
) {
  const panel = new TimeSeriesBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .min(0)
    .legend(new VizLegendOptionsBuilder().showLegend(true).asTable(true).calcs(["lastNotNull", "max"]))
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi))
    .showPoints(VisibilityMode.Never)
    .span(span)
    .height(8);
  for (const [index, [legend, expr]] of Object.entries(queries).entries()) {
    panel.withTarget(overTime(QUERY_IDS.charAt(index), expr, legend));
  }
  if (isBars) {
    panel.drawStyle(GraphDrawStyle.Bars);
  }
  if (isStacked) {
    panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal)).fillOpacity(isBars ? 80 : 20);
  }
  return noValue === undefined ? panel : panel.noValue(noValue);
}

/** When a store was in use, of a third of the width. */
export const states = (title: string, description: string, expr: string) =>
  new StateTimelineBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .withTarget(overTime("A", expr, "{{instance}}"))
    .mappings([words("in use", "not available")])
    .noValue("no shared store")
    .legend(new VizLegendOptionsBuilder().showLegend(false))
    .span(8)
    .height(8);

/** The columns of the table of replicas in their order: the label or query, and the title. */
const COLUMNS = {
  instance: "Replica",
  "Value #A": "Up",
  "Value #B": "Ready",
  version: "Version",
  node_version: "Node",
  "Value #D": "Uptime",
};

/** A table with a row per replica: whether it is up and ready, its versions, and its uptime. */
export function replicasTable(queries: readonly string[]) {
  const table = new TableBuilder()
    .title("Replicas")
    .description("State, version and uptime of each replica.")
    .datasource(DATASOURCE);
  for (const [index, expr] of queries.entries()) {
    table.withTarget(now(QUERY_IDS.charAt(index), expr).format(PromQueryFormat.Table));
  }
  const inWords = (one: string, zero: string) => [
    { id: "mappings", value: [words(one, zero)] },
    { id: "custom.cellOptions", value: { type: "color-text" } },
  ];
  const excludeByName = { Time: true, "Value #C": true };
  const indexByName = Object.fromEntries(Object.keys(COLUMNS).map((name, index) => [name, index]));
  return table
    .withTransformation({ id: "merge", options: {} })
    .withTransformation({
      id: "organize",
      options: { excludeByName, indexByName, renameByName: COLUMNS },
    })
    .overrideByName("Up", inWords("up", "down"))
    .overrideByName("Ready", inWords("ready", "not ready"))
    .overrideByName("Uptime", [{ id: "unit", value: "s" }])
    .span(24)
    .height(6);
}

/** A variable with the values of its label in a metric. */
export function labelVariable(name: string, label: string, metric: string) {
  const values = `label_values(${metric}, ${name})`;
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query({ qryType: 1, query: values, refId: "values" })
    .definition(values)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc)
    .multi(true)
    .includeAll(true)
    .current({ text: ["All"], value: ["$__all"] });
}
