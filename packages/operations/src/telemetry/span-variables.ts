import { accessSync, constants } from "node:fs";
import { choice, commaList, FILE, type SettingValue, wholeNumber } from "../settings/values.js";

type Environment = Readonly<Record<string, string | undefined>>;

const PROTOCOL = choice("WORD", ["http/json", "http/protobuf", "grpc"]);

const SAMPLER = choice("WORD", [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
]);

/** Samplers that read `OTEL_TRACES_SAMPLER_ARG`. */
const RATIO_SAMPLER = /traceidratio$/;

const RATIO: SettingValue<number> = {
  placeholder: "NUMBER",
  allowed: "a number from 0 to 1",
  example: "0.01",
  parse: (text) => (Number(text) >= 0 && Number(text) <= 1 ? Number(text) : undefined),
};

const READABLE_FILE: SettingValue<string> = {
  ...FILE,
  allowed: "the path of a file that can be read",
  parse: (path) => {
    try {
      accessSync(path, constants.R_OK);
      return path;
    } catch {
      return undefined;
    }
  },
};

const HEADERS = pairs(
  "headers such as name=value, joined by commas, with other special characters percent-encoded",
  /^[^;]+$/,
  (name, value) => {
    const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule("node:http");
    validateHeaderName(name);
    validateHeaderValue(name, value);
  },
);

/** Longer attributes make OpenTelemetry ignore all of them. */
const MAX_ATTRIBUTE = 255;

const ATTRIBUTES = pairs(
  `attributes such as name=value of at most ${MAX_ATTRIBUTE} characters, joined by commas, with special characters percent-encoded`,
  /^[^=]*$/,
  (name, value) => {
    if (name.length > MAX_ATTRIBUTE || value.length > MAX_ATTRIBUTE) {
      throw new RangeError();
    }
  },
);

/** The variables of spans that OpenTelemetry's packages read. They ignore values that are not allowed, and say nothing. */
const VARIABLES: readonly (readonly [name: RegExp, value: SettingValue<unknown>])[] = [
  [/^OTEL_SERVICE_NAME$/, { placeholder: "NAME", allowed: "a name", parse: (text) => text }],
  [/^OTEL_RESOURCE_ATTRIBUTES$/, ATTRIBUTES],
  [/^OTEL_EXPORTER_OTLP_(?:TRACES_)?PROTOCOL$/, PROTOCOL],
  [/^OTEL_EXPORTER_OTLP_(?:TRACES_)?HEADERS$/, HEADERS],
  [/^OTEL_EXPORTER_OTLP_(?:TRACES_)?COMPRESSION$/, choice("WORD", ["gzip", "none"])],
  [/^OTEL_EXPORTER_OTLP_(?:TRACES_)?(?:CERTIFICATE|CLIENT_CERTIFICATE|CLIENT_KEY)$/, READABLE_FILE],
  [/^OTEL_TRACES_SAMPLER$/, SAMPLER],
  [/^OTEL_TRACES_SAMPLER_ARG$/, RATIO],
  [/^OTEL_BSP_(?:MAX_QUEUE_SIZE|MAX_EXPORT_BATCH_SIZE)$/, wholeNumber(1, 1_000_000)],
  [/^OTEL_BSP_SCHEDULE_DELAY$/, wholeNumber(0, 3_600_000)],
];

/** Variables that are not read, and the value that says what happens all the same. */
const NOT_READ: readonly (readonly [name: RegExp, harmless: RegExp])[] = [
  [/^OTEL_SDK_DISABLED$/, /^false$/i],
  [/^OTEL_TRACES_EXPORTER$/, /^otlp$/],
  [/^OTEL_PROPAGATORS$/, /\btracecontext\b/],
  [/^OTEL_EXPORTER_OTLP_(?:TRACES_)?TIMEOUT$/, /^$/],
  [/^OTEL_BSP_EXPORT_TIMEOUT$/, /^$/],
];

/**
 * Returns what is wrong with OpenTelemetry's variables of spans, which a process with an endpoint for spans reads. Each sentence begins
 * with the name of a variable. No value is repeated, because headers have secrets.
 */
export function spanVariableProblems(env: Environment): string[] {
  return variablesOf(env).flatMap(([name, text]) => {
    const value = VARIABLES.find(([pattern]) => pattern.test(name))?.[1];
    return value === undefined || value.parse(text) !== undefined ? [] : [`${name} must be ${value.allowed}`];
  });
}

/**
 * Returns sentences about variables of OpenTelemetry that are valid and do not do what they say. Each begins with the name of a variable.
 *
 * @param isSending whether there is an endpoint for spans
 */
export function spanVariableWarnings(env: Environment, isSending: boolean): string[] {
  const variables = variablesOf(env);
  if (!isSending) {
    return variables
      .filter(
        ([name, text]) =>
          VARIABLES.some(([pattern]) => pattern.test(name)) ||
          (name === "OTEL_TRACES_EXPORTER" && text !== "none"),
      )
      .map(([name]) => `${name} has no effect without OTEL_EXPORTER_OTLP_ENDPOINT: no spans are sent`);
  }
  const sampler = env.OTEL_TRACES_SAMPLER ?? "";
  const hasRatio = (env.OTEL_TRACES_SAMPLER_ARG ?? "") !== "";
  return [
    ...variables.filter(([name, text]) => isNotRead(name, text)).map(([name]) => `${name} has no effect`),
    ...variables
      .filter(
        ([name, text]) => /^OTEL_EXPORTER_OTLP_(?:TRACES_)?PROTOCOL$/.test(name) && text !== "http/json",
      )
      .map(
        ([name, text]) =>
          `${name} is ${text}, and spans are sent as http/json all the same: the receiver must accept it, usually on port 4318`,
      ),
    ...(RATIO_SAMPLER.test(sampler) && !hasRatio
      ? [`OTEL_TRACES_SAMPLER is ${sampler}, and OTEL_TRACES_SAMPLER_ARG is not set: no span is left out`]
      : []),
    ...(hasRatio && !RATIO_SAMPLER.test(sampler)
      ? [
          "OTEL_TRACES_SAMPLER_ARG has no effect: OTEL_TRACES_SAMPLER is neither traceidratio nor parentbased_traceidratio",
        ]
      : []),
  ];
}

/** The variables that are set, as OpenTelemetry sees it. */
function variablesOf(env: Environment): [name: string, text: string][] {
  return Object.entries(env).flatMap(([name, text = ""]) =>
    name.startsWith("OTEL_") && text.trim() !== "" ? [[name, text] as [string, string]] : [],
  );
}

function isNotRead(name: string, text: string): boolean {
  const harmless = NOT_READ.find(([pattern]) => pattern.test(name))?.[1];
  return harmless !== undefined && !harmless.test(text);
}

/**
 * Pairs `name=value`, percent-encoded and joined by commas.
 *
 * @param form the form of an encoded value
 * @param check throws for a name or a value that is not allowed
 */
function pairs(
  allowed: string,
  form: RegExp,
  check: (name: string, value: string) => void,
): SettingValue<readonly string[]> {
  return commaList("NAME=VALUE", allowed, (pair) => {
    if (pair === "") {
      // Such as after a final comma.
      return pair;
    }
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    try {
      check(decodeURIComponent(name.trim()), decodeURIComponent(value.trim()));
    } catch {
      return undefined;
    }
    return name.trim() !== "" && form.test(value) ? pair : undefined;
  });
}
