import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { readHttpBindings } from "connect-transcoding/rules";
import { titleOfStep } from "../../text/email-step-words.js";
import { lowerCased, type ToolCommand } from "../commands.js";
import { isObject, valueAt } from "./columns.js";

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
  /** The full name of its type. A command loads the types of its own service alone. */
  readonly type: string;
  /** The lines of one message, beginning with what people look for first; undefined: all of its fields. */
  readonly lines?: readonly SummaryLine[];
  /** Returns lines without a label, which follow the others. */
  readonly steps?: (response: JsonObject, input: string) => readonly string[];
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

const COUNTRY_OF_ADDRESS = line("Country", "country_name,country", (response) =>
  withCode(textAt(response, "metadata.details.country_name"), textAt(response, "metadata.location.country")),
);

const NETWORK_OPERATOR = line("Network operator", "asn_name,asn", (response) => {
  const asn = textAt(response, "metadata.asn");
  return withCode(textAt(response, "metadata.asn_name"), asn && `AS${asn}`);
});

/** The number of networks of each family in a line. */
const SHOWN_NETWORKS = 3;

/** The same of a response about the operator, which has the fields at its top. */
const OPERATOR = line("Network operator", "asn_name,asn", (response) =>
  withCode(textAt(response, "asn_name"), `AS${textAt(response, "asn")}`),
);

const PERIODIC_CODES = line("Codes", "digits,period,algorithm", (response) =>
  codesText(response, `every ${textAt(response, "period")} s`),
);

const COUNTED_CODES = line("Codes", "digits,counter,algorithm", (response) =>
  codesText(response, `from counter ${textAt(response, "counter")} on`),
);

const EMAIL_KINDS = [
  ["disposable", "disposable"],
  ["free_provider", "free provider"],
  ["role_account", "role account"],
  ["relay", "forwards to another mailbox"],
] as const;

/** One line per change of an address: before, after, and what the rule did. */
function emailChanges(response: JsonObject, input: string): string[] {
  let before = input;
  return objectsAt(response, "steps").map((step) => {
    const result = textAt(step, "result");
    const words = lowerCased(titleOfStep({ rule: textAt(step, "rule"), result }, before));
    const line = `${before} → ${result}  ${joined([words, textAt(step, "provider")])}`;
    before = result;
    return line;
  });
}

/** A new secret. Only a service has the URL of the QR code, which the terminal shows. */
const NEW_SECRET: readonly SummaryLine[] = [
  line("Secret", "secret"),
  line("OTP URL", "otp_url"),
  line("Service name", "issuer"),
  line("Account name", "label"),
];

