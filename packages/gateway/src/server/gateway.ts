import { setTimeout as wait } from "node:timers/promises";
import { Code, ConnectError, createClient, createContextValues } from "@connectrpc/connect";
import { knownOptions } from "@utility-tools/http-server/portable";
import {
  createError,
  createServer,
  type Page,
  type PostPage,
  type TranscodingServerOptions,
} from "connect-transcoding";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "connect-transcoding/gen/health/v1/health_pb.js";
import { watchFiles } from "connect-transcoding-operations/files/data-files";
import { reportDroppedConnections } from "connect-transcoding-operations/telemetry/dropped-connections";
import { createSource, type Descriptors } from "../descriptors/sources.js";
import { createProblemLog, OptionError, problemText } from "../errors.js";
import { DEFAULTS, type GatewayOptions } from "../options.js";
import { rawRequestKey } from "../proxy/proxied-call.js";
import { createUpstream, type Upstream } from "../proxy/upstream.js";
import { gatewayVersion } from "../version.js";
import { type Api, createApi } from "./api.js";
import { createGatewayMetrics } from "./metrics.js";
import { openOperations } from "./operations.js";
import { openPortTls, readUpstreamTls } from "./tls-files.js";

/** How soon reflection is tried again after a failure, in milliseconds. */
const RETRY_INTERVAL = 1_000;

/** A gateway that accepts requests. */
export interface Gateway {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** Loads descriptors and rules now, and serves them if they have changed. Never rejects. */
  reload(): Promise<void>;
  /** Fails `/readyz` for `stopDelay`, closes the port, and gives calls in progress `gracePeriod`. */
  stop(): Promise<void>;
}

/**
 * Starts a gateway. Rejects with an UnknownOptionError, with an OptionError if an option or a file is invalid, and with the Error of the
 * system if it cannot listen. Upstreams need not be reachable yet.
 *
 * @param log called with lines about reloads, and about routes that are left out
 */
export async function startGateway(given: GatewayOptions, log: (line: string) => void): Promise<Gateway> {
  const options = knownOptions("startGateway", given, { upstreams: true, ...DEFAULTS });
  for (const upstream of options.upstreams) {
    knownOptions("upstreams", upstream, { prefix: true, url: true });
  }
  const ended = new AbortController();
  const { signal } = ended;
  const tls = await readUpstreamTls(options);
  const upstreams = options.upstreams.map((each) => createUpstream(each, tls, options.maxResponseBytes, log));
  const load = createSource(options, upstreams, signal);
  const metrics = createGatewayMetrics();
  const operations = await openOperations(options, gatewayVersion(), metrics, log);
  let isStopping = false;
  let hasDescriptors = false;
  const readiness = readinessPage(
    upstreams,
    () => {
      if (isStopping) {
        return "the gateway is stopping";
      }
      return hasDescriptors ? undefined : "the gateway has no descriptors yet";
    },
    log,
  );

  function serverOptions({ routes, transcoding, pages }: Api): TranscodingServerOptions {
    return {
      routes,
      requestPathPrefix: options.prefix,
      readMaxBytes: options.maxRequestBytes,
      contextValues: (request) => createContextValues().set(rawRequestKey, request),
      transcoding: {
        ...transcoding,
        checkHost: true,
        corsOrigins: options.corsOrigins,
        pages: new Map<string, Page | PostPage>([
          ...pages,
          ["/healthz", textPage(200, "ok")],
          ["/readyz", readiness],
          ["/metrics", metrics.page],
        ]),
        trustedProxies: options.trustedProxies,
        clientAddressHeader: options.clientAddressHeader,
        requestIds: operations.requestIds,
        observers: [metrics.observer, ...operations.observers],
        onRequest: (request) => {
          if (!hasDescriptors && request.protocol !== "page") {
            throw createError({
              code: Code.Unavailable,
              reason: "NO_DESCRIPTORS",
              message: "the gateway has no descriptors of its upstream servers yet",
            });
          }
          return operations.access.onRequest(request);
        },
        onError: (error) => log(`unexpected error: ${problemText(error)}`),
      },
    };
  }

  function apiOf(descriptors: Descriptors): Api {
    return createApi(descriptors, upstreams, { ...options, ...operations.access }, log);
  }

  function reportApi({ groups }: Descriptors, { services, bindings }: Api): void {
    hasDescriptors = groups.length > 0;
    log(`serves ${services} services with ${bindings} HTTP bindings`);
  }

  const reportProblems = createProblemLog(log);

  // An invalid file ends the start; an upstream that does not answer yet does not.
  let descriptors = await load();
  reportProblems(descriptors.problems);
  let api: Api;
  try {
    api = apiOf(descriptors);
  } catch (thrown) {
    if (options.descriptors.length > 0) {
      throw new OptionError(`--descriptor: ${problemText(thrown)}`);
    }
    log(`the descriptors of the upstream servers are invalid: ${problemText(thrown)}`);
    descriptors = { groups: [], rules: [], version: "", problems: ["invalid"] };
    api = apiOf(descriptors);
  }

  const portTls =
    options.tlsCert === undefined || options.tlsKey === undefined
      ? undefined
      : await openPortTls(options.tlsCert, options.tlsKey, options.fileInterval, signal, log);
  const reportDropped = reportDroppedConnections(
    ({ idle, in_use, new: refused }, client) =>
      log(
        `there are too many connections: closed ${idle} idle, ${in_use} in use and ${refused} new ones` +
          (client === "" ? "" : `, the latest of ${client}`),
      ),
    () => performance.now(),
  );
  const { maxConnections, maxConnectionsPerClient } = options;
  const server = createServer({
    ...serverOptions(api),
    transport: {
      tls: portTls,
      maxConnections,
      maxConnectionsPerClient,
      proxyProtocol: options.proxyProtocol,
      onConnectionDropped: (which, client) => {
        metrics.connectionDropped(which);
        reportDropped(which, client);
      },
    },
  });
  reportApi(descriptors, api);

  let loading: Promise<void> | undefined;
  async function reloadOnce(): Promise<void> {
    try {
      const next = await load();
      if (signal.aborted) {
        return;
      }
      reportProblems(next.problems);
      if (next.version !== descriptors.version) {
        const nextApi = apiOf(next);
        server.replace(serverOptions(nextApi));
        reportApi(next, nextApi);
      }
      descriptors = next;
    } catch (thrown) {
      log(`kept the previous descriptors: ${problemText(thrown)}`);
    }
  }
  /** One at a time; one that is asked for meanwhile follows. */
  function reload(): Promise<void> {
    loading = (loading ?? Promise.resolve()).then(reloadOnce);
    return loading;
  }

  async function reflectRegularly(): Promise<void> {
    while (!signal.aborted) {
      const interval = descriptors.problems.length > 0 ? RETRY_INTERVAL : options.reflectionInterval;
      await wait(interval, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) {
        await reload();
      }
    }
  }

  const { port } = await server.listen(options.host, options.port).catch((thrown: unknown) => {
    ended.abort();
    throw thrown;
  });
  const files = [...options.descriptors, ...(options.rules === undefined ? [] : [options.rules])];
  if (files.length > 0) {
    const watch = await watchFiles(files, () => void reload(), options.fileInterval);
    signal.addEventListener("abort", watch.stop, { once: true });
    // A file can have changed since it was read.
    void reload();
  }
  if (options.descriptors.length === 0) {
    void reflectRegularly();
  }
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `${portTls === undefined ? "http" : "https"}://${host}:${port}`,
    reload,
    stop: async () => {
      isStopping = true;
      await wait(options.stopDelay);
      ended.abort();
      await server.close(options.gracePeriod);
      for (const upstream of upstreams) {
        upstream.connections.close();
      }
      await operations.close();
    },
  };
}

