import type { DescMethod, Registry } from "@bufbuild/protobuf";
import type { ContextValues } from "@connectrpc/connect";
import { knownOptions, type OptionNames } from "@utility-tools/http-server/portable";
import type { JsonForm } from "../codec/json/form.js";
import type { MapError } from "../errors/to-error.js";
import type { MethodOptions } from "../proto-options.js";
import type { EncodeError } from "../protocols/rest/error.js";
import { ROUTE_OPTIONS, type RouteOptions } from "../routes/route-options.js";
import type { HttpRules } from "../routes/rules/http-rules.js";
import type { MaxRequestBytes } from "../routes/rules/request-limit.js";
import type { TranscodingRouter } from "../routes/served-methods.js";
import type { Exchange } from "./http/exchange.js";
import type { Page, PagesOf, PostPage } from "./http/pages.js";
import type { IncomingRequest, Relay, RequestObserver } from "./http/request-record.js";

/** The default of `clientAddressHeader`. */
export const DEFAULT_CLIENT_ADDRESS_HEADER = "x-forwarded-for";

/** Options that all hosts share: those of `connectNodeAdapter`, and `transcoding`. */
export interface SharedOptions extends RouteOptions {
  /** Route definitions, as for `connectNodeAdapter`. */
  readonly routes: (router: TranscodingRouter) => void;
  /** Serves methods and routes under this prefix, for example `/api`. Default: none. */
  readonly requestPathPrefix?: string | undefined;
  readonly transcoding?: TranscodingOptions | undefined;
}

/** The options of {@link createAdapter}. */
export interface AdapterOptions extends SharedOptions {
  /** Handles requests for which there is no method, route or page. Default: an error in the protocol of the request. */
  readonly fallback?: ((exchange: Exchange) => void) | undefined;
  /** Creates pages that describe the API; `pages` replace them. */
  readonly pagesOf?: PagesOf | undefined;
  /** Context values to extract from the request. */
  readonly contextValues?: ((exchange: Exchange) => ContextValues) | undefined;
}