/** Messages whose fields are not all shown. A message without a summary is shown in full. */
const SUMMARIES: readonly Summary[] = [
  {
    type: "utilitytools.v1.LookupIpResponse",
    lines: [
      line("Place", "city,region,country_name", (response) =>
        joined(
          ["city", "region", "country_name"]
            .map((name) => textAt(response, `metadata.details.${name}`))
            // Of a city state, the three are equal.
            .filter((text, index, all) => text !== all[index - 1]),
        ),
      ),
      line("IP address", "ip"),
      line("Country code", "country", "metadata.location.country"),
      line("EU member", "eu", (response) =>
        valueAt(response, "metadata.location.eu") === true ? "Yes" : "",
      ),
      NETWORK_OPERATOR,
      line("Address range", "subnet", "metadata.subnet"),
      line("Coordinates", "coords", "metadata.coords.lat,metadata.coords.lon"),
      line("Postal code", "postal_code", "metadata.details.postal_code"),
      line("Time zone", "time_zone", "metadata.details.time_zone"),
    ],
    columns: ["country", "city", "asn", "asn_name", "subnet"],
    counts: [
      { ...COUNTRY_OF_ADDRESS, name: "country" },
      { ...NETWORK_OPERATOR, name: "network" },
    ],
  },
  {
    type: "utilitytools.v1.LookupAsnResponse",
    lines: [
      OPERATOR,
      line("IPv4", "ipv4_networks,ipv4_addresses", (response) =>
        joined([
          numberAt(response, "ipv4_networks", "networks"),
          numberAt(response, "ipv4_addresses", "addresses"),
        ]),
      ),
      line("IPv6", "ipv6_networks", (response) => numberAt(response, "ipv6_networks", "networks")),
      line("Countries", "countries", (response) =>
        firstOf(objectsAt(response, "countries").map((each) => textAt(each, "country") || "unknown")),
      ),
      line(
        "Largest networks",
        "largest_ipv4,largest_ipv6",
        ({ largest_ipv4: ipv4 = [], largest_ipv6: ipv6 = [] }) =>
          joined([ipv4, ipv6].flatMap((networks) => [networks].flat().slice(0, SHOWN_NETWORKS).map(String))),
      ),
    ],
  },
  {
    type: "utilitytools.v1.SanitizeEmailResponse",
    counts: [
      {
        name: "domain",
        label: "Domain",
        text: (response) => textAt(response, "email").split("@").at(-1) ?? "",
      },
    ],
  },
  {
    type: "utilitytools.v1.ExplainEmailResponse",
    lines: [
      line("E-mail address", "email"),
      line("Did you mean", "did_you_mean"),
      line("Kind", "disposable,free_provider,role_account,relay", (response) =>
        joined(EMAIL_KINDS.filter(([name]) => valueAt(response, name) === true).map(([, words]) => words)),
      ),
      line("Note", "note"),
    ],
    steps: emailChanges,
  },
  {
    type: "utilitytools.v1.Country",
    lines: [
      line("Name", "name,flag", (country) =>
        joined([withCode(textAt(country, "name"), textAt(country, "code2")), textAt(country, "flag")], " "),
      ),
      line("Localized name", "localized_name"),
      line("Official name", "official_name"),
      line("Codes", "code2,code3,numeric"),
      line("Capital", "capital"),
      line("Region", "subregion,region", (country) =>
        joined([
          textAt(country, "subregion") || textAt(country, "region"),
          valueAt(country, "eu") === true ? "European Union" : "",
        ]),
      ),
      line("Area", "area_km2", (country) => {
        const area = textAt(country, "area_km2");
        return area && `${Number(area).toLocaleString("en")} km²`;
      }),
      line("Currencies", "currencies", (country) =>
        firstOf(
          objectsAt(country, "currencies").map((each) =>
            withCode(textAt(each, "name"), joined([textAt(each, "code"), textAt(each, "symbol")])),
          ),
        ),
      ),
      line("Languages", "languages", (country) =>
        firstOf(objectsAt(country, "languages").map((each) => textAt(each, "name"))),
      ),
      line("Calling codes", "calling_codes"),
      line("Internet domain", "top_level_domain"),
      line("Time zones", "time_zones"),
      line("Neighbors", "borders"),
    ],
    lists: [{ field: "states", noun: "subdivisions" }],
  },
  {
    type: "utilitytools.v1.GetAboutResponse",
    lines: [
      line("Version", "version"),
      line("Age of data", "sources", (response) =>
        objectsAt(response, "sources")
          .filter((source) => source.build_time !== undefined)
          .map((source) => `${textAt(source, "name")}: ${textAt(source, "age_days")} days`)
          .join("; "),
      ),
    ],
    lists: [{ field: "sources", noun: "data sources" }],
  },
  { type: "utilitytools.v1.GenerateOtpResponse", lines: [...NEW_SECRET, PERIODIC_CODES] },
  { type: "utilitytools.v1.GenerateHotpResponse", lines: [...NEW_SECRET, COUNTED_CODES] },
  {
    type: "utilitytools.v1.VerifyOtpResponse",
    lines: [
      line("Current code", "current", (response) => groupedCode(textAt(response, "otp_codes.current"))),
      line("Next code", "+30s", "otp_codes.+30s"),
      line("Earlier codes", "-30s,-60s", "otp_codes.-30s,otp_codes.-60s"),
      PERIODIC_CODES,
    ],
    columns: ["secret", "current", "+30s", "-30s", "-60s"],
  },
  {
    type: "utilitytools.v1.CountrySummary",
    columns: ["code2", "name", "capital", "subregion", "localized_name"],
  },
  { type: "utilitytools.v1.CountryMatch", columns: ["country.name", "code2", "value", "kind"] },
];

/** Returns the summary of a message type; undefined: it has none. */
export function summaryOf(desc: DescMessage | undefined): Summary | undefined {
  return SUMMARIES.find(({ type }) => type === desc?.typeName);
}

/** The summary of a command's response. */
export function summaryOfCommand({ method }: ToolCommand): Summary | undefined {
  const [binding = { responseBody: undefined }] = readHttpBindings(method);
  return summaryOf(binding.responseBody?.message ?? method.output);
}

/**
 * A line of a summary.
 *
 * @param fields the names of its fields, joined by commas, as in `--fields`
 * @param text the paths of the values that it shows, joined by commas, or a function that returns its text
 */
function line(label: string, fields: string, text: string | SummaryLine["text"] = fields): SummaryLine {
  return {
    label,
    fields: fields.split(","),
    text:
      typeof text === "string"
        ? (response) => joined(text.split(",").map((path) => textAt(response, path)))
        : text,
  };
}

/** A code as people read it, in two halves: `684 153`. */
export function groupedCode(code: string): string {
  return /^\d{6,}$/.test(code) ? `${code.slice(0, code.length / 2)} ${code.slice(code.length / 2)}` : code;
}

/** How codes are made: at times, or at counters. */
function codesText(response: JsonObject, steps: string): string {
  return joined([`${textAt(response, "digits")} digits`, steps, textAt(response, "algorithm")]);
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

function textAt(value: JsonObject, path: string): string {
  const found = valueAt(value, path);
  return Array.isArray(found) ? firstOf(found.map(String)) : String(found ?? "");
}

/** `185 networks`; empty for none. */
function numberAt(value: JsonObject, path: string, noun: string): string {
  const number = Number(valueAt(value, path) ?? 0);
  return number === 0 ? "" : `${number.toLocaleString("en")} ${noun}`;
}

function objectsAt(value: JsonObject, name: string): JsonObject[] {
  return [value[name] ?? []].flat().filter(isObject);
}