/** The time in which an upstream must answer, and for which its answer is kept, in milliseconds. */
const TIMEOUT = 2_000;
const KEPT = 1_000;

/** The errors of servers without the health service or a state of the whole server, and of those that ask for credentials: all answer. */
const ANSWERS: ReadonlySet<Code> = new Set([
  Code.Unimplemented,
  Code.NotFound,
  Code.Unauthenticated,
  Code.PermissionDenied,
]);

/**
 * The page `/readyz`: 200 if `problem` returns undefined and every upstream is ready, otherwise 503 with the reason. The log has the
 * addresses of upstreams, which clients must not know.
 */
function readinessPage(
  upstreams: readonly Upstream[],
  problem: () => string | undefined,
  log: (line: string) => void,
): Page {
  const report = createProblemLog((text) => log(`not ready: ${text}`));
  let checkedAt = Number.NEGATIVE_INFINITY;
  let problems: Promise<string | undefined> = Promise.resolve(undefined);
  return async () => {
    const own = problem();
    if (own === undefined && performance.now() - checkedAt > KEPT) {
      checkedAt = performance.now();
      problems = Promise.all(upstreams.map(problemOf)).then((all) => {
        const found = all.filter((each) => each !== undefined);
        report(found);
        return found.length > 0
          ? `${found.length} of ${all.length} upstream servers are not ready`
          : undefined;
      });
    }
    const reason = own ?? (await problems);
    return textPage(reason === undefined ? 200 : 503, reason ?? "ready");
  };
}

/** A page of plain text that is not cached. */
function textPage(status: number, text: string) {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
    body: `${text}\n`,
  };
}

async function problemOf({ url, transport }: Upstream): Promise<string | undefined> {
  try {
    const { status } = await createClient(Health, transport).check({}, { timeoutMs: TIMEOUT });
    return status === Status.SERVING ? undefined : `${url}: ${Status[status]}`;
  } catch (thrown) {
    return thrown instanceof ConnectError && ANSWERS.has(thrown.code)
      ? undefined
      : `${url}: ${problemText(thrown)}`;
  }
}
