import { randomBytes, X509Certificate } from "node:crypto";
import { plainAddress, type ServerHealth, type TransportOptions } from "connect-transcoding";
import { openAccess } from "connect-transcoding-operations/access/access";
import type { WatchFiles } from "connect-transcoding-operations/files/data-files";
import { type OpenTlsFiles, openTlsFiles } from "connect-transcoding-operations/files/tls-files";
import { formatDuration } from "connect-transcoding-operations/settings/values";
import { reportDroppedConnections } from "connect-transcoding-operations/telemetry/dropped-connections";
import type { Log } from "connect-transcoding-operations/telemetry/log";
import { createRequestLog } from "connect-transcoding-operations/telemetry/request-log";
import { startSpans } from "connect-transcoding-operations/telemetry/spans";
import type { Config } from "../config/config.js";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { packageVersion } from "../installed-package.js";
import { oldSources, oldText, updatedSources } from "../tools/data-age.js";
import { loadTools } from "../tools/load-tools.js";
import { ageInDays, type DataSource, type Tool, type ToolEvent } from "../tools/tool.js";
import { ACCESS_NAMES, SERVICE_NAME } from "./access-names.js";
import { cachingOptions } from "./caching.js";
import type { RunningService } from "./process/lifecycle.js";
import { createReloader } from "./reloader.js";
import { type Server, startServer } from "./server.js";
import { metricsWriter } from "./telemetry/cluster-metrics.js";
import { watchForwarding } from "./telemetry/ignored-forwarding.js";
import { createMetrics, type Metrics } from "./telemetry/metrics.js";

/** The options of {@link serve}. */
export interface ServeOptions {
  readonly config: Config;
  readonly log: Log;
  /** Sentences about settings, for a metric. Each begins with the name of the setting. */
  readonly warnings?: readonly string[];
}

/**
 * Creates the service and starts it in this process. The description of a failure names the invalid setting. After a failure the
 * process must end, because resources that are already open stay open.
 */
export async function serve({
  config,
  log,
  warnings = [],
}: ServeOptions): Promise<Result<RunningService, Failure>> {
  const version = packageVersion();
  const tools: Tool[] = [];
  let running: Server | undefined;
  let certificates: OpenTlsFiles | undefined;
  const metrics = createMetrics({
    version,
    dataBuilds: () => dataBuilds(tools),
    connections: () => running?.connections ?? 0,
    readiness: () => (running === undefined ? [] : readiness(running.health)),
    certificateExpiry: () => certificates && expiryOf(certificates),
    countsKeys: config.apiKeyMetrics === "on",
    warnings,
  });
  const { watchFiles, reload } = createReloader();
  const writeMetrics = metricsWriter(metrics.registry);
  // A failed start logs only its reason.
  let isStarted = false;
  const report = (event: ToolEvent): void => reportEvent(event, log, metrics, isStarted);
  const loaded = await loadTools(config, { now: Date.now, randomBytes, watchFiles, report });
  if (!loaded.ok) {
    return loaded;
  }
  tools.push(...loaded.value);
  if (config.apiKeysFile !== undefined) {
    metrics.apiKeysLoaded(true);
  }
  const access = await openAccess(
    config,
    ACCESS_NAMES,
    accessEvents(log, metrics),
    () => performance.now(),
    watchFiles,
  );
  if (!access.ok) {
    return access;
  }
  const tls = await openTls(config, log, watchFiles);
  if (!tls.ok) {
    return tls;
  }
  certificates = tls.value;
  const hasAddresses = config.logAddresses === "on";
  const spansEndpoint = config.otlpTracesEndpoint ?? config.otlpEndpoint;
  const spans =
    spansEndpoint === undefined
      ? undefined
      : await startSpans({
          endpoint: spansEndpoint,
          isExact: config.otlpTracesEndpoint !== undefined,
          name: SERVICE_NAME,
          version,
          logger: log.logger,
          hasAddresses,
        });
  const reportDropped = reportDroppedConnections(
    (closed, client) =>
      log.logger.warn(
        { closed, ...(hasAddresses && client !== "" && { client }) },
        "there are too many connections: closed some",
      ),
    () => performance.now(),
  );
  const requestLog = createRequestLog(config.logRequests, log.logger, hasAddresses);
  const examine = watchForwarding(config, (header, client) => {
    metrics.forwardingIgnored();
    log.logger.warn(
      { header, ...(hasAddresses && { client }) },
      "a forwarding header is ignored, because its sender is not in TRUSTED_PROXIES: if it is your proxy, all its clients count as one",
    );
  });
  const server = await startServer({
    ...config,
    methodOptions: cachingOptions(config),
    onRequest: (request) => {
      examine(request);
      return access.value.onRequest(request);
    },
    contextValues: access.value.contextValues,
    rejections: access.value.rejections,
    securitySchemes: access.value.securitySchemes,
    transport: {
      ...connectionLimits(config),
      tls: tls.value,
      proxyProtocol: config.proxyProtocol === "required",
      onConnectionDropped: (which, client) => {
        metrics.connectionDropped(which);
        reportDropped(which, client);
      },
      onReject: ({ status }, peerAddress) => {
        log.logger.debug({ status }, "request rejected before it was read");
        metrics.requestUnread(status);
        requestLog?.unread(status, plainAddress(peerAddress));
      },
    },
    tools,
    observers: [metrics.observer, requestLog, spans?.observer].filter((each) => each !== undefined),
    requestIds: requestLog !== undefined,
    metrics: async () => ({ contentType: metrics.registry.contentType, body: await writeMetrics() }),
    reportBug: (bug, method) => {
      metrics.bugCaught();
      log.reportBug(bug, method);
    },
  });
  if (!server.ok) {
    return fail(server.failure.reason, `HOST and PORT: ${server.failure.description}`);
  }
  const { url, stop } = server.value;
  running = server.value;
  isStarted = true;
  for (const { service, sources, files, readiness } of tools) {
    if (files !== undefined && readiness?.isReady() !== false) {
      const data = { sources: agesOf(sources?.() ?? []), files: files() };
      log.logger.info({ service: service.typeName, ...data }, "data loaded");
    }
  }
  const { health } = running;
  return ok({
    url,
    isReady: () => health.isServing(""),
    whenReady: untilReady(health),
    sources: () => tools.flatMap((tool) => tool.sources?.() ?? []),
    reload,
    stop: async () => {
      const { connections } = server.value;
      const [gracePeriod, stopDelay] = [config.gracePeriod, config.stopDelay].map(formatDuration);
      log.logger.info(
        { connections, stopDelay, gracePeriod },
        "not ready from now on; completing requests in progress",
      );
      await stop(config.gracePeriod, config.stopDelay);
      log.logger.info({ connections: server.value.connections }, "all connections are closed");
      access.value.close();
      tls.value?.stop();
      await spans?.shutdown();
    },
  });
}

