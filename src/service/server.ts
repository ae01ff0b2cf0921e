import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { createRegistry } from "@bufbuild/protobuf";
import {
  type Admission,
  type Area,
  createConnectDoor,
  createConnectLane,
  createFrontDoor,
  createGrpcLane,
  createMethodTable,
  createRestDoor,
  createStaticDoor,
  DEFAULT_REQUEST_BYTES,
  enforceDeadline,
  guard,
  type HttpAnswer,
  healthService,
  listen,
  type MethodImplementation,
  methodPath,
  type Refusal,
  type RequestObserver,
  reflectionServices,
  requestLimit,
  type ServiceImplementation,
  type StaticAnswers,
  splitTarget,
  type TransportOptions,
  trustedProxies,
} from "connect-transcoding";
import { type Documentation, openApiDocument, type SecurityScheme } from "connect-transcoding/openapi";
import { createRouteTable, methodName } from "connect-transcoding/rules";
import { type Failure, ok, type Result } from "../result.js";
import type { Tool } from "../tools/tool.js";
import { serverHealth } from "./health.js";
import { healthPages } from "./pages/health-pages.js";
import { referencePages, workbenchPages } from "./pages/static-pages.js";

/** What a server is made of. */
export interface ServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** How callers reach the server, if that is not what their requests say: no final slash. */
  readonly publicBaseUrl: string | undefined;
  /** What to do with request parameters that no method knows. */
  readonly unknownParameters: "reject" | "ignore";
  /** The longest request body or message, in octets; {@link DEFAULT_REQUEST_BYTES} unless it is said. */
  readonly maxRequestBytes?: number;
  /** What the port does with connections; what is not given is as in `DEFAULT_TRANSPORT`. */
  readonly transport?: Partial<TransportOptions>;
  /** What it serves. The server lets go of them when it stops. */
  readonly tools: readonly Tool[];
  /** Decides which requests may go on, before their messages are read; all of them without any. */
  readonly admissions?: readonly Admission[];
  /** What they refuse requests with, for the document of the API. */
  readonly refusals?: readonly Refusal[];
  /** How callers say who they are, likewise. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> | undefined;
  /** Are told of every request. */
  readonly observers?: readonly RequestObserver[];
  /** What is answered at `/metrics`, where there is nothing without it. */
  readonly metrics?: () => Promise<{ readonly contentType: string; readonly body: string }>;
  /** Addresses and CIDR blocks of proxies that are believed about whom they ask for. */
  readonly trustedProxies?: readonly string[];
  /** Origins whose pages may ask, or `*` for all. */
  readonly corsOrigins?: readonly string[];
  /** Whether answers to requests without an id say which one they were given. */
  readonly tellsRequestIds?: boolean;
  /** What the document of the API says beyond the services' descriptors. */
  readonly documentation: Documentation;
  /** Is told of exceptions that are bugs, with the full name of the method where it is known. */
  readonly reportBug: (bug: unknown, method?: string) => void;
}

/** A server that takes requests. */
export interface Server {
  /** Scheme, host and port it listens on, no final slash. */
  readonly url: string;
  /** How many connections there are. */
  readonly connections: number;
  /**
   * Says that it is not ready, and goes on for `stopDelay` milliseconds; then takes no more requests, and gives those under
   * way `gracePeriod` milliseconds. Resolves when all are gone.
   */
  stop(gracePeriod: number, stopDelay?: number): Promise<void>;
}

/**
 * Starts to serve tools through every door on one port, with health and reflection beside them. Throws an Error
 * when the services' HTTP rules contradict their messages or one another.
 */
