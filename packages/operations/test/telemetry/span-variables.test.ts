import { describe, expect, test } from "vitest";
import { spanVariableProblems, spanVariableWarnings } from "../../src/telemetry/span-variables.js";

const PROTOCOLS = "must be http/json, http/protobuf or grpc";
const HEADERS =
  "must be headers such as name=value, joined by commas, with other special characters percent-encoded";
const ATTRIBUTES =
  "must be attributes such as name=value of at most 255 characters, joined by commas, with special characters percent-encoded";
const SAMPLERS =
  "must be always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off or parentbased_traceidratio";

describe("a value that OpenTelemetry ignores is a problem:", () => {
  test.each<[name: string, text: string, problem: string]>([
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "http", PROTOCOLS],
    ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "GRPC", PROTOCOLS],
    ["OTEL_EXPORTER_OTLP_HEADERS", "hunter2", HEADERS],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=b,hunter2", HEADERS],
    ["OTEL_EXPORTER_OTLP_HEADERS", "=hunter2", HEADERS],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=", HEADERS],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=hunter2;b", HEADERS],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=100%", HEADERS],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a b=c", HEADERS],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=b%0Ac", HEADERS],
    ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "authorization: hunter2", HEADERS],
    ["OTEL_EXPORTER_OTLP_COMPRESSION", "br", "must be gzip or none"],
    ["OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere", "must be the path of a file that can be read"],
    ["OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY", "/nowhere", "must be the path of a file that can be read"],
    ["OTEL_RESOURCE_ATTRIBUTES", "production", ATTRIBUTES],
    ["OTEL_RESOURCE_ATTRIBUTES", "a=b=c", ATTRIBUTES],
    ["OTEL_RESOURCE_ATTRIBUTES", `a=${"b".repeat(256)}`, ATTRIBUTES],
    ["OTEL_TRACES_SAMPLER", "ratio", SAMPLERS],
    ["OTEL_TRACES_SAMPLER", "jaeger_remote", SAMPLERS],
    ["OTEL_TRACES_SAMPLER_ARG", "1%", "must be a number from 0 to 1"],
    ["OTEL_TRACES_SAMPLER_ARG", "2", "must be a number from 0 to 1"],
    ["OTEL_BSP_MAX_QUEUE_SIZE", "0", "must be a number from 1 to 1000000"],
    ["OTEL_BSP_SCHEDULE_DELAY", "5s", "must be a number from 0 to 3600000"],
  ])("%s=%s", (name, text, problem) => {
    expect(spanVariableProblems({ [name]: text })).toEqual([`${name} ${problem}`]);
  });
});

test.each<Record<string, string>>([
  { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", OTEL_EXPORTER_OTLP_COMPRESSION: "gzip" },
  { OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Basic dXNlcg==, b=c%2Cd," },
  { OTEL_EXPORTER_OTLP_CERTIFICATE: import.meta.filename },
  { OTEL_SERVICE_NAME: "a", OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=a b,c=" },
  { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "1e-2" },
  { OTEL_TRACES_SAMPLER: "always_off", OTEL_TRACES_EXPORTER: "otlp", OTEL_SDK_DISABLED: "False" },
  { OTEL_BSP_MAX_QUEUE_SIZE: "4096", OTEL_BSP_SCHEDULE_DELAY: "0" },
  { OTEL_TRACES_SAMPLER: "", OTEL_EXPORTER_OTLP_HEADERS: " " },
  // Variables of other signals.
  { OTEL_METRICS_EXPORTER: "none", OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "x" },
])("%j has neither a problem nor a warning", (env) => {
  expect([spanVariableProblems(env), spanVariableWarnings(env, true)]).toEqual([[], []]);
});

describe("a value that is not what happens is a warning:", () => {
  const sentAs =
    "and spans are sent as http/json all the same: the receiver must accept it, usually on port 4318";

  test.each<[Record<string, string>, string]>([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, `OTEL_EXPORTER_OTLP_PROTOCOL is grpc, ${sentAs}`],
    [
      { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf" },
      `OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is http/protobuf, ${sentAs}`,
    ],
    [
      { OTEL_TRACES_SAMPLER: "traceidratio" },
      "OTEL_TRACES_SAMPLER is traceidratio, and OTEL_TRACES_SAMPLER_ARG is not set: no span is left out",
    ],
    [
      { OTEL_TRACES_SAMPLER_ARG: "0.5" },
      "OTEL_TRACES_SAMPLER_ARG has no effect: OTEL_TRACES_SAMPLER is neither traceidratio nor parentbased_traceidratio",
    ],
    [{ OTEL_SDK_DISABLED: "true" }, "OTEL_SDK_DISABLED has no effect"],
    [{ OTEL_TRACES_EXPORTER: "none" }, "OTEL_TRACES_EXPORTER has no effect"],
    [{ OTEL_PROPAGATORS: "b3" }, "OTEL_PROPAGATORS has no effect"],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: "1000" }, "OTEL_EXPORTER_OTLP_TIMEOUT has no effect"],
  ])("%j", (env, warning) => {
    expect(spanVariableWarnings(env, true)).toEqual([warning]);
  });
});

test.each([
  ["OTEL_SERVICE_NAME", "a"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "hunter2"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
  ["OTEL_TRACES_SAMPLER", "always_on"],
  ["OTEL_TRACES_EXPORTER", "otlp"],
])("%s=%s is a warning without an endpoint", (name, text) => {
  expect(spanVariableWarnings({ [name]: text }, false)).toEqual([
    `${name} has no effect without OTEL_EXPORTER_OTLP_ENDPOINT: no spans are sent`,
  ]);
  expect(spanVariableWarnings({ OTEL_TRACES_EXPORTER: "none", [name]: "" }, false)).toEqual([]);
});
