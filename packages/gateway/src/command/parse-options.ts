import { type ParseArgsConfig, parseArgs } from "node:util";
import { isAddressBlock, isOrigin } from "connect-transcoding-operations/settings/addresses";
import {
  AREAS,
  choice,
  commaList,
  HEADER_NAME,
  RATE,
  type SettingValue,
} from "connect-transcoding-operations/settings/values";
import { OptionError, problemText } from "../errors.js";
import {
  DEFAULTS,
  ERROR_FORMS,
  type GatewayOptions,
  JSON_FORMS,
  type JsonWord,
  type UpstreamOptions,
} from "../options.js";

/** What `--errors` and `--json` can be. */
const ERROR_FORM = choice("FORM", Object.keys(ERROR_FORMS) as (keyof typeof ERROR_FORMS)[]);
const JSON_WORD = choice("FORM", Object.keys(JSON_FORMS) as JsonWord[]);
const JSON_WORDS = commaList(
  "FORM",
  `one or more of ${JSON_WORD.allowed}, joined by commas`,
  JSON_WORD.parse,
);

/** What the arguments ask for. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "make-key"; readonly name: string }
  | { readonly kind: "serve"; readonly options: GatewayOptions };

/** Reads one value of a flag. Throws an OptionError if it is not allowed. */
type Read<T> = (text: string, flag: string) => T;

interface Flag<T> {
  /** Without the dashes. */
  readonly name: string;
  /** Reads the values of a flag that is given; undefined for a flag that has none. */
  readonly read: ((texts: readonly string[]) => T) | undefined;
}

/** A flag with one value. Another value would silently replace the first one. */
function one<T>(name: string, read: Read<T>): Flag<T> {
  return {
    name,
    read: ([text = "", ...more]) => {
      if (more.length > 0) {
        throw new OptionError(`--${name} must not be given more than once`);
      }
      return read(text, name);
    },
  };
}

function each<T>(name: string, read: Read<T>): Flag<readonly T[]> {
  return { name, read: (texts) => texts.map((text) => read(text, name)) };
}

/** A flag without a value. */
function isSet(name: string): Flag<boolean> {
  return { name, read: undefined };
}

const SECOND = 1_000;

/** The longest time, in milliseconds: a day. The header of gRPC has eight digits, and timers overflow after 24.8 days. */
const MAX_TIME = 86_400 * SECOND;

const connections = integer(1, 1_048_576);
const bytes = integer(1, 2 ** 31 - 1);
const anyText: Read<string> = (text) => text;

/** Every flag by its option. */
const FLAGS: { readonly [K in Exclude<keyof GatewayOptions, "fileInterval">]: Flag<GatewayOptions[K]> } = {
  upstreams: each("upstream", readUpstream),
  descriptors: each("descriptor", anyText),
  rules: one("rules", anyText),
  host: one("host", readHost),
  port: one("port", integer(0, 65_535)),
  prefix: one("prefix", readPrefix),
  timeout: one("timeout", time(1)),
  upstreamWait: one("upstream-wait", time(0)),
  unknownParameters: one("unknown-parameters", setting(choice("WORD", ["reject", "ignore"]))),
  json: one("json", setting(JSON_WORDS)),
  errors: one("errors", setting(ERROR_FORM)),
  systemParameters: isSet("system-parameters"),
  methodOverride: isSet("method-override"),
  mapParameters: isSet("map-parameters"),
  unexpectedBodies: one("unexpected-bodies", setting(choice("WORD", ["reject", "ignore"]))),
  untypedBodies: one("untyped-bodies", setting(choice("WORD", ["reject", "json"]))),
  mcp: isSet("mcp"),
  updateMasks: one("update-masks", setting(choice("WORD", ["fill", "leave"]))),
  ca: one("ca", anyText),
  cert: one("cert", anyText),
  key: one("key", anyText),
  tlsCert: one("tls-cert", anyText),
  tlsKey: one("tls-key", anyText),
  openApiTitle: one("openapi-title", anyText),
  corsOrigins: each("cors-origin", readOrigin),
  apiKeysFile: one("api-keys-file", anyText),
  openAreas: one("open-areas", setting(AREAS)),
  rateLimit: one("rate-limit", setting(RATE)),
  rateLimitStore: one("rate-limit-store", anyText),
  trustedProxies: each("trusted-proxy", readBlock),
  clientAddressHeader: one("client-address-header", setting(HEADER_NAME)),
  proxyProtocol: isSet("proxy-protocol"),
  logRequests: one("log-requests", setting(choice("WORD", ["none", "failed", "all"]))),
  otlpEndpoint: one("otlp-endpoint", readEndpoint),
  maxConnections: one("max-connections", connections),
  maxConnectionsPerClient: one("max-connections-per-client", connections),
  maxRequestBytes: one("max-request-bytes", bytes),
  maxResponseBytes: one("max-response-bytes", bytes),
  reflectionInterval: one("reflection-interval", time(1_000)),
  stopDelay: one("stop-delay", time(0)),
  gracePeriod: one("grace-period", time(0)),
};

