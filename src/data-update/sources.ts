import type { FolderFile } from "../data-files/data-folder.js";
import { type Failure, fail, ok, type Result } from "../failures/result.js";

/** The start of the addresses of each publisher's files, with a final slash. */
export interface Publishers {
  readonly dbip: string;
  readonly ipLocationDb: string;
  readonly maxmind: string;
  readonly ipinfo: string;
  readonly disposableDomains: string;
}

export const PUBLISHERS: Publishers = {
  dbip: "https://download.db-ip.com/free/",
  ipLocationDb: "https://github.com/sapics/ip-location-db/releases/download/",
  maxmind: "https://download.maxmind.com/geoip/databases/",
  ipinfo: "https://ipinfo.io/data/",
  disposableDomains:
    "https://raw.githubusercontent.com/disposable-email-domains/disposable-email-domains/main/",
};

/** The credentials of publishers that need an account; empty if not set. */
export interface Credentials {
  readonly maxmindAccountId: string;
  readonly maxmindLicenseKey: string;
  readonly ipinfoToken: string;
}

/** A file that a publisher offers. */
export interface Download {
  readonly url: URL;
  /** The value of the header `Authorization`. */
  readonly authorization?: string;
  /** The address of a text with the SHA-256 of the file in hexadecimal. */
  readonly checksum?: URL;
}

/** A source of a database or a list. */
export interface Source {
  /** The value of the setting, or `url`. */
  readonly name: string;
  /** For messages, without secrets. */
  readonly description: string;
  /** The files to try, the newest first. The first one that exists is used. */
  readonly downloads: readonly Download[];
}

interface SourceEntry {
  /** The files of a publisher by database. */
  readonly files: Partial<Record<FolderFile, string>>;
  readonly downloads: (file: string, context: SourceContext) => Result<readonly Download[], SourceFailure>;
}

/** The dependencies of {@link findSource}. */
export interface SourceContext {
  readonly publishers: Publishers;
  readonly credentials: Credentials;
  /** The current time: DB-IP's files have the month in their names. */
  readonly now: Date;
}

/** Why there is no such source. */
export type SourceFailure = Failure<"UNKNOWN_SOURCE" | "MISSING_CREDENTIALS">;

const ENTRIES: Readonly<Record<string, SourceEntry>> = {
  // https://db-ip.com/db/lite.php
  dbip: {
    files: { city: "dbip-city-lite", asn: "dbip-asn-lite" },
    downloads: (file, { publishers, now }) =>
      ok(
        // The files of a month appear in its first days.
        [0, 1].map((monthsAgo) => {
          const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo));
          return { url: new URL(`${file}-${month.toISOString().slice(0, 7)}.mmdb.gz`, publishers.dbip) };
        }),
      ),
  },
  // https://github.com/sapics/ip-location-db
  "origin-asn": {
    files: { asn: "origin-asn.mmdb" },
    downloads: (file, { publishers }) =>
      ok([
        {
          url: new URL(`latest/${file}`, publishers.ipLocationDb),
          checksum: new URL(`checksum/${file}.sha256`, publishers.ipLocationDb),
        },
      ]),
  },
  geolite2: { files: { city: "GeoLite2-City", asn: "GeoLite2-ASN" }, downloads: maxmindDownloads },
  geoip2: { files: { city: "GeoIP2-City", asn: "GeoIP2-ISP" }, downloads: maxmindDownloads },
  // https://ipinfo.io/developers/ipinfo-lite-database
  ipinfo: {
    files: { city: "ipinfo_lite.mmdb", asn: "ipinfo_lite.mmdb" },
    downloads: (file, { publishers, credentials: { ipinfoToken } }) => {
      if (ipinfoToken === "") {
        return fail("MISSING_CREDENTIALS", "the source ipinfo needs IPINFO_TOKEN");
      }
      const url = new URL(file, publishers.ipinfo);
      const checksum = new URL(`${file}/checksums`, publishers.ipinfo);
      url.searchParams.set("token", ipinfoToken);
      checksum.searchParams.set("token", ipinfoToken);
      return ok([{ url, checksum }]);
    },
  },
  // https://github.com/disposable-email-domains/disposable-email-domains
  "disposable-email-domains": {
    files: { disposable: "disposable_email_blocklist.conf" },
    downloads: (file, { publishers }) => ok([{ url: new URL(file, publishers.disposableDomains) }]),
  },
};

