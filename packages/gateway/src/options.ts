import {
  DEFAULT_LIMITS,
  type ErrorForm,
  grpcGatewayErrors,
  type JsonForm,
  problemDetails,
} from "connect-transcoding";
import type { AccessSettings } from "connect-transcoding-operations/access/access";
import type { LoggedRequests } from "connect-transcoding-operations/telemetry/request-log";

/** A gRPC server, and which services it has. */
export interface UpstreamOptions {
  /** The beginning of the full names of its services, for example `shop.v1`; empty for all that no other upstream has. */
  readonly prefix: string;
  /** `http:` or `https:`, without a path. */
  readonly url: string;
}

/** Choices of the form of JSON, by the words of the command line. */
export const JSON_FORMS = {
  "proto-names": { fieldNames: "proto" },
  "enum-numbers": { enums: "numbers" },
  "omit-defaults": { defaults: "omit" },
  "number-longs": { longs: "numbers" },
} as const satisfies Readonly<Record<string, JsonForm>>;

export type JsonWord = keyof typeof JSON_FORMS;

/** Forms of errors over REST, by the words of the command line. */
export const ERROR_FORMS = {
  "aip-193": undefined,
  "rfc-9457": problemDetails,
  "grpc-gateway": grpcGatewayErrors,
} as const satisfies Readonly<Record<string, ErrorForm | undefined>>;

/** Options of a gateway. Times are in milliseconds. */
export interface GatewayOptions extends Omit<AccessSettings, "rateLimitBlock"> {
  readonly upstreams: readonly UpstreamOptions[];
  /** Files with a `google.protobuf.FileDescriptorSet`; without any, the upstreams are asked by server reflection. */
  readonly descriptors: readonly string[];
  /** A YAML or JSON file whose `http` section has `google.api.HttpRule`s. */
  readonly rules: string | undefined;
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** The path before all methods and routes, for example `/api`. */
  readonly prefix: string;
  /** The deadline of calls that have none; undefined for none. */
  readonly timeout: number | undefined;
  /** How long calls wait for a connection to their upstream; with 0, they fail if the first attempt does. */
  readonly upstreamWait: number;
  /** What to do with parameters and members of JSON that a method does not have. */
  readonly unknownParameters: "reject" | "ignore";
  /** The form of JSON in responses over REST: what differs from ProtoJSON's defaults. */
  readonly json: readonly JsonWord[];
  /** The form of errors over REST. */
  readonly errors: keyof typeof ERROR_FORMS;
  /** Whether requests over REST can have the system parameters of Google's APIs. */
  readonly systemParameters: boolean;
  /** Whether a POST request can stand for another method by `X-HTTP-Method-Override`. */
  readonly methodOverride: boolean;
  /** Whether queries over REST can have entries of maps. */
  readonly mapParameters: boolean;
  /** What to do with the body of a request whose rule has none. */
  readonly unexpectedBodies: "reject" | "ignore";
  /** Whether a body without a content type is JSON. */
  readonly untypedBodies: "reject" | "json";
  /** Whether PATCH requests without an update mask get one with the members of their body. */
  readonly updateMasks: "fill" | "leave";
  /** PEM files for TLS to the upstreams: certificates of authorities, and the certificate and key of the gateway. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** PEM files with the certificate and the key of the port. They are reloaded when they change. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly openApiTitle: string;
  /** Whether agents can use the methods as tools at `/mcp`. */
  readonly mcp: boolean;
  /** Origins whose pages may call the gateway, or `*`. */
  readonly corsOrigins: readonly string[];
  /** IP addresses and CIDR blocks of proxies whose `X-Forwarded-*` headers are honored. */
  readonly trustedProxies: readonly string[];
  /** The header in which they send the address of the client; undefined for `x-forwarded-for`. */
  readonly clientAddressHeader: string | undefined;
  /** Whether their connections begin with a header of the PROXY protocol. */
  readonly proxyProtocol: boolean;
  /** Which requests get a line in the log, as JSON. */
  readonly logRequests: LoggedRequests;
  /** The base URL of an OpenTelemetry collector that receives spans over HTTP; undefined for no spans. */
  readonly otlpEndpoint: string | undefined;
  /** The limits of concurrent connections, and of those of one client address; undefined for none. */
  readonly maxConnections: number;
  readonly maxConnectionsPerClient: number | undefined;
  /** The limits of a request message and of a response message in bytes. */
  readonly maxRequestBytes: number;
  readonly maxResponseBytes: number;
  /** The interval at which the upstreams are asked for their descriptors. */
  readonly reflectionInterval: number;
  /** The interval at which files are checked for changes. */
  readonly fileInterval: number;
  /** On shutdown: how long `/readyz` fails before the port closes, and how long calls may take then. */
  readonly stopDelay: number;
  readonly gracePeriod: number;
}

export const DEFAULTS: Omit<GatewayOptions, "upstreams"> = {
  descriptors: [],
  rules: undefined,
  host: "127.0.0.1",
  port: 8080,
  prefix: "",
  timeout: undefined,
  upstreamWait: 10_000,
  unknownParameters: "reject",
  json: [],
  errors: "aip-193",
  systemParameters: false,
  methodOverride: false,
  mapParameters: false,
  unexpectedBodies: "reject",
  untypedBodies: "reject",
  mcp: false,
  updateMasks: "fill",
  ca: undefined,
  cert: undefined,
  key: undefined,
  tlsCert: undefined,
  tlsKey: undefined,
  openApiTitle: "API",
  corsOrigins: [],
  apiKeysFile: undefined,
  openAreas: [],
  rateLimit: undefined,
  rateLimitStore: undefined,
  trustedProxies: [],
  clientAddressHeader: undefined,
  proxyProtocol: false,
  logRequests: "none",
  otlpEndpoint: undefined,
  maxConnections: DEFAULT_LIMITS.maxConnections,
  maxConnectionsPerClient: undefined,
  maxRequestBytes: 4 * 1024 * 1024,
  maxResponseBytes: 64 * 1024 * 1024,
  reflectionInterval: 60_000,
  fileInterval: 1_000,
  stopDelay: 0,
  gracePeriod: 10_000,
};