const hasTls = ({ upstreams }: GatewayOptions) => upstreams.some(({ url }) => url.startsWith("https:"));
const WITHOUT_TLS = "without an --upstream with https://";
const WITHOUT_PROXY = "without --trusted-proxy";

/** When a flag that is given has no effect. */
const INEFFECTIVE: readonly (readonly [
  name: string,
  when: string,
  hasNoEffect: (options: GatewayOptions) => boolean,
])[] = [
  ["cert", "without --key", ({ key }) => key === undefined],
  ["key", "without --cert", ({ cert }) => cert === undefined],
  ["tls-cert", "without --tls-key", ({ tlsKey }) => tlsKey === undefined],
  ["tls-key", "without --tls-cert", ({ tlsCert }) => tlsCert === undefined],
  ["ca", WITHOUT_TLS, (options) => !hasTls(options)],
  ["cert", WITHOUT_TLS, (options) => !hasTls(options)],
  ["client-address-header", WITHOUT_PROXY, (options) => options.trustedProxies.length === 0],
  ["proxy-protocol", WITHOUT_PROXY, (options) => options.trustedProxies.length === 0],
  ["open-areas", "without --api-keys-file", ({ apiKeysFile }) => apiKeysFile === undefined],
  ["rate-limit-store", "without --rate-limit", ({ rateLimit }) => rateLimit === undefined],
  ["reflection-interval", "with --descriptor", ({ descriptors }) => descriptors.length > 0],
  [
    "max-connections-per-client",
    "above --max-connections",
    ({ maxConnections, maxConnectionsPerClient = 0 }) => maxConnectionsPerClient > maxConnections,
  ],
];

