import { isIP } from "node:net";
import { parseArgs } from "node:util";
import {
  AREAS,
  choice,
  commaList,
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

/** The requests that `--log-requests` can name. */
const LOGGED = choice("WORD", ["none", "failed", "all"]);

/** What `--unknown-parameters` can be. */
const UNKNOWN = choice("WORD", ["reject", "ignore"]);

/** What `--errors` and `--update-masks` can be. */
const ERRORS = choice("FORM", Object.keys(ERROR_FORMS) as (keyof typeof ERROR_FORMS)[]);
const MASKS = choice("WORD", ["fill", "leave"]);

/** What `--json` can be. */
const JSON_WORD = choice("FORM", Object.keys(JSON_FORMS) as JsonWord[]);
const JSON_WORDS = commaList(
  "FORM",
  `one or more of ${JSON_WORD.allowed}, joined by commas`,
  JSON_WORD.parse,
);

const FLAGS = {
  upstream: { type: "string", multiple: true },
  descriptor: { type: "string", multiple: true },
  rules: { type: "string" },
  host: { type: "string" },
  port: { type: "string" },
  prefix: { type: "string" },
  timeout: { type: "string" },
  "upstream-wait": { type: "string" },
  "unknown-parameters": { type: "string" },
  json: { type: "string" },
  errors: { type: "string" },
  "system-parameters": { type: "boolean" },
  "method-override": { type: "boolean" },
  "update-masks": { type: "string" },
  ca: { type: "string" },
  cert: { type: "string" },
  key: { type: "string" },
  "tls-cert": { type: "string" },
  "tls-key": { type: "string" },
  "openapi-title": { type: "string" },
  "cors-origin": { type: "string", multiple: true },
  "api-keys-file": { type: "string" },
  "open-areas": { type: "string" },
  "rate-limit": { type: "string" },
  "rate-limit-store": { type: "string" },
  "trusted-proxy": { type: "string", multiple: true },
  "log-requests": { type: "string" },
  "otlp-endpoint": { type: "string" },
  "max-connections": { type: "string" },
  "max-connections-per-client": { type: "string" },
  "max-request-bytes": { type: "string" },
  "max-response-bytes": { type: "string" },
  "reflection-interval": { type: "string" },
  "stop-delay": { type: "string" },
  "grace-period": { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

/** What the arguments ask for. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "make-key"; readonly name: string }
  | { readonly kind: "serve"; readonly options: GatewayOptions };

/** The usage text. */
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

/** The longest time, in milliseconds: a day. The header of gRPC has eight digits, and timers overflow after 24.8 days. */
const MAX_TIME = 86_400_000;

/** Reads the arguments of the command. Throws an OptionError for the first that is invalid. */
export function parseOptions(args: readonly string[]): Command {
  const [command, name, ...rest] = args;
  if (command === "make-key") {
    if (name === undefined || rest.length > 0) {
      throw new OptionError("make-key needs one name, for example make-key ci");
    }
    return { kind: "make-key", name };
  }
  const flags = readFlags(args);
  if (flags.help === true || flags.version === true) {
    return { kind: flags.help === true ? "help" : "version" };
  }
  const options: GatewayOptions = {
    upstreams: readUpstreams(flags.upstream ?? []),
    descriptors: flags.descriptor ?? [],
    rules: flags.rules,
    host: flags.host ?? DEFAULTS.host,
    port: readInteger("port", flags.port, 0, 65_535) ?? DEFAULTS.port,
    prefix: readPrefix(flags.prefix ?? ""),
    timeout: readTime("timeout", flags.timeout, 1),
    upstreamWait: readTime("upstream-wait", flags["upstream-wait"], 0) ?? DEFAULTS.upstreamWait,
    unknownParameters:
      readValue("unknown-parameters", flags["unknown-parameters"], UNKNOWN) ?? DEFAULTS.unknownParameters,
    json: readValue("json", flags.json, JSON_WORDS) ?? DEFAULTS.json,
    errors: readValue("errors", flags.errors, ERRORS) ?? DEFAULTS.errors,
    systemParameters: flags["system-parameters"] ?? DEFAULTS.systemParameters,
    methodOverride: flags["method-override"] ?? DEFAULTS.methodOverride,
    updateMasks: readValue("update-masks", flags["update-masks"], MASKS) ?? DEFAULTS.updateMasks,
    ca: flags.ca,
    cert: flags.cert,
    key: flags.key,
    tlsCert: flags["tls-cert"],
    tlsKey: flags["tls-key"],
    openApiTitle: flags["openapi-title"] ?? DEFAULTS.openApiTitle,
    corsOrigins: (flags["cors-origin"] ?? []).map(readOrigin),
    apiKeysFile: flags["api-keys-file"],
    openAreas: readValue("open-areas", flags["open-areas"], AREAS) ?? DEFAULTS.openAreas,
    rateLimit: readValue("rate-limit", flags["rate-limit"], RATE),
    rateLimitStore: flags["rate-limit-store"],
    trustedProxies: (flags["trusted-proxy"] ?? []).map(readBlock),
    logRequests: readValue("log-requests", flags["log-requests"], LOGGED) ?? DEFAULTS.logRequests,
    otlpEndpoint: readEndpoint(flags["otlp-endpoint"]),
    maxConnections: readConnections("max-connections", flags["max-connections"]) ?? DEFAULTS.maxConnections,
    maxConnectionsPerClient: readConnections(
      "max-connections-per-client",
      flags["max-connections-per-client"],
    ),
    maxRequestBytes: readBytes("max-request-bytes", flags["max-request-bytes"]) ?? DEFAULTS.maxRequestBytes,
    maxResponseBytes:
      readBytes("max-response-bytes", flags["max-response-bytes"]) ?? DEFAULTS.maxResponseBytes,
    reflectionInterval:
      readTime("reflection-interval", flags["reflection-interval"], 1_000) ?? DEFAULTS.reflectionInterval,
    fileInterval: DEFAULTS.fileInterval,
    stopDelay: readTime("stop-delay", flags["stop-delay"], 0) ?? DEFAULTS.stopDelay,
    gracePeriod: readTime("grace-period", flags["grace-period"], 0) ?? DEFAULTS.gracePeriod,
  };
  checkPair("cert", options.cert, "key", options.key);
  checkPair("tls-cert", options.tlsCert, "tls-key", options.tlsKey);
  return { kind: "serve", options };
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, allowPositionals: false }).values;
  } catch (thrown) {
    throw new OptionError(problemText(thrown));
  }
}

