import type { DataSource } from "../tool.js";
import { ALLOCATED_EDITION, ALLOCATED_REFERENCE } from "./allocated-blocks.js";
import type { MmdbReader } from "./databases/movable-reader.js";
import type { GeoIpDatabases, ReadersByFamily } from "./lookup-ip.js";
import { SPECIAL_PURPOSE_EDITION } from "./special-purpose.js";

/** The origins of databases that are known otherwise than by the metadata of the files. */
export type KnownOrigins = Readonly<Partial<Record<keyof GeoIpDatabases, Origin | undefined>>>;

/** The origin of a database; has a name only if the name in the file is not good enough. */
export type Origin = Partial<Pick<DataSource, "name">> &
  Pick<DataSource, "publisher" | "url" | "license" | "attribution">;

const UNKNOWN_ORIGIN: Origin = { publisher: "", url: "", license: "NOASSERTION", attribution: "" };
const DB_IP: Origin = {
  publisher: "DB-IP",
  url: "https://db-ip.com",
  license: "CC-BY-4.0",
  attribution: "IP Geolocation by DB-IP (https://db-ip.com)",
};
const ORIGIN_ASN: Origin = {
  name: "origin-asn",
  publisher: "ip-location-db",
  url: "https://github.com/sapics/ip-location-db",
  license: "PDDL-1.0",
  attribution: "",
};
const MAXMIND: Origin = { ...UNKNOWN_ORIGIN, publisher: "MaxMind", url: "https://www.maxmind.com" };
const MAXMIND_GEOLITE: Origin = {
  ...MAXMIND,
  license: "LicenseRef-MaxMind-GeoLite-EULA",
  attribution:
    "This product includes GeoLite Data created by MaxMind, available from https://www.maxmind.com.",
};
const IPINFO: Origin = { ...UNKNOWN_ORIGIN, publisher: "IPinfo", url: "https://ipinfo.io" };
const IPINFO_LITE: Origin = {
  ...IPINFO,
  name: "IPinfo Lite",
  license: "CC-BY-SA-4.0",
  attribution: "IP address data powered by IPinfo (https://ipinfo.io)",
};

/** The origins of the installed databases, whose metadata do not name a publisher. */
export const INSTALLED_ORIGINS: Readonly<Record<"city" | "asn", Origin>> = {
  city: { ...DB_IP, name: "DB-IP IP to City Lite" },
  asn: ORIGIN_ASN,
};

/** The origins of the files of `update-data`, by the name of the source. */
const ORIGINS_BY_SOURCE: ReadonlyMap<string, Origin> = new Map([
  ["dbip", DB_IP],
  ["origin-asn", ORIGIN_ASN],
  ["geolite2", MAXMIND_GEOLITE],
  ["geoip2", MAXMIND],
  ["ipinfo", IPINFO_LITE],
]);

/** Returns the origin of the files of a source of `update-data`; undefined for URLs and unknown names. */
export function originOfSource(name: string): Origin | undefined {
  return ORIGINS_BY_SOURCE.get(name);
}

/** The origins by the database type in the metadata; the first match is used. */
const ORIGINS: readonly (readonly [databaseType: RegExp, origin: Origin])[] = [
  [/^DBIP-\S*Lite\b/, DB_IP],
  [/^DBIP-/, { ...DB_IP, license: "NOASSERTION", attribution: "" }],
  [/^GeoLite2-/, MAXMIND_GEOLITE],
  [/^GeoIP2-/, MAXMIND],
  [/^ipinfo\b.*lite/i, IPINFO_LITE],
  [/^ipinfo\b/i, IPINFO],
];

const IANA_REGISTRIES: readonly DataSource[] = [
  ["IANA special-purpose address registries", SPECIAL_PURPOSE_EDITION] as const,
  [ALLOCATED_REFERENCE, ALLOCATED_EDITION] as const,
].map(([name, version]) => ({
  name,
  publisher: "Internet Assigned Numbers Authority",
  url: "https://www.iana.org/protocols",
  license: "CC0-1.0",
  attribution: "",
  version,
  builtAt: new Date(`${version}T00:00:00Z`),
  isFixed: true,
}));

/** The source of the time zones of places. The version is that in package.json. */
export const TIME_ZONES: DataSource = {
  name: "tz-lookup",
  publisher: "PhotoStructure",
  url: "https://github.com/photostructure/tz-lookup",
  license: "CC0-1.0",
  attribution: "",
  version: "11.7.0",
  builtAt: undefined,
};

/**
 * The last second of a `google.protobuf.Timestamp`. Build dates are later if a file counts milliseconds instead of
 * seconds, and can be any date if a file is damaged.
 */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * Returns the sources of lookups in these databases: each file once, by its metadata, with its IP version if it is one of
 * two, and the registries that are a part of the program. Returns only the registries without databases.
 *
 * @param settings the settings that name files
 */
export function geoIpSources(
  databases: GeoIpDatabases | undefined,
  origins: KnownOrigins,
  settings: Readonly<Partial<Record<keyof GeoIpDatabases, string | undefined>>> = {},
): DataSource[] {
  const files = (["city", "asn"] as const).flatMap((kind) =>
    readersOf(databases?.[kind]).map((reader, _index, { length }) => {
      const origin = origins[kind] ?? originOf(reader);
      const source = { ...sourceOf(reader, origin), chosenBy: settings[kind] };
      return length === 1 ? source : { ...source, name: `${source.name} (IPv${reader.ipVersion})` };
    }),
  );
  return [...files, ...IANA_REGISTRIES];
}

/** Returns each reader once, even if it serves both families. */
function readersOf(readers: ReadersByFamily<unknown> | undefined): MmdbReader<unknown>[] {
  return [...new Set([readers?.[4], readers?.[6]])].filter((reader) => reader !== undefined);
}

function originOf({ databaseType }: MmdbReader<unknown>): Origin {
  return ORIGINS.find(([type]) => type.test(databaseType))?.[1] ?? UNKNOWN_ORIGIN;
}

function sourceOf({ databaseType, description, builtAt }: MmdbReader<unknown>, origin: Origin): DataSource {
  return {
    name: description === "" ? databaseType : description,
    ...origin,
    version: "",
    builtAt: builtAt.getTime() >= 0 && builtAt.getTime() <= LATEST ? builtAt : undefined,
  };
}
