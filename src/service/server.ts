import { setMaxListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { ConnectRouter, ContextValues } from "@connectrpc/connect";
import {
  createServer,
  healthRoutes,
  type IncomingRequest,
  type Page,
  type PostPage,
  type RequestObserver,
  reflectionRoutes,
  type ServerHealth,
  type TransportOptions,
} from "connect-transcoding";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { mcpPage } from "connect-transcoding/mcp";
import type { OpenApiDocument } from "connect-transcoding/openapi";
import { methodName } from "connect-transcoding/rules";
import { formatAuthority } from "../config/addresses.js";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { once } from "../once.js";
import { chargeMessages } from "../tools/charge-messages.js";
import type { Tool } from "../tools/tool.js";
import { ERROR_DOMAIN } from "./access-names.js";
import type { DocumentedSettings } from "./documentation.js";
import { serverHealth } from "./health.js";
import { mcpOptions } from "./mcp.js";
import { healthPages } from "./pages/health-pages.js";
import { withStartText } from "./pages/start-text.js";
import { apiReferencePages, documentPage, workbenchPages } from "./pages/static-pages.js";

/** The default limit of a request body or message, in bytes. */
const DEFAULT_MAX_REQUEST_BYTES = 64 * 1024;

/** What a server serves, and how. */
export interface StartOptions extends Omit<DocumentedSettings, "maxHeaderBytes" | "maxRequestBytes"> {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** The maximum length of a request body or message in bytes. */
  readonly maxRequestBytes?: number;
  /** Timeouts and limits of connections; defaults as in `DEFAULT_LIMITS`. */
  readonly transport?: TransportOptions;
  /** The tools, which the server closes when it stops. */
  readonly tools: readonly Tool[];
  /** Called before the body of a request is read; throws a ConnectError to reject the request. */
  readonly onRequest?: ((request: IncomingRequest) => void | Promise<void>) | undefined;
  /** Returns values that `onRequest` provides for the handlers of a request. */
  readonly contextValues?: ((request: IncomingRequest) => ContextValues) | undefined;
  readonly observers?: readonly RequestObserver[];
  /** The response at `/metrics`, which does not exist without it. */
  readonly metrics?: () => Promise<{ readonly contentType: string; readonly body: string }>;
  /** IP addresses and CIDR blocks of proxies whose forwarding headers are honored. */
  readonly trustedProxies?: readonly string[];
  /** The header in which they send the address of the client, in lower case. */
  readonly clientAddressHeader?: string;
  /** Origins whose pages may call the service, or `*` for all. */
  readonly corsOrigins?: readonly string[];
  /** Whether the page and the API reference are served. Default: on. */
  readonly webPage?: "on" | "off";
  /** Whether agents can use the tools at `/mcp`. Default: on. */
  readonly mcp?: "on" | "off";
  /** Whether to generate IDs for requests without one. */
  readonly requestIds?: boolean;
  /** The folder of the built web page. Default: that of the package. */
  readonly workbenchFolder?: string;
  /** Called with unexpected exceptions, and the full name of the method if it is known. */
  readonly reportBug: (error: unknown, method?: string) => void;
}

/** A server that accepts requests. */
export interface Server {
  /** Scheme, host and port, no final slash. */
  readonly url: string;
  /** The number of open connections. */
  readonly connections: number;
  /** The state that health checks report. */
  readonly health: ServerHealth;
  /**
   * Reports that it is not ready for `stopDelay` milliseconds, then closes the port and gives requests in progress
   * `gracePeriod` milliseconds. Resolves when all connections are closed.
   */
  stop(gracePeriod: number, stopDelay?: number): Promise<void>;
}

/**
 * Serves tools in every protocol on one port, with health checks, reflection, the API document and the workbench. Throws
 * an Error if the HTTP rules of the services contradict their messages or one another.
 */
export async function startServer(options: StartOptions): Promise<Result<Server, Failure<"CANNOT_LISTEN">>> {
  const { host, tools, maxRequestBytes = DEFAULT_MAX_REQUEST_BYTES, reportBug } = options;
  const stopping = new AbortController();
  // Every watcher of the health service waits for it.
  setMaxListeners(0, stopping.signal);
  const health = serverHealth(tools, stopping.signal);
  const services = tools.map(({ service }) => service);
  const routes = (router: ConnectRouter): void => {
    for (const tool of tools) {
      tool.routes(router);
    }
    healthRoutes(health)(router);
    reflectionRoutes([...services, Health], { interceptors: [chargeMessages] })(router);
  };
  // Only people and generators of clients request it, so it does not delay the start.
  const document = once(async () => {
    const { loadDocumentation, serviceDocument } = await import("./documentation.js");
    return serviceDocument(services, loadDocumentation(), {
      ...options,
      maxRequestBytes,
      maxHeaderBytes: options.transport?.maxHeaderBytes,
    });
  });
  const server = createServer({
    routes,
    readMaxBytes: maxRequestBytes,
    // No tool uses them, and 100,000 take 200 ms.
    binaryOptions: { readUnknownFields: false },
    contextValues: options.contextValues,
    transport: options.transport,
    transcoding: {
      unknownParameters: options.unknownParameters,
      methodOptions: options.methodOptions,
      errorDomain: ERROR_DOMAIN,
      pages: new Map<string, Page | PostPage>([
        ["/openapi.json", documentPage(document)],
        ...(options.webPage === "off" ? [] : await webPages(options, document)),
        ...healthPages(health),
        ...(options.mcp === "off" ? [] : [["/mcp", agentsPage(options)] as const]),
        ...(options.metrics === undefined ? [] : [["/metrics", metricsPage(options.metrics)] as const]),
      ]),
      onRequest: options.onRequest,
      observers: options.observers,
      onError: (error, method) => reportBug(error, method && methodName(method)),
      publicBaseUrl: options.publicBaseUrl,
      checkHost: true,
      trustedProxies: options.trustedProxies,
      clientAddressHeader: options.clientAddressHeader,
      corsOrigins: options.corsOrigins,
      requestIds: options.requestIds,
    },
  });
  let port: number;
  try {
    ({ port } = await server.listen(host, options.port));
  } catch (thrown) {
    return fail("CANNOT_LISTEN", thrown instanceof Error ? thrown.message : String(thrown));
  }
  const scheme = options.transport?.tls === undefined ? "http" : "https";
  return ok({
    url: `${scheme}://${formatAuthority(host, port)}`,
    get connections() {
      return server.connections;
    },
    health,
    stop: async (gracePeriod, stopDelay = 0) => {
      stopping.abort();
      for (const tool of tools) {
        tool.close?.();
      }
      if (stopDelay > 0) {
        await wait(stopDelay);
      }
      await server.close(gracePeriod);
    },
  });
}

/** The API reference, and the web page with the text in its place. */
async function webPages(
  { tools, securitySchemes, workbenchFolder }: StartOptions,
  document: () => Promise<OpenApiDocument>,
): Promise<readonly (readonly [string, Page])[]> {
  const reference = await apiReferencePages(document, {
    methods: tools.flatMap(({ service }) => service.methods),
    isLocked: securitySchemes !== undefined,
    pageFolder: workbenchFolder,
  });
  return [...reference, ...withStartText(await workbenchPages(workbenchFolder), document)];
}

/** The page for agents. Pages of the service itself and of `CORS_ORIGINS` may use it. */
function agentsPage({ publicBaseUrl, corsOrigins = [] }: StartOptions): PostPage {
  const origins = publicBaseUrl === undefined ? corsOrigins : [publicBaseUrl, ...corsOrigins];
  return mcpPage({ ...mcpOptions(true), origins });
}

/** Milliseconds that a scrape takes. */
const SCRAPE = 5;

function metricsPage(scrape: NonNullable<StartOptions["metrics"]>): Page {
  return async (request) => {
    await request.turn(SCRAPE);
    const { contentType, body } = await scrape();
    return { status: 200, headers: { "content-type": contentType, "cache-control": "no-store" }, body };
  };
}
