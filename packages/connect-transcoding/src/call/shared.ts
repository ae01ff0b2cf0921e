import { trustedProxies } from "#platform";
import { printException } from "../errors/print-exception.js";
import { createToError } from "../errors/to-error.js";
import type { CodecOptions } from "../protocols/codecs.js";
import { createErrorWriter, type ErrorWriter } from "../protocols/rest/error.js";
import { type AcceptRest, createRestAcceptor } from "../protocols/rest/request.js";
import { type AcceptRpc, createRpcAcceptor } from "../protocols/rpc.js";
import { createRouteTable, type RouteTable } from "../routes/route-table.js";
import {
  collectMethods,
  registryOfFiles,
  type ServedMethod,
  servedMethods,
} from "../routes/served-methods.js";
import type { CallOptions } from "./call.js";
import { type Caller, createCallers } from "./caller.js";
import { createCors, type HandleCors } from "./http/cors.js";
import type { Exchange, ExchangeOptions } from "./http/exchange.js";
import { createPageHandler, type ServePage } from "./http/pages.js";
import type { Protocol, Relay } from "./http/request-record.js";
import { createUrlReader, type RequestUrl } from "./http/url.js";
import { createInvoker, type Invoke } from "./invoke.js";
import {
  type AdapterOptions,
  DEFAULT_CLIENT_ADDRESS_HEADER,
  readTranscodingOptions,
  type TranscodingOptions,
} from "./options.js";

/** What is at a path that is no `google.api.http` route. */
export type PathEntry =
  | {
      readonly kind: "method";
      readonly served: ServedMethod;
      readonly accept: AcceptRpc;
      readonly relay: Relay | undefined;
    }
  | { readonly kind: "page"; readonly protocol: Protocol; readonly serve: ServePage };

/** What the requests of one adapter share. */
export interface Shared {
  readonly options: TranscodingOptions;
  readonly fallback: AdapterOptions["fallback"];
  /** The path before all methods and routes. */
  readonly prefix: string;
  readonly routeTable: RouteTable;
  readonly acceptRest: AcceptRest;
  readonly paths: ReadonlyMap<string, PathEntry>;
  readonly calls: CallOptions;
  readonly errors: ErrorWriter;
  readonly readUrl: (exchange: Exchange) => RequestUrl;
  readonly handleCors: HandleCors | undefined;
  /** Returns a caller of the methods, for a request that is being served or without one. */
  readonly callerOf: (outer?: Exchange) => Caller;
}

/** Prepares what the requests of an adapter share. Throws an Error if a rule contradicts its messages or another rule. */
export function createShared({
  routes,
  fallback,
  requestPathPrefix: prefix = "",
  contextValues,
  pagesOf = () => new Map(),
  transcoding = {},
  ...routerOptions
}: AdapterOptions): Shared {
  const options = readTranscodingOptions(transcoding);
  const { unknownParameters = "reject", onError = printException, methodOptions, corsOrigins = [] } = options;
  const methods = servedMethods(
    collectMethods(routes, routerOptions),
    options.maxRequestBytes,
    methodOptions,
  );
  const registry = options.registry ?? registryOfFiles(methods.map(({ method }) => method.parent.file));
  const errors = createErrorWriter(options.encodeError, onError, registry);
  const { rules, unsupported, onUnsupported } = options;
  const { json, systemParameters, mapParameters, updateMasks, unexpectedBodies, untypedBodies } = options;
  const reading = { registry, unknownParameters, json, unexpectedBodies, untypedBodies };
  const routeTable = createRouteTable(
    methods.map(({ method }) => method),
    {
      ...reading,
      rules,
      methodOptions,
      unsupported,
      onUnsupported,
      systemParameters,
      mapParameters,
      updateMasks,
    },
  );
  const invokers = new Map<ServedMethod, Invoke>(
    methods.map((served) => [served, createInvoker(served.spec, served.options.interceptors ?? [])]),
  );
  const calls: CallOptions = {
    contextValues,
    toError: createToError(options.errorDomain ?? "", onError, options.mapError),
    invokerOf: (served) => invokers.get(served) ?? createInvoker(served.spec, []),
  };
  const { bindings } = routeTable;
  const exchangeOptions = exchangeOptionsOf(options);
  const { publicBaseUrl } = options;
  const callerOf = createCallers({
    methods,
    bindings,
    routeOptions: reading,
    calls,
    exchangeOptions,
    publicBaseUrl,
  });
  const pages = new Map([...pagesOf({ bindings, methods }), ...(options.pages ?? [])]);
  return {
    options,
    fallback,
    prefix,
    routeTable,
    acceptRest: createRestAcceptor(routeTable, methods, prefix, errors),
    paths: pathsOf(methods, prefix, { ...options, pages }, { unknownParameters, registry }, callerOf),
    calls,
    errors,
    readUrl: createUrlReader(options.publicBaseUrl, options.checkHost),
    handleCors: corsOrigins.length === 0 ? undefined : createCors(corsOrigins),
    callerOf,
  };
}

/** The methods and pages by their paths. Pages replace methods. */
function pathsOf(
  methods: readonly ServedMethod[],
  prefix: string,
  { relay, pages = new Map() }: TranscodingOptions,
  codecOptions: CodecOptions,
  callerOf: Shared["callerOf"],
): ReadonlyMap<string, PathEntry> {
  const paths = new Map<string, PathEntry>();
  for (const served of methods) {
    paths.set(prefix + served.path, {
      kind: "method",
      served,
      accept: createRpcAcceptor(served, codecOptions),
      relay: hasCallOptions(served) ? undefined : relay,
    });
  }
  for (const [path, page] of pages) {
    const protocol = "post" in page ? (page.protocol ?? "page") : "page";
    paths.set(path, { kind: "page", protocol, serve: createPageHandler(page, callerOf) });
  }
  return paths;
}

/** The settings of exchanges, as options of the adapter. */
export function exchangeOptionsOf(options: TranscodingOptions): ExchangeOptions {
  const { trustedProxies: proxies = [], errorDomain = "" } = options;
  return {
    proxies: proxies.length === 0 ? undefined : trustedProxies(proxies),
    clientAddressHeader: options.clientAddressHeader ?? DEFAULT_CLIENT_ADDRESS_HEADER,
    newRequestId: () => crypto.randomUUID(),
    challenge: `Bearer realm="${errorDomain.replace(/[^\w.:/-]/g, "")}"`,
  };
}

/** Whether a method has options for calls in gRPC and gRPC-Web. A relay would ignore them. */
function hasCallOptions({ options }: ServedMethod): boolean {
  const { requestGate, interceptors = [], maxTimeoutMs, writeMaxBytes, grpc, grpcWeb } = options;
  return (
    [requestGate, maxTimeoutMs, writeMaxBytes].some((option) => option !== undefined) ||
    interceptors.length > 0 ||
    grpc === false ||
    grpcWeb === false
  );
}