/** https://dev.maxmind.com/geoip/updating-databases#directly-downloading-databases */
function maxmindDownloads(
  edition: string,
  { publishers, credentials: { maxmindAccountId, maxmindLicenseKey } }: SourceContext,
): Result<readonly Download[], SourceFailure> {
  if (maxmindAccountId === "" || maxmindLicenseKey === "") {
    return fail(
      "MISSING_CREDENTIALS",
      "the sources geolite2 and geoip2 need MAXMIND_ACCOUNT_ID and MAXMIND_LICENSE_KEY",
    );
  }
  const file = (suffix: string) => new URL(`${edition}/download?suffix=${suffix}`, publishers.maxmind);
  const authorization = basicAuthorization(maxmindAccountId, maxmindLicenseKey);
  return ok([{ url: file("tar.gz"), checksum: file("tar.gz.sha256"), authorization }]);
}

function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** The source that leaves a file alone. */
export const NO_SOURCE = "none";

/** The sources that are used if no other is chosen. They need no account. The list is small and changes slowly. */
export const DEFAULT_SOURCES: Readonly<Record<FolderFile, string>> = {
  city: "dbip",
  asn: "origin-asn",
  disposable: NO_SOURCE,
};

/** Returns the names of all sources of a database. */
export function sourceNames(database: FolderFile): string[] {
  return Object.keys(ENTRIES).filter((name) => ENTRIES[name]?.files[database] !== undefined);
}

/**
 * Finds the source of a database by its name or URL. Fails for an unknown name, and for a publisher whose credentials are
 * missing. A failure does not repeat the text, which may be a URL with a password.
 */
export function findSource(
  text: string,
  database: FolderFile,
  context: SourceContext,
): Result<Source, SourceFailure> {
  const url = urlOf(text);
  if (url !== undefined) {
    return ok(urlSource(url));
  }
  if (HTTP_URL.test(text)) {
    return fail(
      "UNKNOWN_SOURCE",
      "must be a URL with a host, and a percent-encoded user and password if any",
    );
  }
  const entry = Object.hasOwn(ENTRIES, text) ? ENTRIES[text] : undefined;
  const file = entry?.files[database];
  if (entry === undefined || file === undefined) {
    return fail("UNKNOWN_SOURCE", `must be ${allowedSources(database)}`);
  }
  const downloads = entry.downloads(file, context);
  return downloads.ok ? ok({ name: text, description: text, downloads: downloads.value }) : downloads;
}

/** The allowed sources of a database, worded to follow "must be". */
export function allowedSources(database: FolderFile): string {
  return `${sourceNames(database).join(", ")} or an http or https URL`;
}

const HTTP_URL = /^https?:\/\//i;

/** Parses an HTTP or HTTPS URL. Returns undefined for any other text. */
function urlOf(text: string): URL | undefined {
  if (!HTTP_URL.test(text) || !URL.canParse(text)) {
    return undefined;
  }
  const url = new URL(text);
  try {
    decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    return undefined;
  }
}

/** The name of sources that are URLs. */
export const URL_SOURCE = "url";

function urlSource(given: URL): Source {
  const url = new URL(given);
  const { username, password } = given;
  // `fetch` rejects URLs with credentials.
  url.username = "";
  url.password = "";
  const authorization =
    username === "" && password === ""
      ? undefined
      : basicAuthorization(decodeURIComponent(username), decodeURIComponent(password));
  return {
    name: URL_SOURCE,
    // Paths and queries of download addresses often contain a key.
    description: url.host,
    downloads: [authorization === undefined ? { url } : { url, authorization }],
  };
}
