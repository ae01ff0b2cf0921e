import { type Failure, fail, ok, type Result } from "./result.js";

/** The settings of the service. */
export interface Config {
  /** Where to listen. */
  readonly host: string;
  /** The port to listen on; 0 lets the system choose. */
  readonly port: number;
  /** How callers reach the service, without a final slash; undefined: what each request says. */
  readonly publicBaseUrl: string | undefined;
  /** What to do with request parameters that no method on the path knows. */
  readonly unknownParameters: "reject" | "ignore";
  /** MMDB files with locations; undefined: those that come with the service. */
  readonly geoIpCityFiles: readonly string[] | undefined;
  /** MMDB files with autonomous systems; undefined: the one that comes with the service. */
  readonly geoIpAsnFiles: readonly string[] | undefined;
  /** The file with the hashes of API keys; undefined: no key is asked for. */
  readonly apiKeysFile: string | undefined;
  /** How many processes serve. */
  readonly workers: number;
  /** How long calls under way get to finish when the service stops, in milliseconds. */
  readonly gracePeriod: number;
}

/** One setting, read from the environment variable of its name. */
interface Setting<T> {
  readonly name: string;
  /** Reads what the variable has, or undefined when it is unset or empty. */
  readonly read: (text: string | undefined) => Result<T, Failure<"INVALID_SETTING">>;
}

/**
 * Reads the settings from environment variables. An empty variable counts as unset. The failure's description names
 * every wrong setting and says what is allowed.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
): Result<Config, Failure<"INVALID_SETTING">> {
  const problems: string[] = [];
  const read = <T>({ name, read }: Setting<T>, whenWrong: T): T => {
    const result = read(env[name] === "" ? undefined : env[name]);
    if (result.ok) {
      return result.value;
    }
    problems.push(`${name} ${result.failure.description}`);
    return whenWrong;
  };
  const config: Config = {
    host: read(HOST, ""),
    port: read(PORT, 0),
    publicBaseUrl: read(PUBLIC_BASE_URL, undefined),
    unknownParameters: read(UNKNOWN_PARAMETERS, "reject"),
    geoIpCityFiles: read(fileList("GEOIP_CITY_FILES"), undefined),
    geoIpAsnFiles: read(fileList("GEOIP_ASN_FILES"), undefined),
    apiKeysFile: env.API_KEYS_FILE || undefined,
    workers: read(WORKERS, 1),
    gracePeriod: read(GRACE_PERIOD, 0),
  };
  return problems.length === 0 ? ok(Object.freeze(config)) : fail("INVALID_SETTING", problems.join("; "));
}

const HOST: Setting<string> = {
  name: "HOST",
  read: (text = "127.0.0.1") =>
    /[\s/]/.test(text) ? fail("INVALID_SETTING", "must be an IP address or a host name") : ok(text),
};

const PORT: Setting<number> = {
  name: "PORT",
  read: (text = "8080") =>
    /^\d{1,5}$/.test(text) && Number(text) <= 65_535
      ? ok(Number(text))
      : fail("INVALID_SETTING", "must be a number from 0 to 65535"),
};

const PUBLIC_BASE_URL: Setting<string | undefined> = {
  name: "PUBLIC_BASE_URL",
  read: (text) => {
    if (text === undefined) {
      return ok(undefined);
    }
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const valid =
      url !== undefined &&
      /^https?:$/.test(url.protocol) &&
      `${url.username}${url.password}${url.search}${url.hash}` === "";
    return valid
      ? ok(url.href.replace(/\/+$/, ""))
      : fail("INVALID_SETTING", "must be an http or https URL without user, query and fragment");
  },
};

const UNKNOWN_PARAMETERS: Setting<Config["unknownParameters"]> = {
  name: "UNKNOWN_PARAMETERS",
  read: (text = "reject") =>
    text === "reject" || text === "ignore" ? ok(text) : fail("INVALID_SETTING", "must be reject or ignore"),
};

const WORKERS: Setting<number> = {
  name: "WORKERS",
  read: (text = "1") =>
    /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 256
      ? ok(Number(text))
      : fail("INVALID_SETTING", "must be a number from 1 to 256"),
};

const GRACE_PERIOD: Setting<number> = {
  name: "GRACE_PERIOD",
  read: (text = "10s") => {
    const [, digits, unit = ""] = /^(\d{1,6})(ms|s|m)$/.exec(text) ?? [];
    const factor = { ms: 1, s: 1_000, m: 60_000 }[unit];
    return factor === undefined
      ? fail("INVALID_SETTING", "must be a duration such as 500ms, 10s or 2m")
      : ok(Number(digits) * factor);
  },
};

function fileList(name: string): Setting<readonly string[] | undefined> {
  return {
    name,
    read: (text) => {
      const files = text?.split(",").map((file) => file.trim());
      return files?.includes("")
        ? fail("INVALID_SETTING", "must be one path, or several joined by commas")
        : ok(files);
    },
  };
}
