import { createRegistry, type Message } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import {
  type JsonForm,
  type Page,
  type PostPage,
  reflectionRoutes,
  requestLimit,
  type SharedOptions,
} from "connect-transcoding";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { mcpPage } from "connect-transcoding/mcp";
import { type Comments, commentsOf, openApiDocument } from "connect-transcoding/openapi";
import { referencePages } from "connect-transcoding/reference";
import { createRouteTable, ERROR_FILES, methodName, registryOf } from "connect-transcoding/rules";
import type { DescribedAccess } from "connect-transcoding-operations/access/access";
import type { Descriptors } from "../descriptors/sources.js";
import { problemText } from "../errors.js";
import { ERROR_FORMS, type GatewayOptions, JSON_FORMS } from "../options.js";
import { type ProxiedService, proxyRoutes } from "../proxy/routes.js";
import { type Upstream, upstreamOf } from "../proxy/upstream.js";
import { createRelay } from "../relay/relay.js";
import { gatewayVersion } from "../version.js";

/** The routes of some descriptors, and the pages that describe them. */
export interface Api {
  readonly routes: (router: ConnectRouter) => void;
  readonly transcoding: NonNullable<SharedOptions["transcoding"]>;
  /** The OpenAPI document, the API reference, and the endpoint for agents. */
  readonly pages: ReadonlyMap<string, Page | PostPage>;
  /** The number of services and of HTTP bindings. */
  readonly services: number;
  readonly bindings: number;
}

/**
 * Creates the API of some descriptors. Rules that cannot be served are left out, with a line in the log. Throws an Error if the descriptors
 * contradict each other.
 */
export function createApi(
  { groups, rules }: Descriptors,
  upstreams: readonly Upstream[],
  options: Pick<
    GatewayOptions,
    | "openApiTitle"
    | "maxRequestBytes"
    | "maxResponseBytes"
    | "timeout"
    | "upstreamWait"
    | "prefix"
    | "unknownParameters"
    | "json"
    | "errors"
    | "systemParameters"
    | "methodOverride"
    | "mapParameters"
    | "unexpectedBodies"
    | "untypedBodies"
    | "updateMasks"
    | "mcp"
    | "corsOrigins"
  > &
    DescribedAccess,
  log: (line: string) => void,
): Api {
  const registries = groups.map(({ files }) => registryOf(files));
  // What comes last replaces types with the same name.
  const registry = createRegistry(...ERROR_FILES, ...registries);
  const proxied = new Map<string, ProxiedService>();
  for (const [index, { services }] of groups.entries()) {
    for (const [name, upstream] of services) {
      const service = registries[index]?.getService(name);
      if (service === undefined) {
        log(`${upstream.url} has no descriptor of ${name}, which is not served`);
      } else if (!proxied.has(name)) {
        proxied.set(name, { service, upstreamOf: () => upstream });
      }
    }
  }
  const services = [...proxied.values()];
  const methods = services.flatMap(({ service }) => service.methods);
  const names = new Set(methods.map(methodName));
  const known = rules.filter(({ selector = "" }) => {
    if (!names.has(selector) && groups.length > 0) {
      log(`ignored a rule for ${selector}, which is no method of an upstream`);
    }
    return names.has(selector);
  });
  const { unknownParameters, systemParameters, mapParameters } = options;
  const json: JsonForm = Object.assign({}, ...options.json.map((word) => JSON_FORMS[word]));
  const errorForm = ERROR_FORMS[options.errors];
  const routing = {
    registry,
    rules: known,
    unsupported: "skip",
    unknownParameters,
    json,
    systemParameters,
    mapParameters,
    updateMasks: options.updateMasks,
  } as const;
  const { bindings } = createRouteTable(methods, {
    ...routing,
    onUnsupported: (method, error) => log(`left out a route of ${methodName(method)}: ${problemText(error)}`),
  });
  const calls = {
    timeout: options.timeout,
    wait: options.upstreamWait,
    maxResponseBytes: options.maxResponseBytes,
  };
  const relay = createRelay({
    ...calls,
    upstreams: new Map([...proxied].map(([name, { upstreamOf }]) => [name, upstreamOf(undefined)])),
    maxRequestBytes: options.maxRequestBytes,
  });
  const routes = proxyRoutes([...services, healthOf(upstreams)], { registry, ...calls });
  const comments = commentsOf(groups.flatMap(({ files }) => files.file));
  const document = openApiDocument(
    bindings,
    { info: { title: options.openApiTitle, version: "1.0.0", description: "" }, comments },
    {
      baseUrl: options.prefix === "" ? undefined : options.prefix,
      unknownParameters,
      json,
      systemParameters,
      mapParameters,
      errorForm,
      requestLimit: requestLimit(options.maxRequestBytes),
      rejections: options.rejections,
      securitySchemes: options.securitySchemes,
    },
  );
  return {
    routes: (router) => {
      routes(router);
      reflectionRoutes([...services.map(({ service }) => service), Health])(router);
    },
    transcoding: {
      ...routing,
      relay,
      methodOverride: options.methodOverride,
      unexpectedBodies: options.unexpectedBodies,
      untypedBodies: options.untypedBodies,
      encodeError: errorForm?.encodeError,
    },
    pages: new Map<string, Page | PostPage>([
      ...referencePages(document, { methods, baseUrl: options.prefix.slice(1) }),
      ...(options.mcp ? [["/mcp", agentsPage(options, comments)] as const] : []),
    ]),
    services: services.length,
    bindings: bindings.length,
  };
}

function agentsPage(
  { openApiTitle, corsOrigins }: Pick<GatewayOptions, "openApiTitle" | "corsOrigins">,
  comments: Comments,
): PostPage {
  return mcpPage({ info: { name: openApiTitle, version: gatewayVersion() }, comments, origins: corsOrigins });
}

/** The health service, which asks the upstream of the service in the request, or the first one. */
function healthOf(upstreams: readonly Upstream[]): ProxiedService {
  const [first] = upstreams;
  if (first === undefined) {
    throw new Error("a gateway needs an upstream");
  }
  const serviceIn = (request: Message | undefined): string =>
    request !== undefined && "service" in request ? String(request.service) : "";
  return { service: Health, upstreamOf: (request) => upstreamOf(upstreams, serviceIn(request)) ?? first };
}