/** Options of JSON over HTTP, and options for all protocols. */
export interface TranscodingOptions {
  /** What to do with parameters that no method on the path has. Default: `reject`. */
  readonly unknownParameters?: "reject" | "ignore" | undefined;
  /** `google.api.http` rules that override those in proto files. An unknown `selector` throws an Error. */
  readonly rules?: HttpRules | undefined;
  /** Overrides the HTTP options of a method; undefined keeps those of its proto file. */
  readonly methodOptions?: MethodOptions | undefined;
  /** Overrides the `max_request_bytes` of a method; undefined keeps that of its proto file. */
  readonly maxRequestBytes?: MaxRequestBytes | undefined;
  /** The form of JSON in responses over REST. */
  readonly json?: JsonForm | undefined;
  /**
   * Whether requests can have system parameters of Google's APIs: `$alt` (`json`, `json;enum-encoding=int`, `sse`), `$fields`, `$prettyPrint`
   * and `$.xgafv`, also without the `$` where the request has no such field. Default: false.
   * https://cloud.google.com/apis/docs/system-parameters
   */
  readonly systemParameters?: boolean | undefined;
  /**
   * Whether queries and forms can set entries of maps, as `labels[color]=red`. An extension: `google.api.http` has no form for them; this one
   * is grpc-gateway's. Default: false.
   */
  readonly mapParameters?: boolean | undefined;
  /**
   * What to do with a request body where the rule has none. Some clients send one with GET and DELETE. Default: `reject`.
   */
  readonly unexpectedBodies?: "reject" | "ignore" | undefined;
  /**
   * What to do with a body without `Content-Type`: reject it, or read it as JSON. Browsers send such a body to other origins without
   * a preflight request, so with `json`, pages of other origins can call methods that change something. Default: `reject`.
   */
  readonly untypedBodies?: "reject" | "json" | undefined;
  /**
   * Whether the field `update_mask` beside a body is checked, and filled from the members of the body of a PATCH request without one, as
   * AIP-134 says. Default: `fill`.
   */
  readonly updateMasks?: "fill" | "leave" | undefined;
  /**
   * Whether a POST request over REST can stand for GET, PUT, PATCH or DELETE with the header `X-HTTP-Method-Override`, for clients behind
   * proxies that know no other method. Default: false.
   */
  readonly methodOverride?: boolean | undefined;
  /** Whether to throw for rules that cannot be served or that conflict, or to leave their routes out. Default: `throw`. */
  readonly unsupported?: "throw" | "skip" | undefined;
  /** Called with the method and the reason for each route that `skip` leaves out. */
  readonly onUnsupported?: ((method: DescMethod, error: Error) => void) | undefined;
  /** Resolves the types in `google.protobuf.Any`. Default: all types of the files of the services, of their imports, and of google.protobuf. */
  readonly registry?: Registry | undefined;
  /** The `domain` of `google.rpc.ErrorInfo` details that have none. Default: empty. */
  readonly errorDomain?: string | undefined;
  /** Pages and documents by their exact paths. */
  readonly pages?: ReadonlyMap<string, Page | PostPage> | undefined;
  /**
   * Called when the headers of a request have been read, before its body: for example to check API keys. Throws a
   * ConnectError to reject the request. Stays synchronous if it returns no promise.
   */
  readonly onRequest?: ((request: IncomingRequest) => void | Promise<void>) | undefined;
  /** Serves calls in gRPC and gRPC-Web in place of their handlers. For proxies. Default: none. */
  readonly relay?: Relay | undefined;
  /** Observe every request, for logs and metrics. */
  readonly observers?: readonly RequestObserver[] | undefined;
  /** Called with unexpected exceptions, which the client sees as `INTERNAL` without their text. Default: prints them, with the name of the method. */
  readonly onError?: ((error: unknown, method?: DescMethod) => void) | undefined;
  /** Overrides scheme and authority of requests in URLs; no final slash. */
  readonly publicBaseUrl?: string | undefined;
  /**
   * Whether URLs have only hosts of this server, unless `publicBaseUrl` is set: `localhost`, the address of the connection, and what
   * trusted proxies send. Any other `Host` is replaced by the address of the connection. Default: false.
   */
  readonly checkHost?: boolean | undefined;
  /**
   * Converts exceptions of other libraries to errors that the client receives, for example those of a database. Called before
   * `onError`, with what is no ConnectError. Default: none; they become `INTERNAL`.
   */
  readonly mapError?: MapError | undefined;
  /**
   * Returns the form of an error over REST, for example RFC 9457's: `problemDetails`. Default: that of AIP-193. Errors of gRPC,
   * gRPC-Web and Connect keep their form.
   */
  readonly encodeError?: EncodeError | undefined;
  /** IP addresses and CIDR blocks of proxies whose `X-Forwarded-*` headers are honored. Default: none. */
  readonly trustedProxies?: readonly string[] | undefined;
  /**
   * The header in which trusted proxies send the address of the client, in lower case: `x-forwarded-for`, the default, or for example
   * `x-real-ip` or `cf-connecting-ip`.
   */
  readonly clientAddressHeader?: string | undefined;
  /** Origins whose pages may call the server, or `*` for all. Default: none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Whether to generate an ID for requests without one, and to return it as `X-Request-Id`. Default: false. */
  readonly requestIds?: boolean | undefined;
}

/** The names of {@link SharedOptions}. */
export const SHARED_OPTIONS: OptionNames<SharedOptions> = {
  routes: true,
  requestPathPrefix: true,
  transcoding: true,
  ...ROUTE_OPTIONS,
};

const TRANSCODING_OPTIONS: OptionNames<TranscodingOptions> = {
  unexpectedBodies: true,
  untypedBodies: true,
  unknownParameters: true,
  rules: true,
  methodOptions: true,
  maxRequestBytes: true,
  json: true,
  systemParameters: true,
  mapParameters: true,
  updateMasks: true,
  methodOverride: true,
  unsupported: true,
  onUnsupported: true,
  registry: true,
  errorDomain: true,
  pages: true,
  onRequest: true,
  relay: true,
  observers: true,
  onError: true,
  publicBaseUrl: true,
  checkHost: true,
  mapError: true,
  encodeError: true,
  trustedProxies: true,
  clientAddressHeader: true,
  corsOrigins: true,
  requestIds: true,
};

/** Returns a copy of the option `transcoding`. Throws an UnknownOptionError. */
export function readTranscodingOptions(given: TranscodingOptions): TranscodingOptions {
  return knownOptions("transcoding", given, TRANSCODING_OPTIONS);
}
