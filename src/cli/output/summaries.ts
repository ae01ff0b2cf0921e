import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { GetAboutResponseSchema } from "@utility-tools/protos/utilitytools/v1/about_pb.js";
import {
  CountryMatchSchema,
  CountrySchema,
  CountrySummarySchema,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { SanitizeEmailResponseSchema } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { LookupIpResponseSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import {
  GenerateHotpResponseSchema,
  GenerateOtpResponseSchema,
  VerifyOtpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { readHttpBindings } from "connect-transcoding/rules";
import type { ToolCommand } from "../commands.js";
import { isObject } from "./columns.js";

/** A line of a summary: a label, and the text of one or several fields. */
export interface SummaryLine {
  readonly label: string;
  /** The names of the fields, as in `--fields`. */
  readonly fields: readonly string[];
  /** Returns an empty text if the value is unknown. */
  readonly text: (response: JsonObject) => string;
}

/** A list of a response that a summary only counts. */
export interface SummaryList {
  /** The JSON name of the field, which is the name of the flag as well. */
  readonly field: string;
  /** What its elements are called: `subdivisions`. */
  readonly noun: string;
}

/** What a terminal shows of a message, unless all of it or some fields are requested. */
export interface Summary {
  readonly desc: DescMessage;
  /** The lines of one message; undefined: all of its fields. */
  readonly lines?: readonly SummaryLine[];
  /** The columns of a table of several messages, as in `--fields`. */
  readonly columns?: readonly string[];
  readonly lists?: readonly SummaryList[];
  /** The values by which `--summary` counts the responses to a list. */
  readonly counts?: readonly (Pick<SummaryLine, "label" | "text"> & {
    /** The name in JSON and CSV. */
    readonly name: string;
    /** The fields, as in `--fields`, that alone decide the text; undefined: many values of them are different. */
    readonly fields?: readonly string[];
  })[];
}

const COUNTRY_OF_ADDRESS: Pick<SummaryLine, "label" | "text"> = {
  label: "Country",
  text: (response) =>
    withCode(
      textAt(response, "metadata.details", "country_name"),
      textAt(response, "metadata", "location", "country"),
    ),
};

const NETWORK_OPERATOR: Pick<SummaryLine, "label" | "text"> = {
  label: "Network operator",
  text: (response) => {
    const asn = Number(valueAt(response, "metadata", "asn") ?? 0);
    return withCode(textAt(response, "metadata", "asn_name"), asn === 0 ? "" : `AS${asn}`);
  },
};

/** How codes are made: at times, or at counters. */
function codes(kind: "period" | "counter"): SummaryLine {
  return {
    label: "Codes",
    fields: ["digits", kind, "algorithm"],
    text: (response) =>
      joined([
        `${textAt(response, "digits")} digits`,
        kind === "period"
          ? `every ${textAt(response, "period")} s`
          : `from counter ${textAt(response, "counter")} on`,
        textAt(response, "algorithm"),
      ]),
  };
}

/** A new secret. Only a service has the URL of the QR code, which the terminal shows. */
const NEW_SECRET: readonly SummaryLine[] = [
  line("Secret", ["secret"]),
  line("OTP URL", ["otp_url"]),
  line("Service name", ["issuer"]),
  line("Account name", ["label"]),
];

/** Messages whose fields are not all shown. A message without a summary is shown in full. */
const SUMMARIES: readonly Summary[] = [
  {
    desc: LookupIpResponseSchema,
    lines: [
      line("IP address", ["ip"]),
      {
        label: "Place",
        fields: ["city", "region"],
        text: (response) =>
          joined([
            textAt(response, "metadata.details", "city"),
            textAt(response, "metadata.details", "region"),
          ]),
      },
      { ...COUNTRY_OF_ADDRESS, fields: ["country_name", "country"] },
      {
        label: "EU member",
        fields: ["eu"],
        text: (response) => (valueAt(response, "metadata", "location", "eu") === true ? "Yes" : ""),
      },
      { ...NETWORK_OPERATOR, fields: ["asn_name", "asn"] },
      line("Address range", ["subnet"], "metadata", "subnet"),
      {
        label: "Coordinates",
        fields: ["coords"],
        text: (response) => pointText(valueAt(response, "metadata", "coords")),
      },
      line("Postal code", ["postal_code"], "metadata.details", "postal_code"),
      line("Time zone", ["time_zone"], "metadata.details", "time_zone"),
    ],
    columns: ["country", "city", "asn", "asn_name", "subnet"],
    counts: [
      { ...COUNTRY_OF_ADDRESS, name: "country", fields: ["country_name", "country"] },
      { ...NETWORK_OPERATOR, name: "network", fields: ["asn_name", "asn"] },
    ],
  },
  {
    desc: SanitizeEmailResponseSchema,
    counts: [
      {
        name: "domain",
        label: "Domain",
        text: (response) => textAt(response, "email").split("@").at(-1) ?? "",
      },
    ],
  },
  {
    desc: CountrySchema,
    lines: [
      {
        label: "Name",
        fields: ["name", "flag"],
        text: (country) =>
          joined([withCode(textAt(country, "name"), textAt(country, "code2")), textAt(country, "flag")], " "),
      },
      line("Localized name", ["localized_name"]),
      line("Official name", ["official_name"]),
      {
        label: "Codes",
        fields: ["code2", "code3", "numeric"],
        text: (country) => joined(["code2", "code3", "numeric"].map((name) => textAt(country, name))),
      },
      line("Capital", ["capital"]),
      {
        label: "Region",
        fields: ["subregion", "region"],
        text: (country) =>
          joined([
            textAt(country, "subregion") || textAt(country, "region"),
            valueAt(country, "eu") === true ? "European Union" : "",
          ]),
      },
      {
        label: "Area",
        fields: ["area_km2"],
        text: (country) => {
          const area = Number(valueAt(country, "area_km2") ?? 0);
          return area === 0 ? "" : `${area.toLocaleString("en")} km²`;
        },
      },
      {
        label: "Currencies",
        fields: ["currencies"],
        text: (country) =>
          firstOf(
            objectsAt(country, "currencies").map((each) =>
              withCode(textAt(each, "name"), joined([textAt(each, "code"), textAt(each, "symbol")])),
            ),
          ),
      },
      {
        label: "Languages",
        fields: ["languages"],
        text: (country) => firstOf(objectsAt(country, "languages").map((each) => textAt(each, "name"))),
      },
      list("Calling codes", "calling_codes"),
      line("Internet domain", ["top_level_domain"]),
      list("Time zones", "time_zones"),
      list("Neighbors", "borders"),
    ],
    lists: [{ field: "states", noun: "subdivisions" }],
  },
  {
    desc: GetAboutResponseSchema,
    lines: [
      line("Version", ["version"]),
      {
        label: "Age of data",
        fields: ["sources"],
        text: (response) =>
          objectsAt(response, "sources")
            .filter((source) => source.build_time !== undefined)
            .map((source) => `${textAt(source, "name")}: ${textAt(source, "age_days")} days`)
            .join("; "),
      },
    ],
    lists: [{ field: "sources", noun: "data sources" }],
  },
  { desc: GenerateOtpResponseSchema, lines: [...NEW_SECRET, codes("period")] },
  { desc: GenerateHotpResponseSchema, lines: [...NEW_SECRET, codes("counter")] },
  {
    desc: VerifyOtpResponseSchema,
    lines: [
      line("Current code", ["current"], "otp_codes", "current"),
      line("Next code", ["+30s"], "otp_codes", "+30s"),
      {
        label: "Earlier codes",
        fields: ["-30s", "-60s"],
        text: (response) => joined(["-30s", "-60s"].map((name) => textAt(response, "otp_codes", name))),
      },
      codes("period"),
    ],
    columns: ["secret", "current", "+30s", "-30s", "-60s"],
  },
  { desc: CountrySummarySchema, columns: ["code2", "name", "capital", "subregion", "localized_name"] },
  { desc: CountryMatchSchema, columns: ["country.name", "code2", "value", "kind"] },
];

/** Returns the summary of a message type; undefined: it has none. */
export function summaryOf(desc: DescMessage | undefined): Summary | undefined {
  return SUMMARIES.find((each) => each.desc === desc);
}

/** The summary of a command's response. */
export function summaryOfCommand({ method }: ToolCommand): Summary | undefined {
  const [binding = { responseBody: undefined }] = readHttpBindings(method);
  return summaryOf(binding.responseBody?.message ?? method.output);
}

/** The lists that a command only counts, unless a flag shows them. */
export function listsOf(command: ToolCommand): readonly SummaryList[] {
  return summaryOfCommand(command)?.lists ?? [];
}

/** A line with the text of one field; its path is the name of the field unless it is given. */
function line(label: string, fields: readonly [string], ...path: readonly string[]): SummaryLine {
  const whole = path.length === 0 ? fields : path.flatMap((name) => name.split("."));
  return { label, fields, text: (response) => textAt(response, ...whole) };
}

/** A line with a list of texts. */
function list(label: string, field: string): SummaryLine {
  return {
    label,
    fields: [field],
    text: (response) => {
      const value = valueAt(response, field);
      return firstOf(Array.isArray(value) ? value.map(String) : []);
    },
  };
}

/** The number of elements of a list in a line. */
const SHOWN_ELEMENTS = 8;

/** The first texts of a list, and the number of the others. */
function firstOf(texts: readonly string[]): string {
  const more = texts.length - SHOWN_ELEMENTS;
  // One more element takes less room than its count.
  return more <= 1 ? joined(texts) : `${joined(texts.slice(0, SHOWN_ELEMENTS))} and ${more} more`;
}

function joined(texts: readonly string[], separator = ", "): string {
  return texts.filter((text) => text !== "").join(separator);
}

/** `United States (US)`; one of the two if the other is unknown. */
function withCode(name: string, code: string): string {
  return name === "" || code === "" || name === code ? name || code : `${name} (${code})`;
}

function pointText(point: JsonValue | undefined): string {
  return isObject(point) ? `${Number(point.lat ?? 0)}, ${Number(point.lon ?? 0)}` : "";
}

function valueAt(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path
    .flatMap((name) => name.split("."))
    .reduce((parent, name) => (isObject(parent) ? parent[name] : undefined), value);
}

function textAt(value: JsonObject, ...path: readonly string[]): string {
  return String(valueAt(value, ...path) ?? "");
}

function objectsAt(value: JsonObject, name: string): JsonObject[] {
  const found = valueAt(value, name);
  return Array.isArray(found) ? found.filter(isObject) : [];
}