export const USAGE = `Usage: connect-transcoding-gateway --upstream URL [options]
       connect-transcoding-gateway make-key NAME   create an API key, and its line for --api-keys-file

Serves gRPC servers as REST, gRPC-Web, Connect and gRPC on one port. Times are in seconds.

  --upstream [PREFIX=]URL     a gRPC server, such as http://127.0.0.1:50051; PREFIX is the beginning of the full
                              names of its services; repeatable
  --descriptor FILE           a descriptor set of protoc or buf, in place of server reflection; repeatable
  --rules FILE                a service configuration (YAML or JSON), whose http section replaces or adds rules
  --host HOST                 the address of the port (default ${DEFAULTS.host})
  --port PORT                 the port (default ${DEFAULTS.port}; 0 selects a free one)
  --prefix PATH               the path before all methods and routes, such as /api
  --timeout SECONDS           the deadline of calls that have none (default: none)
  --upstream-wait SECONDS     how long calls wait for a connection to an upstream that restarts (default ${DEFAULTS.upstreamWait / 1000})
  --unknown-parameters WORD   reject or ignore: parameters that a method does not have (default ${DEFAULTS.unknownParameters})
  --json FORM[,...]           JSON over REST with proto-names, enum-numbers, omit-defaults or number-longs
  --errors FORM               errors over REST as in aip-193, rfc-9457 or grpc-gateway (default ${DEFAULTS.errors})
  --system-parameters         accept $alt, $fields, $prettyPrint and $.xgafv, as Google's servers do
  --method-override           let POST stand for another method by X-HTTP-Method-Override
  --map-parameters            accept entries of maps in queries, such as labels[color]=red
  --unexpected-bodies WORD    reject or ignore: a body where the rule has none (default ${DEFAULTS.unexpectedBodies})
  --untyped-bodies WORD       reject or json: a body without a content type (default ${DEFAULTS.untypedBodies})
  --mcp                       serve the methods as tools for agents at /mcp (Model Context Protocol)
  --update-masks WORD         fill or leave: an update mask that PATCH does not have (default ${DEFAULTS.updateMasks})
  --ca FILE                   certificates of authorities for upstreams with https
  --cert FILE, --key FILE     the certificate and key that upstreams with https ask for
  --tls-cert FILE, --tls-key FILE
                              the certificate and key of the port
  --openapi-title TEXT        the title of /openapi.json (default ${DEFAULTS.openApiTitle})
  --cors-origin ORIGIN        an origin whose pages may call the gateway, or *; repeatable
  --api-keys-file FILE        hashes of API keys; with it, requests need a key; reloaded when it changes
  --open-areas AREA[,...]     what needs no key: docs, reflection, metrics (default: none of them)
  --rate-limit REQUESTS/TIME  the requests of a key or an address in a time, such as 6000/1m (default: no limit)
  --rate-limit-store URL      Redis or Valkey that shares the counters of several gateways
  --trusted-proxy BLOCK       an address or a CIDR block of a proxy whose forwarding headers are honored; repeatable
  --client-address-header NAME
                              the header in which they send the address of the client (default x-forwarded-for)
  --proxy-protocol            their connections begin with a PROXY protocol header, version 1 or 2
  --log-requests WORD         none, failed or all: the requests that get a line of JSON (default ${DEFAULTS.logRequests})
  --otlp-endpoint URL         an OpenTelemetry collector that receives a span for each request over HTTP
  --max-connections N         the limit of connections (default ${DEFAULTS.maxConnections}); if they are all in use, the client with the most loses one
  --max-connections-per-client N
                              the limit of connections of a client address (default: none)
  --max-request-bytes N       the limit of a request or its messages (default ${DEFAULTS.maxRequestBytes})
  --max-response-bytes N      the limit of a response message (default ${DEFAULTS.maxResponseBytes})
  --reflection-interval SECONDS
                              how often upstreams are asked for descriptors (default ${DEFAULTS.reflectionInterval / 1000})
  --stop-delay SECONDS        after SIGTERM, how long /readyz fails before the port closes (default ${DEFAULTS.stopDelay})
  --grace-period SECONDS      how long calls may take after that (default ${DEFAULTS.gracePeriod / 1000})
  -h, --help                  show this help
  -v, --version               show the version
`;

/** Reads the arguments of the command. Throws an OptionError for the first that is invalid. */
export function parseOptions(args: readonly string[]): Command {
  const [command, name, ...rest] = args;
  if (command === "make-key") {
    if (name === undefined || rest.length > 0) {
      throw new OptionError("make-key needs one name, for example make-key ci");
    }
    return { kind: "make-key", name };
  }
  const values = readArguments(args);
  if (values.help === true || values.version === true) {
    return { kind: values.help === true ? "help" : "version" };
  }
  const given = Object.entries<Flag<unknown>>(FLAGS).flatMap(([option, flag]) => {
    const value = values[flag.name];
    return value === undefined ? [] : [[option, Array.isArray(value) ? flag.read?.(value) : value]];
  });
  // Each flag reads the type of its option.
  const options = { upstreams: [], ...DEFAULTS, ...(Object.fromEntries(given) as Partial<GatewayOptions>) };
  checkUpstreams(options.upstreams);
  for (const [name, when, hasNoEffect] of INEFFECTIVE) {
    if (values[name] !== undefined && hasNoEffect(options)) {
      throw new OptionError(`--${name} has no effect ${when}`);
    }
  }
  return { kind: "serve", options };
}