export async function startServer(options: ServerOptions): Promise<Result<Server, Failure<"CANNOT_LISTEN">>> {
  const { host, port, publicBaseUrl, unknownParameters, reportBug, trustedProxies: proxies = [] } = options;
  const { tools } = options;
  const limitOfRequests = requestLimit(options.maxRequestBytes ?? DEFAULT_REQUEST_BYTES);
  const leaving = new AbortController();
  // Everyone who watches health waits for it.
  setMaxListeners(0, leaving.signal);
  let isStopping = false;
  const health = serverHealth(tools, leaving.signal);
  const healthCalls = healthService(health);
  const reflection = reflectionServices([...tools, healthCalls].map(({ service }) => service));
  const services = [...tools, healthCalls, ...reflection];
  const methods = createMethodTable(services, [
    guard((bug, { method }) => reportBug(bug, methodName(method))),
    enforceDeadline,
  ]);
  const registry = createRegistry(...services.map(({ service }) => service.file));
  const transcoder = createRouteTable(
    methods.implementations.map(({ method }) => method),
    { unknownParameters, registry },
  );
  const document = openApiDocument(transcoder.bindings, options.documentation, {
    baseUrl: publicBaseUrl,
    requestLimit: limitOfRequests,
    commonErrors: options.refusals ?? [],
    securitySchemes: options.securitySchemes,
  });
  const docs = new Map([...(await referencePages(document)), ...(await workbenchPages())]);
  const probes = healthPages(health);
  const metrics = options.metrics === undefined ? NO_PAGES : metricsPage(options.metrics);
  const areas = new Map<string, Area>([
    ...[...pathsOf([healthCalls]), ...probes.keys()].map((path) => [path, "health"] as const),
    ...pathsOf(reflection).map((path) => [path, "reflection"] as const),
    ...[...docs.keys()].map((path) => [path, "docs"] as const),
    ...[...metrics.keys()].map((path) => [path, "metrics"] as const),
  ]);
  const lane = { methods, requestLimit: limitOfRequests, reportBug };
  const frontDoor = createFrontDoor({
    pages: createStaticDoor(new Map([...docs, ...probes, ...metrics]), reportBug),
    rest: createRestDoor({ ...lane, transcoder }),
    grpcLane: createGrpcLane(lane),
    connectLane: createConnectLane({ ...lane, unknownParameters, registry }),
    connect: createConnectDoor({ ...lane, unknownParameters, registry }),
    publicBaseUrl,
    areaOf: (path) => areas.get(path),
    admissions: options.admissions ?? [],
    observers: options.observers ?? [],
    corsOrigins: options.corsOrigins ?? [],
    tellsRequestIds: options.tellsRequestIds ?? false,
    proxies: proxies.length === 0 ? undefined : trustedProxies(proxies),
    newRequestId: randomUUID,
    isStopping: () => isStopping,
    reportBug,
  });
  const openEnded = new Set(pathsOf(services, takesRequestStream));
  const listener = await listen({
    host,
    port,
    frontDoor,
    transport: {
      ...options.transport,
      isOpenEnded: (headers) => openEnded.has(splitTarget(headers[":path"] ?? "").path),
    },
  });
  if (!listener.ok) {
    return listener;
  }
  const { address, stopAccepting, close } = listener.value;
  const scheme = options.transport?.tls === undefined ? "http" : "https";
  return ok({
    url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    get connections() {
      return listener.value.connections;
    },
    stop: async (gracePeriod, stopDelay = 0) => {
      leaving.abort();
      for (const tool of tools) {
        tool.close?.();
      }
      if (stopDelay > 0) {
        await wait(stopDelay);
      }
      await stopAccepting();
      isStopping = true;
      await close(gracePeriod);
    },
  });
}

const NO_PAGES: StaticAnswers = new Map();

function metricsPage(scrape: NonNullable<ServerOptions["metrics"]>): StaticAnswers {
  const answer = async (): Promise<HttpAnswer> => {
    const { contentType, body } = await scrape();
    return { status: 200, headers: { "content-type": contentType, "cache-control": "no-store" }, body };
  };
  return new Map([["/metrics", answer]]);
}

function pathsOf(
  services: readonly ServiceImplementation[],
  isWanted: (implementation: MethodImplementation) => boolean = () => true,
): string[] {
  return services.flatMap(({ methods }) => methods.filter(isWanted).map(({ method }) => methodPath(method)));
}

function takesRequestStream({ kind }: MethodImplementation): boolean {
  return kind === "client_streaming" || kind === "bidi_streaming";
}