/** Returns the certificate and its key; undefined for cleartext. */
async function openTls(
  { tlsCertFile, tlsKeyFile }: Config,
  { logger }: Log,
  watchFiles: WatchFiles,
): Promise<Result<OpenTlsFiles | undefined, Failure>> {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) {
    return ok(undefined);
  }
  return openTlsFiles({
    certFile: tlsCertFile,
    keyFile: tlsKeyFile,
    names: { certFile: "TLS_CERT_FILE", keyFile: "TLS_KEY_FILE" },
    now: Date.now,
    watchFiles,
    warn: (problem) => logger.warn(problem),
    onReload: () => logger.info("certificate replaced"),
  });
}

function expiryOf({ current }: OpenTlsFiles): Date {
  return new Date(new X509Certificate(current.cert).validTo);
}

/** Resolves when all services are ready for the first time. */
function untilReady(health: ServerHealth): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (health.isServing("")) {
        unsubscribe();
        resolve();
      }
    };
    const unsubscribe = health.onChange(look);
    look();
  });
}

function readiness(health: ServerHealth) {
  return health.services.map((service) => ({ service, isReady: health.isServing(service) }));
}

function* dataBuilds(tools: readonly Tool[]) {
  for (const { sources } of tools) {
    for (const { name, builtAt } of updatedSources(sources?.() ?? [])) {
      yield { source: name, builtAt };
    }
  }
}

/** Describes sources for the log. */
function agesOf(sources: readonly DataSource[]) {
  const now = Date.now();
  return sources.map(({ name, builtAt }) => ({ name, builtAt, ageDays: builtAt && ageInDays(builtAt, now) }));
}

function reportEvent(event: ToolEvent, { logger }: Log, metrics: Metrics, isStarted: boolean): void {
  const { service } = event;
  if (event.kind === "data_refused") {
    const { reason, description, hasOlderData } = event;
    metrics.dataLoaded(service, "refused");
    logger.error({ service, reason, hasOlderData }, `data rejected: ${description}`);
  } else {
    metrics.dataLoaded(service, "loaded");
    metrics.filesOutdated(service, event.outdated.length);
    for (const file of event.outdated) {
      logger.warn({ service, file }, "file in DATA_DIR is older than the installed one, which is used");
    }
    for (const source of oldSources(event.sources, Date.now())) {
      logger.warn(
        { service, source: source.name, ageDays: ageInDays(source.builtAt, Date.now()) },
        `data is ${oldText(source)}`,
      );
    }
    if (event.isReplacement || isStarted) {
      logger.info(
        { service, sources: agesOf(event.sources), files: event.files },
        event.isReplacement ? "data replaced" : "data loaded",
      );
    }
  }
}

/** The settings that are options of connections. */
function connectionLimits(
  config: Config,
): Pick<Config, Exclude<keyof Config & keyof TransportOptions, "proxyProtocol">> {
  const { headersTimeout, requestTimeout, idleTimeout, maxConnections, maxConnectionsPerClient } = config;
  const { maxConcurrentStreams, maxHeaderBytes, maxHeaderFields, maxHeldBytes } = config;
  return {
    headersTimeout,
    requestTimeout,
    idleTimeout,
    maxConnections,
    maxConnectionsPerClient,
    maxConcurrentStreams,
    maxHeaderBytes,
    maxHeaderFields,
    maxHeldBytes,
  };
}

function accessEvents({ logger }: Log, metrics: Metrics): Parameters<typeof openAccess>[2] {
  return {
    onKeyCheck: metrics.apiKeyChecked,
    onKeysReload: (reload) => {
      metrics.apiKeysLoaded(reload.ok);
      if (reload.ok && reload.value === 0) {
        logger.warn(
          { keys: 0 },
          "API keys replaced: there are none, so that all requests that need one are rejected",
        );
      } else if (reload.ok) {
        logger.info({ keys: reload.value }, "API keys replaced");
      } else {
        const { reason, description } = reload.failure;
        logger.error({ reason }, `the file of API keys cannot be used as a whole: ${description}`);
      }
    },
    onDecision: metrics.rateLimitDecided,
    onLocalCount: () => metrics.rateLimitDecided("store_unavailable"),
    onStoreState: (state, why) => {
      metrics.storeStateChanged(state);
      if (state === "up") {
        logger.info("rate-limit store connected: replicas share their counts");
      } else {
        logger.warn({ why }, "rate-limit store unreachable: each process counts separately");
      }
    },
  };
}
