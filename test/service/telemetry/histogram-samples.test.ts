import { expect, test } from "vitest";
import { histogramSamples } from "../../../src/service/telemetry/histogram-samples.js";

test("buckets add up to the count", () => {
  const counts = Float64Array.of(1, 0, 2, 4);
  expect(histogramSamples("h", { door: "rest" }, [0.1, 0.2, 0.5], counts, 7.5)).toEqual([
    { metricName: "h_bucket", labels: { le: 0.1, door: "rest" }, value: 1 },
    { metricName: "h_bucket", labels: { le: 0.2, door: "rest" }, value: 1 },
    { metricName: "h_bucket", labels: { le: 0.5, door: "rest" }, value: 3 },
    { metricName: "h_bucket", labels: { le: "+Inf", door: "rest" }, value: 7 },
    { metricName: "h_sum", labels: { door: "rest" }, value: 7.5 },
    { metricName: "h_count", labels: { door: "rest" }, value: 7 },
  ]);
});