function readArguments(args: readonly string[]): Readonly<Record<string, unknown>> {
  const options: NonNullable<ParseArgsConfig["options"]> = {
    help: { type: "boolean", short: "h" },
    version: { type: "boolean", short: "v" },
  };
  for (const { name, read } of Object.values<Flag<unknown>>(FLAGS)) {
    options[name] = read === undefined ? { type: "boolean" } : { type: "string", multiple: true };
  }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (thrown) {
    throw new OptionError(problemText(thrown));
  }
}

/** Throws an OptionError unless each upstream has a prefix of its own. */
function checkUpstreams(upstreams: readonly UpstreamOptions[]): void {
  if (upstreams.length === 0) {
    throw new OptionError("--upstream is required, for example --upstream http://127.0.0.1:50051");
  }
  for (const [index, { prefix }] of upstreams.entries()) {
    if (upstreams.findIndex((other) => other.prefix === prefix) !== index) {
      throw new OptionError(
        prefix === ""
          ? "only one --upstream can be without a prefix; write PREFIX=URL for the others"
          : `two of --upstream have the prefix ${prefix}`,
      );
    }
  }
}

/** Messages do not repeat URLs, which can have passwords. */
function readUpstream(text: string): UpstreamOptions {
  const [, prefix = "", address = ""] = /^(?:([^=:/]*)=)?(.*)$/s.exec(text) ?? [];
  if (!/^(?:\w+(?:\.\w+)*\.?)?$/.test(prefix)) {
    throw new OptionError(
      `--upstream ${prefix}=…: the prefix is the beginning of the full name of a service`,
    );
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new OptionError("--upstream: the URL must begin with http:// or https://");
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "") {
    throw new OptionError("--upstream: the URL must have a host and a port alone");
  }
  return { prefix: prefix.replace(/\.$/, ""), url: url.origin };
}

function readHost(text: string): string {
  if (text === "") {
    throw new OptionError("--host: needs an address or a name, such as 127.0.0.1");
  }
  return text;
}

function readPrefix(text: string): string {
  if (!/^(?:\/[\w.~-]+)*\/?$/.test(text)) {
    throw new OptionError(`--prefix ${text}: a prefix is a path such as /api`);
  }
  return text.replace(/\/$/, "");
}

function readOrigin(text: string): string {
  if (text !== "*" && !isOrigin(text)) {
    throw new OptionError(`--cors-origin ${text}: an origin is * or such as https://www.example.com`);
  }
  return text;
}

function readBlock(text: string): string {
  if (!isAddressBlock(text)) {
    throw new OptionError(
      `--trusted-proxy ${text}: must be an IP address or a CIDR block such as 10.0.0.0/8`,
    );
  }
  return text;
}

function readEndpoint(text: string): string {
  if (!(URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))) {
    throw new OptionError("--otlp-endpoint: the URL must begin with http:// or https://");
  }
  return text;
}

/** Reads a value as the service of this project does. */
function setting<T>(value: SettingValue<T>): Read<T> {
  return (text, flag) => {
    const parsed = value.parse(text);
    if (parsed === undefined) {
      throw new OptionError(`--${flag} ${text}: must be ${value.allowed}`);
    }
    return parsed;
  };
}

/** Reads seconds as milliseconds. */
function time(least: number): Read<number> {
  return (text, flag) => {
    const milliseconds = /^\d+(?:\.\d+)?$/.test(text) ? Math.round(Number(text) * SECOND) : Number.NaN;
    if (!(milliseconds >= least && milliseconds <= MAX_TIME)) {
      throw new OptionError(
        `--${flag} ${text}: allowed are ${least / SECOND} to ${MAX_TIME / SECOND} seconds`,
      );
    }
    return milliseconds;
  };
}

function integer(least: number, most: number): Read<number> {
  return (text, flag) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      throw new OptionError(`--${flag} ${text}: allowed are integers from ${least} to ${most}`);
    }
    return value;
  };
}
