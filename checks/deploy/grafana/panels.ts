import {
  BigValueColorMode,
  BigValueGraphMode,
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
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as TimeSeriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";

/** The Prometheus that the operator selects. */
export const DATASOURCE = { type: "prometheus", uid: `\${datasource}` };

/** A query of a panel with time on the x axis. */
export const query = (refId: string, expr: string, legend: string) =>
  new DataqueryBuilder().refId(refId).datasource(DATASOURCE).expr(expr).legendFormat(legend).range();

/** A query of the present value. */
export const now = (refId: string, expr: string) =>
  new DataqueryBuilder().refId(refId).datasource(DATASOURCE).expr(expr).instant();

export const thresholds = (...steps: readonly (readonly [number | null, string])[]) =>
  new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps(steps.map(([value, color]) => ({ value, color })));

/** Shows 1 and 0 as words. */
export const words = (one: string, zero: string): ValueMapping => ({
  type: MappingType.ValueToText,
  options: { "0": { text: zero, color: "red", index: 0 }, "1": { text: one, color: "green", index: 1 } },
});

/** One number, of a sixth of the width. */
export const stat = (title: string, description: string, expr: string) =>
  new StatBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .withTarget(now("A", expr))
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(["lastNotNull"]))
    .colorMode(BigValueColorMode.Background)
    .graphMode(BigValueGraphMode.None)
    .span(4)
    .height(4);

/** Lines over time, of half the width. */
export const lines = (title: string, description: string, unit: string) =>
  new TimeSeriesBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .min(0)
    .legend(new VizLegendOptionsBuilder().showLegend(true).asTable(true).calcs(["lastNotNull", "max"]))
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi))
    .showPoints(VisibilityMode.Never)
    .span(12)
    .height(8);

export const stacked = () => new StackingConfigBuilder().mode(StackingMode.Normal);

/** A variable with the values of a label. */
export const labelVariable = (name: string, label: string, values: string) =>
  new QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query({ qryType: 1, query: values, refId: "values" })
    .definition(values)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc)
    .multi(true)
    .includeAll(true)
    .current({ text: ["All"], value: ["$__all"] });