function readUpstreams(texts: readonly string[]): UpstreamOptions[] {
  if (texts.length === 0) {
    throw new OptionError("--upstream is required, for example --upstream http://127.0.0.1:50051");
  }
  const upstreams = texts.map(readUpstream);
  for (const [index, { prefix }] of upstreams.entries()) {
    if (upstreams.findIndex((other) => other.prefix === prefix) !== index) {
      throw new OptionError(
        prefix === ""
          ? "only one --upstream can be without a prefix; write PREFIX=URL for the others"
          : `two of --upstream have the prefix ${prefix}`,
      );
    }
  }
  return upstreams;
}

function readUpstream(text: string): UpstreamOptions {
  const [, prefix = "", address = ""] = /^(?:([^=:/]*)=)?(.*)$/s.exec(text) ?? [];
  if (!/^(?:\w+(?:\.\w+)*\.?)?$/.test(prefix)) {
    throw new OptionError(`--upstream ${text}: the prefix is the beginning of the full name of a service`);
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new OptionError(`--upstream ${text}: the URL must begin with http:// or https://`);
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "") {
    throw new OptionError(`--upstream ${text}: the URL must have a host and a port alone`);
  }
  return { prefix: prefix.replace(/\.$/, ""), url: url.origin };
}

function readPrefix(text: string): string {
  if (!/^(?:\/[\w.~-]+)*\/?$/.test(text)) {
    throw new OptionError(`--prefix ${text}: a prefix is a path such as /api`);
  }
  return text.replace(/\/$/, "");
}

function readOrigin(text: string): string {
  if (text !== "*" && !(URL.canParse(text) && new URL(text).origin === text)) {
    throw new OptionError(`--cors-origin ${text}: an origin is * or such as https://www.example.com`);
  }
  return text;
}

/** Reads a value as the service of this project does. */
function readValue<T>(flag: string, text: string | undefined, value: SettingValue<T>): T | undefined {
  if (text === undefined) {
    return undefined;
  }
  const parsed = value.parse(text);
  if (parsed === undefined) {
    throw new OptionError(`--${flag} ${text}: must be ${value.allowed}`);
  }
  return parsed;
}

function readBlock(text: string): string {
  const [address = "", length, ...rest] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
  if (bits < 0 || !isLength || rest.length > 0) {
    throw new OptionError(
      `--trusted-proxy ${text}: must be an IP address or a CIDR block such as 10.0.0.0/8`,
    );
  }
  return text;
}

function readEndpoint(text: string | undefined): string | undefined {
  if (text !== undefined && !(URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))) {
    throw new OptionError(`--otlp-endpoint ${text}: the URL must begin with http:// or https://`);
  }
  return text;
}

function readTime(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) {
    return undefined;
  }
  const time = /^\d+(?:\.\d+)?$/.test(text) ? Math.round(Number(text) * 1000) : Number.NaN;
  if (!(time >= least && time <= MAX_TIME)) {
    throw new OptionError(`--${flag} ${text}: allowed are ${least / 1000} to ${MAX_TIME / 1000} seconds`);
  }
  return time;
}

function readConnections(flag: string, text: string | undefined): number | undefined {
  return readInteger(flag, text, 1, 1_048_576);
}

function readBytes(flag: string, text: string | undefined): number | undefined {
  return readInteger(flag, text, 1, 2 ** 31 - 1);
}

function readInteger(flag: string, text: string | undefined, least: number, most: number) {
  if (text === undefined) {
    return undefined;
  }
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    throw new OptionError(`--${flag} ${text}: allowed are integers from ${least} to ${most}`);
  }
  return value;
}

function checkPair(first: string, firstValue: unknown, second: string, secondValue: unknown): void {
  if ((firstValue === undefined) !== (secondValue === undefined)) {
    throw new OptionError(`--${first} and --${second} need each other`);
  }
}
