import type { DataSource } from "../tool.js";
import type { GeoIpDatabases, ReadersByFamily } from "./geoip-databases.js";
import type { MmdbReader } from "./mmdb-reader.js";
import { SPECIAL_PURPOSE_EDITION } from "./special-purpose-registry.js";

/** Which of the databases are those that come with the installation. */
export type InstalledDatabases = Readonly<Record<keyof GeoIpDatabases, boolean>>;

/** What is known of a database's publisher; a name is only there where the file does not tell a good one. */
type Origin = Partial<Pick<DataSource, "name">> &
  Pick<DataSource, "publisher" | "url" | "licence" | "attribution">;

const NOBODY: Origin = { publisher: "", url: "", licence: "NOASSERTION", attribution: "" };
const DB_IP: Origin = {
  publisher: "DB-IP",
  url: "https://db-ip.com",
  licence: "CC-BY-4.0",
  attribution: "IP Geolocation by DB-IP (https://db-ip.com)",
};
const MAXMIND: Origin = { ...NOBODY, publisher: "MaxMind", url: "https://www.maxmind.com" };

/** The databases of the installation, whose files do not say who made them. */
const INSTALLED: Readonly<Record<keyof GeoIpDatabases, Origin>> = {
  city: { ...DB_IP, name: "DB-IP IP to City Lite" },
  asn: {
    name: "ip-location-db: autonomous systems of RouteViews, NRO and DB-IP",
    publisher: "ip-location-db",
    url: "https://github.com/sapics/ip-location-db",
    licence: "CC-BY-4.0",
    attribution: "RouteViews, NRO and DB-IP (https://db-ip.com)",
  },
};

/** Publishers by what they call their databases in the metadata of the files; the first that fits is taken. */
const ORIGINS: readonly (readonly [databaseType: RegExp, origin: Origin])[] = [
  [/^DBIP-\S*Lite\b/, DB_IP],
  [/^DBIP-/, { ...DB_IP, licence: "NOASSERTION", attribution: "" }],
  [
    /^GeoLite2-/,
    {
      ...MAXMIND,
      licence: "LicenseRef-MaxMind-GeoLite-EULA",
      attribution:
        "This product includes GeoLite Data created by MaxMind, available from https://www.maxmind.com.",
    },
  ],
  [/^GeoIP2-/, MAXMIND],
];

const IANA_REGISTRIES: DataSource = {
  name: "IANA special-purpose address registries",
  publisher: "Internet Assigned Numbers Authority",
  url: "https://www.iana.org/protocols",
  licence: "CC0-1.0",
  attribution: "",
  version: SPECIAL_PURPOSE_EDITION,
  builtAt: new Date(`${SPECIAL_PURPOSE_EDITION}T00:00:00Z`),
};

/**
 * The last second that a date with a year of four digits can name, and a `google.protobuf.Timestamp`. Files say later ones where
 * they count in milliseconds.
 */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * The sources of answers from these databases: each file once, by what its metadata say of it, with its IP version where it
 * is one of two, and the registries that are part of the program. Those alone where there are no databases.
 */
export function geoIpSources(
  databases: GeoIpDatabases | undefined,
  installed: InstalledDatabases,
): DataSource[] {
  const files = (["city", "asn"] as const).flatMap((kind) =>
    readersOf(databases?.[kind]).map((reader, _index, { length }) => {
      const source = sourceOf(reader, installed[kind] ? INSTALLED[kind] : originOf(reader));
      return length === 1 ? source : { ...source, name: `${source.name} (IPv${reader.ipVersion})` };
    }),
  );
  return [...files, IANA_REGISTRIES];
}

/** Each reader once, though one may be there for both families. */
function readersOf(readers: ReadersByFamily<unknown> | undefined): MmdbReader<unknown>[] {
  return [...new Set([readers?.[4], readers?.[6]])].filter((reader) => reader !== undefined);
}

function originOf({ databaseType }: MmdbReader<unknown>): Origin {
  return ORIGINS.find(([type]) => type.test(databaseType))?.[1] ?? NOBODY;
}

function sourceOf({ databaseType, description, builtAt }: MmdbReader<unknown>, origin: Origin): DataSource {
  return {
    name: description === "" ? databaseType : description,
    ...origin,
    version: "",
    builtAt: builtAt.getTime() <= LATEST ? builtAt : undefined,
  };
}
