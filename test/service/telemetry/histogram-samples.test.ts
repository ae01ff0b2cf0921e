import { expect, test } from "vitest";
import { histogramSamples } from "../../../src/service/telemetry/histogram-samples.js";

test("buckets add up to the count", () => {
  const counts = Float64Array.of(1, 0, 2, 4);
  expect(histogramSamples("h", { protocol: "rest" }, [0.1, 0.2, 0.5], counts, 7.5)).toEqual([
    { metricName: "h_bucket", labels: { le: 0.1, protocol: "rest" }, value: 1 },
    { metricName: "h_bucket", labels: { le: 0.2, protocol: "rest" }, value: 1 },
    { metricName: "h_bucket", labels: { le: 0.5, protocol: "rest" }, value: 3 },
    { metricName: "h_bucket", labels: { le: "+Inf", protocol: "rest" }, value: 7 },
    { metricName: "h_sum", labels: { protocol: "rest" }, value: 7.5 },
    { metricName: "h_count", labels: { protocol: "rest" }, value: 7 },
  ]);
});
